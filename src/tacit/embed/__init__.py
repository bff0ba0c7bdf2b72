"""Embedders: text in, unit vectors out. Every one needs an extra; search works without."""
