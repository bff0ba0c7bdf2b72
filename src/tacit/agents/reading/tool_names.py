"""Tool names of the agents, and exit codes in all places where agents put them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tacit.model.session import ToolCall, ToolKind
from tacit.text.loose_fields import sound
from tacit.text.patterns import lazy_pattern

SHELLS = frozenset({
    "bash", "shell", "exec", "exec_command", "local_shell", "run_shell_command", "run_terminal_cmd", "terminal",
    "execute_command", "powershell", "run_terminal_command", "run_command", "shell_command", "container.exec",
    "run_commands", "run_terminal_command_v2", "execute_bash", "unified_exec", "local_shell_call",
})  # fmt: skip
EDITS = frozenset({
    "edit", "write", "multiedit", "notebookedit", "apply_patch", "str_replace_editor", "write_file", "replace",
    "create",
    "edit_file", "search_replace", "write_to_file", "replace_in_file", "str_replace_based_edit_tool", "patch",
    "create_file", "delete_file", "edit_file_v2", "insert_edit_into_file", "editor", "strreplace", "apply_diff",
    "insert_content", "delete", "editnotebook",
})  # fmt: skip
READS = frozenset({
    "read", "read_file", "view", "glob", "grep", "ls", "list_dir", "list_directory", "search", "codebase_search",
    "read_many_files", "list_files", "search_files", "grep_search", "file_search", "read_file_v2", "read_files",
    "search_codebase", "list_dir_v2", "glob_file_search", "ripgrep_raw_search", "semanticsearch", "semsearch",
    "list_code_definition_names", "search_file_content",
})  # fmt: skip
PATH_FIELDS = (
    "file_path",
    "path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "relative_workspace_path",
)
_PATCHES = ("input", "patch", "patchText", "diff", "command")
_MANY_PATHS = ("files", "paths", "edits")
_PATCHED = lazy_pattern(
    r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$|^(?:\+\+\+|---) (?:[ab]/)?([^\t\n]+)", re.M
)
_EXIT = lazy_pattern(r"^\s*(?:Error:\s*)?(?:Process )?(?:exited with |Exit )(?:code|status):?\s*(-?\d+)", re.I | re.M)
_FIRST = 4_000


def kind_of_tool(name: str) -> ToolKind:
    """Return the kind of tool for a name."""
    plain = name.rsplit(".", 1)[-1].lower() if not name.startswith("container.") else name.lower()
    if name.startswith("mcp_"):
        return "mcp"
    return "shell" if plain in SHELLS else "edit" if plain in EDITS else "read" if plain in READS else "other"


def tool_of(name: str, arguments: Any, call: str = "") -> ToolCall:
    """Parse a tool call: its command, and the files it names."""
    values = arguments_of(arguments)
    # An editor that is one tool for everything names what it does, and some of that only reads.
    kind = kind_of_tool(name)
    if kind == "edit" and values.get("command") == "view":
        kind = "read"
    command = command_of(values) if kind in ("shell", "other") else ""
    paths = [values[field] for field in PATH_FIELDS if isinstance(values.get(field), str)]
    for field in _MANY_PATHS:
        listed = values[field] if isinstance(values.get(field), list) else []
        named = (
            next((one[key] for key in PATH_FIELDS if key in one), None) if isinstance(one, dict) else one
            for one in listed
        )
        paths += [path for path in named if isinstance(path, str)]
    patches = (values.get(field) for field in _PATCHES) if values else (arguments,)
    for patch in patches if kind == "edit" else ():
        found = _PATCHED.findall(patch) if isinstance(patch, str) else []
        paths += [path.strip() for pair in found for path in pair if path and path != "/dev/null"]
    return ToolCall(
        name=name, kind="shell" if command and kind == "other" and _only_command(values) else kind,
        command=command if kind == "shell" or _only_command(values) else "", paths=tuple(dict.fromkeys(paths)),
        call=call, background=values.get("run_in_background") is True,
    )  # fmt: skip


def arguments_of(arguments: Any) -> Mapping[str, Any]:
    """Return a tool's arguments as fields, even if they are JSON in a text."""
    if isinstance(arguments, str):
        try:
            # JSON inside JSON may contain what the outer one may not.
            arguments = sound(json.loads(arguments))
        except (ValueError, RecursionError):
            return {}
    return arguments if isinstance(arguments, dict) else {}


def command_of(values: Mapping[str, Any]) -> str:
    """Return the command line in a tool's arguments: a text, or a list of words that ends with a shell script."""
    command = values.get("command", values.get("cmd", ""))
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        if len(command) == 3 and command[1] in ("-c", "-lc"):
            return str(command[2])
        import shlex

        return shlex.join(command)
    return command if isinstance(command, str) else ""


def exit_code_in(text: str) -> int | None:
    """Find the exit code in a tool's output, at the beginning, where agents put it."""
    found = _EXIT.search(text[:_FIRST])
    return int(found[1]) if found else None


def _only_command(values: Mapping[str, Any]) -> bool:
    return isinstance(values.get("command", values.get("cmd")), str | list)
