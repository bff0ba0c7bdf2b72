"""Pure decisions and formats of memory directories: front matter, index, sync, lint."""
