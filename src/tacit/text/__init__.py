"""Pure text: tokens, ranking and fusion, budgets."""
