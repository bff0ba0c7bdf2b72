"""Protocols for everything that tacit needs from outside, each as small as possible."""
