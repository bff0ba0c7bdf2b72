"""What transcript readers share: JSON lines, SQLite files of other programs, content blocks, tool names."""
