"""What all kinds of records share: write, history, trust, forget, undo, scopes, transfer."""
