"""Tool calls that were written as Markdown: a summary, then the command or the files, then what came of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, NamedTuple

from tacit.agents.reading.message_blocks import outcome
from tacit.agents.reading.tool_names import exit_code_in, tool_of
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolKind, ToolOutcome
from tacit.text.loose_fields import cut
from tacit.text.patterns import lazy_pattern

_KINDS: dict[str, ToolKind] = {"write": "edit", "read": "read", "search": "read"}
_SHELL_FENCES = frozenset({"bash", "sh", "shell", "zsh", "console", "powershell"})
_FENCE = lazy_pattern(r"^\s{0,3}(`{3,}|~{3,})\s*([\w+.:/-]*)[^`]*$")
_INLINE = lazy_pattern(r"^`([^`].*)`$")
_SUMMARY_COMMAND = lazy_pattern(r"^(?:Tool use: )?\*\*[^*]*\*\*\s+`(.+)`\s*$", re.S)
_RUN = lazy_pattern(r"(?:^|• )(?:Run command|Ran command|Command): (.+)$", re.S)
_FILE = lazy_pattern(
    r"(?:^|• )(?:Read|Edit|Edited|Write|Wrote|Create|Created|Delete|Deleted|Update) file:? `?([^`\n•]+)"
)
_NAMED = lazy_pattern(r"^\*\*(?:Add|Modify|Update|Delete)(?: file)?: `([^`]+)`\*\*$", re.I)
_ALONE = lazy_pattern(r"^`([^`]+)`(?:\s|$)")
_FIELD = lazy_pattern(r"^- (\w+): ?(.*)$")
_DONE_TO = lazy_pattern(
    r"^(?:The file|File created successfully at:|Successfully (?:wrote|overwrote|modified)[^/]*) "
    r"(\S+?)(?: has been| \(|\.?$)",
    re.M,
)
_CODE_AT_END = lazy_pattern(r"(?:^|\n)Exit Code: (-?\d+)")
_ERROR = "**Error:**"
RESULTS = frozenset({_ERROR, "**Result:**", "Result:", "Output:"})
"""Lines that announce a result."""


class MarkdownTool(NamedTuple):
    """A tool call in Markdown: its name, what kind of tool the writer says it is, and the lines of its block."""

    name: str
    kind: str
    summary: str
    body: Sequence[str]


class _Fence(NamedTuple):
    """A fenced part of a block: its language, its text, and the lines it begins and ends on."""

    language: str
    text: str
    start: int
    end: int


def fence_of(line: str) -> str:
    """Return the mark of a line that opens or closes a fence; empty for any other line."""
    if "```" not in line and "~~~" not in line:
        return ""
    found = _FENCE.match(line)
    return found[1] if found else ""


def closes(line: str, mark: str) -> bool:
    """Return whether a line closes the fence that a mark opened."""
    line = line.strip()
    return bool(line) and line == mark[0] * len(line) and len(line) >= len(mark)


def call_of(tool: MarkdownTool, agent: str) -> tuple[ToolCall, ToolOutcome]:
    """Return the call that a block describes, and its outcome, as far as this agent's results tell."""
    fences = _fences(tool.body)
    fields, failed = _fields(tool.body, fences)
    command, after = _command(tool, fences, fields)
    output = _output(tool, fences, after)
    if command:
        fields["command"] = command
    elif paths := _paths(tool, fences, output):
        fields.setdefault("paths", paths)
    call = tool_of(tool.name, fields)
    if command and call.kind == "other":
        call = replace(call, kind="shell", command=command)
    elif call.kind == "other" and tool.kind in _KINDS:
        call = replace(call, kind=_KINDS[tool.kind])
    return call, _outcome(output, call, agent, failed=failed)


def _fences(body: Sequence[str]) -> list[_Fence]:
    found: list[_Fence] = []
    mark, start = "", 0
    for number, line in enumerate(body):
        if not mark:
            mark, start = fence_of(line), number
        elif closes(line, mark):
            found.append(_fence(body, start, number))
            mark = ""
    if mark:
        found.append(_fence(body, start, len(body)))
    return found


def _fence(body: Sequence[str], start: int, end: int) -> _Fence:
    opened = _FENCE.match(body[start])
    return _Fence(opened[2].lower() if opened else "", "\n".join(body[start + 1 : end]), start, end)


def _fields(body: Sequence[str], fences: Sequence[_Fence]) -> tuple[dict[str, Any], bool]:
    """Read the arguments of a tool that are listed as `- name: value`, and whether an error is announced."""
    found: dict[str, Any] = {}
    is_error = False
    for number, line in _unfenced(body, fences):
        if line.strip() == _ERROR:
            is_error = True
        elif field := _FIELD.match(line):
            value = field[2]
            if value.startswith("`") and not (len(value) > 1 and value.rstrip().endswith("`")):
                # A value of several lines that was not fenced ends at the next line that ends with the mark.
                value = _until_mark(body, number)
            block = next((fence.text for fence in fences if not value and 0 < fence.start - number <= 2), "")
            found.setdefault(field[1], value.strip().strip("`") or block)
    return found, is_error


