"""The verbs of each noun, declared once for the library, the command line and JSON-RPC."""
