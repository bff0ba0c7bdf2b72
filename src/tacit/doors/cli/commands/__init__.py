"""The commands of `tacit`, one module per noun; each is imported on use."""
