"""The words of the house: frozen values, no I/O."""
