"""The truth in one SQLite file, on the standard library's sqlite3."""
