"""The only room that looks at, or starts, processes."""
