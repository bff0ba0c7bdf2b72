"""Memory and its parts: one short method per verb, each calls one flow."""
