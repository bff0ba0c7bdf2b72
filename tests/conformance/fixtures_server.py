"""What the suite calls by name, on our HTTP app: shows that what carries our tools carries the rest of the protocol.

usage: python -m tests.conformance.fixtures_server PORT
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from tacit.doors.mcp.http import HOST, http_app

Handler = Callable[[Any, Any], Awaitable[Any]]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TEXT = {"type": "text", "text": "This is a simple text response for testing."}
IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def resource(uri: str, text: str, kind: str = "text/plain") -> dict[str, Any]:
    """Return a resource inside a message."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}}


ANSWERS: dict[str, list[dict[str, Any]]] = {
    "test_simple_text": [TEXT],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [resource("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        TEXT, IMAGE, resource("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json"),
    ],
    "test_tool_with_progress": [TEXT],
    "test_error_handling": [{"type": "text", "text": "This tool intentionally returns an error for testing"}],
    "test_missing_capability": [TEXT],
    "test_streaming_elicitation": [TEXT],
    "test_logging_tool": [TEXT],
    "json_schema_2020_12_tool": [TEXT],
}  # fmt: skip
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "$defs": {"address": {
        "$anchor": "addressDef", "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
    }},
    "properties": {
        "name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": False,
}  # fmt: skip
PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [], "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"], "test_prompt_with_image": [],
}  # fmt: skip
RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
    "test://watched-resource": {"mimeType": "text/plain", "text": "watched"},
}


def typed(result: type[BaseModel]) -> Callable[[Handler], Handler]:
    """Let a handler return plain values, of which this makes the result that the SDK completes for each revision."""

    def decorate(handler: Handler) -> Handler:
        async def handle(context: Any, params: Any) -> Any:
            return result.model_validate(await handler(context, params))

        return handle

    return decorate


@typed(types.ListToolsResult)
async def list_tools(_context: Any, _params: Any) -> Any:
    """List the tools."""
    return {"tools": [
        {"name": name, "description": f"The fixture {name}.",
         "inputSchema": SCHEMA_2020 if name == "json_schema_2020_12_tool" else NOTHING}
        for name in ANSWERS
    ]}  # fmt: skip


@typed(types.CallToolResult)
async def call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    """Answer with the content of a fixture."""
    name = params.name
    if name not in ANSWERS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool {name}")
    if name == "test_missing_capability":
        asked = context.session.client_capabilities
        if asked is None or asked.sampling is None:
            need = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message="sampling is needed", data=need)
    if name == "test_tool_with_progress":
        for done in (0, 50, 100):
            await context.session.report_progress(done, 100)
    return {"content": ANSWERS[name], "isError": name == "test_error_handling"}


@typed(types.ListResourcesResult)
async def list_resources(_context: Any, _params: Any) -> Any:
    """List the resources."""
    return {"resources": [{"uri": uri, "name": uri, "mimeType": one["mimeType"]} for uri, one in RESOURCES.items()]}


@typed(types.ListResourceTemplatesResult)
async def list_templates(_context: Any, _params: Any) -> Any:
    """List the template."""
    return {"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "template"}]}


@typed(types.ReadResourceResult)
async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> Any:
    """Return the content of a resource."""
    uri = str(params.uri)
    if uri.startswith("test://template/") and uri.endswith("/data"):
        id = uri.split("/")[3]
        text = json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}
    if uri not in RESOURCES:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown resource {uri}", data={"uri": uri})
    return {"contents": [{"uri": uri, **RESOURCES[uri]}]}


@typed(types.EmptyResult)
async def nothing(_context: Any, _params: Any) -> Any:
    """Take note of a subscription, or of its end."""
    return {}


@typed(types.ListPromptsResult)
async def list_prompts(_context: Any, _params: Any) -> Any:
    """List the prompts."""
    return {"prompts": [
        {"name": name, "description": f"The fixture {name}.",
         "arguments": [{"name": one, "description": "A text.", "required": True} for one in needed]}
        for name, needed in PROMPTS.items()
    ]}  # fmt: skip


@typed(types.GetPromptResult)
async def get_prompt(_context: Any, params: types.GetPromptRequestParams) -> Any:
    """Return the messages of a prompt."""
    given = params.arguments or {}
    text = {"type": "text", "text": "This is a simple prompt for testing."}
    with_words = {
        "type": "text",
        "text": f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'",
    }
    embedded = resource(given.get("resourceUri", ""), "Embedded resource content for testing.")
    contents = {
        "test_simple_prompt": [text], "test_prompt_with_arguments": [with_words],
        "test_prompt_with_embedded_resource": [embedded, text], "test_prompt_with_image": [IMAGE, text],
    }  # fmt: skip
    if params.name not in contents:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt {params.name}")
    return {"messages": [{"role": "user", "content": one} for one in contents[params.name]]}


@typed(types.CompleteResult)
async def complete(_context: Any, _params: Any) -> Any:
    """Suggest nothing."""
    return {"completion": {"values": [], "total": 0, "hasMore": False}}


def main(port: int) -> None:
    """Serve until stopped."""
    server: Server[Any] = Server(
        "fixtures", version="1", on_list_tools=list_tools, on_call_tool=call_tool, on_list_resources=list_resources,
        on_list_resource_templates=list_templates, on_read_resource=read_resource, on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing, on_list_prompts=list_prompts, on_get_prompt=get_prompt, on_completion=complete,
    )  # fmt: skip
    uvicorn.run(http_app(server, port), host=HOST, port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
