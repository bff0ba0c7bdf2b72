"""Processes: only this room inspects and starts them."""
