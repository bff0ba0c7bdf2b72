"""mcp: the tools of a memory for agents, over the Model Context Protocol."""

from __future__ import annotations

import json

import click

from tacit.doors.cli.command_call import CommandCall, writing
from tacit.text.token_budget import estimate_tokens


@click.command()
@click.option("--list", "listing", is_flag=True, help="Print the tools as an agent gets them, and their tokens.")
@click.option("--http", "over_http", is_flag=True, help="Serve over HTTP on loopback instead, with a token.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port for --http; default: any free one.")
@writing
def mcp(call: CommandCall, listing: bool, over_http: bool, port: int) -> None:
    """Serve MCP on standard input and output until the caller disconnects. Every caller counts as an agent."""
    if listing:
        _list(call)
        return
    from tacit.doors.lazy_memory import LazyMemory
    from tacit.doors.mcp.extra import require_sdk

    require_sdk()
    memory = LazyMemory(
        lambda creates: call.as_agent().memory(writes=creates), lambda: call.as_agent().caller.origin.session
    )
    if not over_http:
        from tacit.doors.mcp.sdk_server import serve_stdio

        serve_stdio(memory)
        return
    from tacit.doors.mcp.http import serve_http

    serve_http(memory, call.settings.home, port, lambda found: call.tell(
        f"serving MCP at {found.url}; the bearer token is in {found.token_file}; Ctrl-C stops it"
    ))  # fmt: skip


def _list(call: CommandCall) -> None:
    from tacit.doors.mcp.tools import listed, offered

    tools = listed(offered())
    tokens = estimate_tokens(json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":")))

    def show() -> None:
        for tool in tools:
            names = ", ".join(tool["inputSchema"]["properties"])
            click.echo(f"{tool['name']}: {tool['description']}\n  arguments: {names}\n")
        click.echo(f"{len(tools)} tools, {tokens} tokens")

    call.answer("mcp", {"tools": tools, "tokens": tokens}, show)
