"""Exchange: exports to files that others read, and imports from other memory tools."""
