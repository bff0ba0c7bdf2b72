"""Pure decisions about records: comparing statements, validity in time."""
