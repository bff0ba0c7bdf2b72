"""Wiring: build adapters from settings and a Memory from adapters. The verbs that callers use are declared here."""
