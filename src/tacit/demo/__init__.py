"""`tacit demo`: a tour for newcomers, in a scratch home."""
