"""One module per agent: its transcripts, its hook dialect, and how to connect it."""
