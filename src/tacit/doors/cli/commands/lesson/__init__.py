"""`tacit lesson`."""
