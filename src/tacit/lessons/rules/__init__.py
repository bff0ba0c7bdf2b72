"""Pure decisions about lessons: the promotion gate, demotion, sentiment."""
