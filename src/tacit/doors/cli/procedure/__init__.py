"""procedure: how things are done here."""
