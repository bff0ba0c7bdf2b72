"""Decisions about sessions: pure functions."""
