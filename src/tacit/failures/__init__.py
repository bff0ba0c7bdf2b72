"""Failures and corrections: which commands failed, what fixed them, and what to use instead."""
