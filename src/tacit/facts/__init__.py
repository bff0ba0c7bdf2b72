"""Facts: memorize, merge, relate through entities and terms, and consolidate them."""
