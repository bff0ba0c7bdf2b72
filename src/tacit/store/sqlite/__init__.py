"""The store in one SQLite file, with the standard library's sqlite3."""
