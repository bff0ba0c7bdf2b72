"""Facts: memorized, merged, related through entities and terms, consolidated."""
