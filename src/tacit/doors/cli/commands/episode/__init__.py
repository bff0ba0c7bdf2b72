"""`tacit episode`."""
