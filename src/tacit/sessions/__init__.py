"""Sessions: find and import the transcripts of agents."""
