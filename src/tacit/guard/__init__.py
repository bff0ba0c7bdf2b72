"""The guard judges shell commands before they run: by what the line would do, not by how it is spelled."""
