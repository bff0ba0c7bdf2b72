"""The version of tacit."""

VERSION = "0.1.0"
