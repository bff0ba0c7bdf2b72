"""Pure decisions of imports: what a source is, and how prose is split."""
