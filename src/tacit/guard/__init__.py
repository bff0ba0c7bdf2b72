"""The guard: a seat belt for shell commands. It judges what a line would run, by meaning."""
