"""Search: ranked recall by words and meaning."""
