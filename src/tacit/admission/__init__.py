"""Admission: limits, encoding and shape of records, instructions hidden in text, and trust."""
