"""Pure decisions about facts: which may be injected without a question, and how importance decays."""
