"""The values all rooms share: frozen structs, no I/O."""
