"""Failures and corrections: what failed, what fixed it, and what to use instead."""
