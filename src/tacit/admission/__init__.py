"""What may become a record: limits, encoding, schema, instructions hidden in text, and how far to trust it."""
