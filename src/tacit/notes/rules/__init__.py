"""Pure decisions about notes: extractive summaries."""
