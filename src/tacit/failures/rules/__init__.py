"""Pure decisions about failures: which part of a line failed, what fixes it, which rules a prompt states."""
