"""MCP: a few tools made from the verbs, for agents. Only `sdk_server` and `http` import the SDK, which is an extra."""
