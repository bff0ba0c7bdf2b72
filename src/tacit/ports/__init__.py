"""Protocols only: what tacit needs from outside, each as small as possible."""
