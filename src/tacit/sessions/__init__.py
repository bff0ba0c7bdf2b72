"""Sessions: transcripts of agents, found and imported."""
