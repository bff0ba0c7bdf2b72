"""Readers of what other memories left behind: a path in, neutral items out; nothing here writes."""
