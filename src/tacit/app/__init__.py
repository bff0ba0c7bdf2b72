"""Wiring: settings become adapters, adapters become a Memory. The verbs callers use are declared here."""
