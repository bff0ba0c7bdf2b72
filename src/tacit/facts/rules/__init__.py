"""Pure decisions about facts: which may be shown unasked, and how importance decays."""
