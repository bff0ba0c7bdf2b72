"""The shell: what a command line would really run, parsed without running any of it."""
