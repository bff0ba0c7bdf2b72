"""Notes, skills, personas, teams, and the manifest a host model reads."""
