"""Readers of foreign formats: transcripts of each agent, dialects of their hooks."""
