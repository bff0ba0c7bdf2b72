"""Readers of other memory tools' files and databases."""
