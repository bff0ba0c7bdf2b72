"""Code in other languages that a command is given, as shell commands of the same meaning."""
