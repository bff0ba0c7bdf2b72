"""Stores of records, events and links, behind one port and one contract."""
