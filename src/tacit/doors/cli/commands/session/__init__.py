"""`tacit sessions`."""
