"""`tacit bench`: figures measured side by side in one run. Nothing is asserted, nothing of the user's is touched."""
