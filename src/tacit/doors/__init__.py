"""Doors: parse, call one verb of Memory, render. No rules, no SQL."""
