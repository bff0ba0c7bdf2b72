"""The version of tacit."""

__version__ = "0.1.0"
