"""Finding corrections in what a user writes."""
