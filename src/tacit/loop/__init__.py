"""What happens at a hook: judge, warn, remind, capture, learn, maintain."""
