"""Answer the hooks of agents: read one payload, write one answer in the agent's format, and never raise."""
