"""JSON-RPC 2.0: the same verbs for programs, over standard input and output, or a Unix socket."""
