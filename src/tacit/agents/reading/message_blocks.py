"""Content blocks of a message, which several agents write in the same form: text, tool calls, and their results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tacit.agents.reading.tool_names import exit_code_in, tool_of
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome
from tacit.text.loose_fields import Fields, cut, flag, mapping, text, words

SILENT = frozenset({
    "thinking", "redacted_thinking", "reasoning", "image", "input_image", "document", "fallback", "file",
    "server_tool_use", "web_search_tool_result", "redacted-reasoning", "source",
})  # fmt: skip
_CALLS = frozenset({"tool_use", "tool_call", "tool-call", "toolCall"})
_RESULTS = frozenset({"tool_result", "tool-result", "toolResult"})
REFUSALS = (
    "the user doesn't want to", "the user doesn’t want to", "[request interrupted by user", "request interrupted by",
    "permission to use", "the user denied this operation", "the user rejected", "rejected by user", "aborted by user",
    "user cancelled", "user rejected", "claude requested permissions", "the tool use was rejected", "cancelled by user",
    "command was not executed because the user", "operation cancelled by user", "[operation cancelled]",
    "permission for this action", "hook pretooluse", "pretooluse:", "command blocked by pretooluse hook",
)  # fmt: skip
_ABORTED = "Command was aborted before completion"
_NOT_RUN = ("cancelled: parallel tool call", "sibling tool call errored", "cancelled: another parallel")
_TIMED_OUT = "command timed out after"
_INTERRUPTED = "[request interrupted by user"


class TextBlock(NamedTuple):
    """A text block."""

    text: str


class ToolResult(NamedTuple):
    """The result of a tool, as given in its block."""

    call: str
    name: str
    output: str
    error: bool
    block: Fields


Block = TextBlock | ToolCall | ToolResult | str
"""A string is the name of an unknown block type."""


def blocks(content: Any) -> Iterator[Block]:
    """Return the blocks of a message's content. Consecutive texts are joined."""
    if isinstance(content, str):
        yield from [TextBlock(words(content))] if content.strip() else []
        return
    held: list[str] = []
    for block in content if isinstance(content, list) else [content] if isinstance(content, dict) else []:
        read = _block(block)
        if isinstance(read, TextBlock):
            held.append(read.text)
            continue
        if read is None:
            continue
        yield from [TextBlock("\n".join(held))] if held else []
        held = []
        yield read
    yield from [TextBlock("\n".join(held))] if held else []


def _block(block: Any) -> Block | None:
    if isinstance(block, str):
        return TextBlock(words(block)) if block.strip() else None
    if not isinstance(block, dict):
        return "untyped"
    kind = text(block, "type")
    if kind in _CALLS:
        name = text(block, "name", "toolName", "tool_name")
        arguments = next((block[key] for key in ("input", "args", "arguments") if key in block), None)
        return tool_of(name or "unknown", arguments, text(block, "id", "toolCallId", "tool_use_id"))
    if kind in _RESULTS:
        return _result(block)
    if kind in SILENT:
        return None
    found = words(block)
    if kind in ("text", "input_text", "output_text", "") or found:
        # Readable text of an unknown block is still read.
        return TextBlock(found) if found.strip() else None
    return f"block.{kind}"


def _result(block: Fields) -> ToolResult:
    content = next((block[key] for key in ("content", "result", "output") if block.get(key) not in (None, "")), "")
    inner = mapping(block, "output")
    error = flag(block, "is_error", "isError") or text(inner, "type").startswith("error")
    return ToolResult(
        text(block, "tool_use_id", "toolCallId", "id"), text(block, "name", "toolName"),
        words(content) or words(block.get("experimental_content")), error, block,
    )  # fmt: skip


def outcome(output: str, *, error: bool, marks_errors: bool = True) -> ToolOutcome:
    """Derive the outcome of a result from its text. With `marks_errors`, a result without an error mark succeeded."""
    begins = output.lstrip()[:200].lower().removeprefix("<tool_use_error>").removeprefix("error: ")
    if begins.startswith(REFUSALS) or (error and _ABORTED in output[-200:]):
        return ToolOutcome(output=cut(output), refused=True)
    if begins.startswith(_NOT_RUN):
        return ToolOutcome(output=cut(output))
    # A result that is not an error may print anything, including another program's exit code.
    code = exit_code_in(output.lstrip()[:200].partition("\n")[0]) if error or not marks_errors else None
    failed = error or code not in (None, 0)
    return ToolOutcome(
        ok=False if failed else True if marks_errors or code == 0 else None, exit_code=code, output=cut(output)
    )


def ended_by_itself(found: ToolOutcome) -> ToolOutcome:
    """Correct the outcome of a failed command in Claude Code: only one that ran to its end is a failure.

    Such a command begins with its exit code. Any other text gives the reason why it did not run: the words of a guard,
    of a person, or of Claude Code itself.
    """
    if found.ok is not False:
        return found
    begins = found.output.lstrip()[:200].lower().removeprefix("error: ")
    if found.exit_code is not None:
        begins = begins.partition("\n")[2].lstrip()
        if not begins.startswith((_TIMED_OUT, _INTERRUPTED)):
            return found
    return replace(found, ok=None, refused=not begins.startswith((*_NOT_RUN, _TIMED_OUT, "<tool_use_error>")))
