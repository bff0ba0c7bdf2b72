"""The commands of `tacit`, a module per noun; each is imported when it is called."""
