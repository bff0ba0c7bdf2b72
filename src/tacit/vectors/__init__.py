"""Nearest records by meaning: exact, in process, over disposable files."""
