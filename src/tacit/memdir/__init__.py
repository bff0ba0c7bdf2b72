"""Memory directories: topic files, their notes in the store, and the sync between them."""
