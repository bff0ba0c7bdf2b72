"""Search: ranked recall over words and meaning."""