def _unfenced(body: Sequence[str], fences: Sequence[_Fence]) -> list[tuple[int, str]]:
    """Return the lines outside fences, with their numbers."""
    inside = {number for fence in fences for number in range(fence.start, fence.end + 1)}
    return [(number, line) for number, line in enumerate(body) if number not in inside]


def _until_mark(body: Sequence[str], start: int) -> str:
    first = body[start].partition("`")[2]
    lines = [first]
    for line in body[start + 1 :]:
        lines.append(line)
        if line.rstrip().endswith("`"):
            return "\n".join(lines)
    return first


def _command(tool: MarkdownTool, fences: Sequence[_Fence], fields: dict[str, Any]) -> tuple[str, int]:
    """Return the command of a call, and the line after it; a call that is no command has none."""
    if tool.kind != "shell" and tool_of(tool.name, {"command": "x"}).kind != "shell":
        return "", 0
    if given := fields.get("command") or fields.get("cmd"):
        return _words(str(given)), 0
    if found := _SUMMARY_COMMAND.match(tool.summary):
        return found[1], 0
    first = fences[0].start if fences else len(tool.body)
    for number, line in enumerate(tool.body[:first]):
        if found := _INLINE.match(line.strip()):
            return found[1], number + 1
    if fences and fences[0].language in _SHELL_FENCES:
        return fences[0].text.strip(), fences[0].end + 1
    found = _RUN.search(tool.summary)
    return (found[1].strip(), 0) if found else ("", 0)


def _words(given: str) -> str:
    """Return a command that was printed as a list of words, `[bash -lc make]`, without the shell around it."""
    if given.startswith("[") and given.endswith("]"):
        given = given[1:-1]
    return re.sub(r"^(?:bash|sh|zsh) -l?c ", "", given)


def _output(tool: MarkdownTool, fences: Sequence[_Fence], after: int) -> str:
    """Return what is fenced after the command. It may contain fences itself, so it ends with the last one."""
    marks = (number for number, line in _unfenced(tool.body, fences) if line.strip() in RESULTS)
    first = max(after, next(marks, 0))
    own = [fence for fence in fences if fence.start >= first]
    if tool.kind == "write" or tool_of(tool.name, {}).kind == "edit":
        # What was written comes first, in its own language.
        own = [fence for fence in own[-1:] if fence.language in ("", "text")]
    return "\n".join(tool.body[own[0].start + 1 : own[-1].end]) if own else ""


def _paths(tool: MarkdownTool, fences: Sequence[_Fence], output: str) -> list[str]:
    """Find the files a call names: in its summary, on a line of its own, or in what it reported."""
    first = fences[0].start if fences else len(tool.body)
    found = [one.strip() for one in _FILE.findall(tool.summary)]
    found += [named[1] for line in tool.body if (named := _NAMED.match(line.strip()))]
    if tool.kind in _KINDS or tool_of(tool.name, {}).kind in ("edit", "read"):
        found += [named[1] for line in tool.body[:first] if (named := _ALONE.match(line.strip()))]
        found += [named[1].strip() for line in tool.body[:first] if (named := _FILE.search(line.strip()))]
        found += _DONE_TO.findall(output[:4_000]) if not found else []
    return list(dict.fromkeys(one for one in found if one and one != "undefined"))


def _outcome(output: str, call: ToolCall, agent: str, *, failed: bool) -> ToolOutcome:
    """Derive the outcome from the text of a result; whether it was an error is not written down otherwise."""
    if call.kind == "shell" and not failed:
        code = None
        if agent == "gemini":
            codes = _CODE_AT_END.findall(output)
            code = int(codes[-1]) if codes else None
        elif "\nOutput:" in output:
            code = exit_code_in(output.partition("\nOutput:")[0])
        if code is not None:
            return ToolOutcome(ok=code == 0, exit_code=code, output=cut(output))
    return outcome(output, error=failed, marks_errors=False)


def summary_of(lines: Sequence[str]) -> tuple[str, list[str]]:
    """Split the lines of a block into its summary, which may have several lines, and its body."""
    text = "\n".join(lines)
    start = text.find("<summary>")
    end = text.find("</summary>", start)
    if start < 0 or end < 0:
        return "", _without_tags(lines)
    body = (text[:start] + text[end + len("</summary>") :]).split("\n")
    return unescape(text[start + len("<summary>") : end]).strip(), _without_tags(body)


def _without_tags(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip() not in ("<details>", "</details>")]
