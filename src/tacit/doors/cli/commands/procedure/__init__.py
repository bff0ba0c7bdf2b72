"""`tacit procedure`."""
