"""Pure text functions: tokens, ranking and fusion, budgets."""
