"""Secrets: where they come from, and the ways by which they leave the machine."""
