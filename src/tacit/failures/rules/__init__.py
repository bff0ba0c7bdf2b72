"""Pure decisions about failures: which part of a command line failed, what fixes it, which rules a prompt states."""
