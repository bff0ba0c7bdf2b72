"""Files: atomic writes, cross-process locks, known stores."""
