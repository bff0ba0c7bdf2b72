"""Share records through a folder, such as a git working tree or a synced drive. No git, no network."""
