"""Embedders: text in, unit vectors out. Each needs an extra; search works without one."""
