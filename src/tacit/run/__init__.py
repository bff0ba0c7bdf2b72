"""Inspecting and starting processes: only this room does either."""
