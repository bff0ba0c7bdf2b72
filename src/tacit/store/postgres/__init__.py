"""The PostgreSQL store: the same memory for a team, on a server."""
