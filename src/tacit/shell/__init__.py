"""The shell: what a command line would really run, taken apart without running any of it."""
