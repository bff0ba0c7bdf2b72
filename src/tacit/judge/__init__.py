"""Pure decisions: value in, decision out; no clock, no disk, no network."""
