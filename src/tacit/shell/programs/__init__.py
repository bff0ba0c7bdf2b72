"""Programs that run other programs: what each of them would run."""
