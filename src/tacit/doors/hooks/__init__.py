"""Hooks of agents: one payload in, one answer in that agent's words out; never an exception."""
