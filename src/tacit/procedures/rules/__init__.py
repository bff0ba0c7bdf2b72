"""Pure decisions about procedures: checks, conditions, replay, health, file formats."""
