"""memory_tool.*: the six commands of the memory tool on the memory directory of this project, with the same checks."""

from __future__ import annotations

import msgspec

from tacit.app.memory import Memory
from tacit.doors.rpc.method_table import Answer, Params, method


class ViewPath(Params, frozen=True):
    """A file or folder under /memories."""

    path: str
    view_range: tuple[int, int] | None = None


class Create(Params, frozen=True):
    """A new file."""

    path: str
    file_text: str


class StrReplace(Params, frozen=True):
    """A text that occurs in a file once, and its replacement."""

    path: str
    old_str: str
    new_str: str = ""


class Insert(Params, frozen=True):
    """A text, and the line after which to insert it; 0 means before the first."""

    path: str
    insert_line: int
    insert_text: str


class Delete(Params, frozen=True):
    """A file or a folder."""

    path: str


class Rename(Params, frozen=True):
    """A file or folder, and its new name."""

    old_path: str
    new_path: str


@method("memory_tool.view", ViewPath)
def view(m: Memory, p: ViewPath) -> Answer:
    """Show a folder, or a file with line numbers."""
    return _run(m, "view", p)


@method("memory_tool.create", Create)
def create(m: Memory, p: Create) -> Answer:
    """Create a new file. An existing file is never overwritten."""
    return _run(m, "create", p)


@method("memory_tool.str_replace", StrReplace)
def str_replace(m: Memory, p: StrReplace) -> Answer:
    """Replace a text that occurs in a file exactly once."""
    return _run(m, "str_replace", p)


@method("memory_tool.insert", Insert)
def insert(m: Memory, p: Insert) -> Answer:
    """Insert a text after a line."""
    return _run(m, "insert", p)


@method("memory_tool.delete", Delete)
def delete(m: Memory, p: Delete) -> Answer:
    """Delete a file, or a folder with everything in it."""
    return _run(m, "delete", p)


@method("memory_tool.rename", Rename)
def rename(m: Memory, p: Rename) -> Answer:
    """Rename a file or folder. An existing file is never overwritten."""
    return _run(m, "rename", p)


def _run(m: Memory, command: str, params: Params) -> Answer:
    given = {name: value for name, value in msgspec.structs.asdict(params).items() if value is not None}
    if "view_range" in given:
        given["view_range"] = list(given["view_range"])
    return {"text": m.memdir.tool(writes=command != "view").call({"command": command, **given})}
