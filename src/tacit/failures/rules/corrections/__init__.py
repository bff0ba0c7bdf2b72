"""Find corrections in what a user writes."""
