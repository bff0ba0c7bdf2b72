"""Use cases, one per file, each read top to bottom; ports arrive with the connection."""
