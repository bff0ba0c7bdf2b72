"""Protocols only: what the house needs from outside, each the smallest set of promises."""
