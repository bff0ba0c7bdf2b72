"""Stores: the truth, behind one port and one contract."""
