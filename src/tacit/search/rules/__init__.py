"""Pure decisions about search results."""
