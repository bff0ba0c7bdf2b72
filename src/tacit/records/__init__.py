"""What every noun shares: write, history, trust, forget, undo, scopes, transfer."""
