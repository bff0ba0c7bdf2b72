"""Stores: where records, events and links are kept, behind one port and one contract."""
