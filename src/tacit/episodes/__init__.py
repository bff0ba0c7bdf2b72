"""Episodes: what was tried, step by step, and how it went; patterns and heuristics learned from them."""
