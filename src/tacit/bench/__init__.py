"""`tacit bench`: figures measured side by side in one run. Nothing is asserted, and no user data is touched."""
