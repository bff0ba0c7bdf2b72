"""The extra that the MCP server needs."""

from __future__ import annotations

from importlib.util import find_spec

from tacit.errors import MissingExtra


def require_sdk() -> None:
    """Raise an error if the SDK is not installed."""
    if find_spec("mcp") is None:
        raise MissingExtra("MCP needs the official SDK, which is not installed", "pip install 'tacit[mcp]'")
