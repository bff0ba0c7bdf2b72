"""PowerShell: what its lines would run, as commands that the rest of the program can judge."""
