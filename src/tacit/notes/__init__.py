"""Notes, skills, personas, teams, and the manifest for a host's model."""
