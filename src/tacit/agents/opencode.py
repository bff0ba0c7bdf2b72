"""OpenCode: sessions, messages and their parts, in a database, in one of two layouts of small files, or exported."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tacit.agents.agent import Agent, HookDialect, McpServers, Places, SettingsLocation
from tacit.agents.hook_dialects import decision, made_by
from tacit.agents.reading.json_lines import document, parsed
from tacit.agents.reading.readonly_sqlite import opened, row
from tacit.agents.reading.tool_names import tool_of
from tacit.files.plain_file import open_plain
from tacit.model.record import replace
from tacit.model.session import Role, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript, UnreadableTranscript
from tacit.text.loose_fields import Fields, cut, flag, items, mapping, text, whole, words
from tacit.text.patterns import lazy_pattern

TABLES = frozenset({"session", "message", "part"})
_SESSIONS = "SELECT id FROM session ORDER BY id"
_SESSION = "SELECT * FROM session WHERE id = ?"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY id"
_PARTS = "SELECT data FROM part WHERE message_id = ? ORDER BY id"
_LONGEST = 200
_EXPORTED = lazy_pattern(r'\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses')
_LAST = "SELECT MAX(rowid) FROM message WHERE session_id = ?"
_SILENT = frozenset({
    "step-start", "step-finish", "reasoning", "snapshot", "file", "patch", "compaction", "agent", "retry", "subtask",
})  # fmt: skip
_REFUSED = (
    "the user rejected permission", "the user has specified a rule which prevents", "tool execution aborted",
    "stopped by tacit: ",
)  # fmt: skip
# What stands behind the output of a command that the user stopped, and that is completed all the same.
_STOPPED = "User aborted the command\n</shell_metadata>"


class OpenCodeFolders(NamedTuple):
    """The folders of OpenCode's tree of files: for sessions, for their messages and for the parts of messages."""

    sessions: Path
    messages: Path
    parts: Path
    oldest: bool = False
    """Whether parts are in one folder per session too."""


def tree_at(path: Path) -> OpenCodeFolders | None:
    """Return the folders for sessions, messages and parts below a folder, in either layout; None if it has neither."""
    own = path / "session"
    if (own / "info").is_dir() and (own / "message").is_dir():
        return OpenCodeFolders(own / "info", own / "message", own / "part", oldest=True)
    if own.is_dir() and (path / "message").is_dir():
        return OpenCodeFolders(own, path / "message", path / "part")
    return None


def tree_of(path: Path) -> OpenCodeFolders | None:
    """Return the tree whose top is this path or one of its parent folders; None if there is none."""
    return next((tree for folder in (path, *path.parents) if (tree := tree_at(folder))), None)


def owns_sample(sample: bytes) -> bool:
    """Return whether a file begins as what `opencode export` prints: the fields of a session, then its messages."""
    return _EXPORTED.match(sample[:_LONGEST].decode("utf-8", "replace").lstrip("\ufeff")) is not None


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the sessions of a database or a tree, of an export, or of a file or folder of the tree."""
    tree = tree_of(path)
    if path.is_file() and owns_sample(_begin(path)):
        yield Transcript("opencode", path, partial(_read_export, path))
    elif path.is_file() and tree is None:
        yield from _of_database(path)
    elif tree is not None and path.is_file():
        yield _of_tree(path, tree)
    elif tree is not None:
        name = f"*{path.name}.json" if path.parent == tree.messages else "*.json"
        for file in sorted(tree.sessions.rglob(name)):
            yield _of_tree(file, tree)


def _begin(path: Path) -> bytes:
    try:
        with open_plain(path) as file:
            return file.read(_LONGEST)
    except OSError:
        return b""


def _read_export(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    found = document(path, builder)
    info = mapping(found, "info")
    _heading(info, builder)
    for name in ("created", "updated"):
        builder.at(mapping(info, "time").get(name))
    for one in items(found, "messages"):
        message = mapping(one, "info")
        if message:
            yield from _turns(message, items(one, "parts"), builder)
        else:
            builder.broken += 1


def _of_database(path: Path) -> Iterator[Transcript]:
    scratch = SessionBuilder("opencode", str(path))
    with opened(path, scratch) as connection:
        if connection is not None:
            for (id,) in connection.execute(_SESSIONS).fetchall():
                updated = mapping_of(connection, id).get("time_updated")
                stamp = (int(row(connection, _LAST, id) or 0), updated if isinstance(updated, int) else 0)
                yield Transcript("opencode", path, partial(_read_database, path, id), id=str(id), stamp=stamp)
    if scratch.reading.notes:
        yield UnreadableTranscript("opencode", path, scratch.reading.notes)


def mapping_of(connection: Any, id: Any) -> dict[str, Any]:
    """Return the row of a session as fields. The columns depend on the version."""
    found = connection.execute(_SESSION, (id,))
    names = [column[0] for column in found.description]
    values = found.fetchone()
    return dict(zip(names, values, strict=True)) if values else {}


def _read_database(path: Path, id: Any, builder: SessionBuilder) -> Iterator[Turn]:
    with opened(path, builder) as connection:
        if connection is None:
            return
        fields = mapping_of(connection, id)
        _heading({**fields, "parentID": fields.get("parent_id")}, builder)
        for name in ("time_created", "time_updated"):
            builder.at(fields.get(name))
        for message, given in connection.execute(_MESSAGES, (id,)):
            data = parsed(given or b"", builder, f"message {message}")
            parts = (
                parsed(part or b"", builder, "a part") for (part,) in connection.execute(_PARTS, (message,)).fetchall()
            )
            yield from _turns({**(data if isinstance(data, dict) else {}), "id": message}, parts, builder)


def _of_tree(file: Path, tree: OpenCodeFolders) -> Transcript:
    return Transcript("opencode", file, partial(_read_tree, file, tree), stamp=_tree_stamp(file, tree))


def _tree_stamp(file: Path, tree: OpenCodeFolders) -> tuple[int, int]:
    """Return the number and the newest time of a session's files, which show whether the session has grown."""
    id = file.stem.removeprefix("ses_")
    times, count = [0], 0
    for folder in (tree.messages / file.stem, tree.messages / id):
        if folder.is_dir():
            found = [one.stat().st_mtime_ns for one in folder.glob("*.json")]
            times, count = times + found, count + len(found)
    try:
        return count, max(*times, file.stat().st_mtime_ns)
    except OSError:
        return count, max(times)


def _read_tree(file: Path, tree: OpenCodeFolders, builder: SessionBuilder) -> Iterator[Turn]:
    found = document(file, builder)
    fields = found if isinstance(found, dict) else {}
    _heading(fields, builder)
    for name in ("created", "updated"):
        builder.at(mapping(fields, "time").get(name))
    session = _safe(builder.id or file.stem)
    folder = tree.messages / session
    flat = _flat_parts(tree, builder)
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        message = document(path, builder)
        if not isinstance(message, dict):
            continue
        id = text(message, "id") or path.stem
        own = (tree.parts / session if tree.oldest else tree.parts) / _safe(id)
        parts = [document(part, builder) for part in sorted(own.glob("*.json"))] if own.is_dir() else flat.get(id, [])
        yield from _turns(message, parts, builder)


def _safe(name: str) -> str:
    """Return a name that was read from a file; "none" if the name could lead out of the tree."""
    return name if name not in (".", "..") and "/" not in name and len(name.encode()) < _LONGEST else "none"


def _flat_parts(tree: OpenCodeFolders, builder: SessionBuilder) -> dict[str, list[Any]]:
    """Read the parts of the older tree, which are in one folder for all messages."""
    found: dict[str, list[Any]] = {}
    for path in sorted(tree.parts.glob("*.json")):
        part = document(path, builder)
        if isinstance(part, dict):
            found.setdefault(text(part, "messageID"), []).append(part)
    return found


def _heading(fields: Fields, builder: SessionBuilder) -> None:
    builder.fill(
        id=text(fields, "id"), cwd=text(fields, "directory"), title=text(fields, "title"),
        parent=text(fields, "parentID"),
    )  # fmt: skip


def _turns(message: Fields, parts: Iterable[Any], builder: SessionBuilder) -> Iterator[Turn]:
    role: Role = "user" if text(message, "role") == "user" else "assistant"
    builder.fill(model=text(message, "modelID") or text(mapping(message, "model"), "modelID"))
    at = builder.at(mapping(message, "time").get("created"))
    aborted = text(mapping(message, "error"), "name") == "MessageAbortedError"
    cwd = text(mapping(message, "path"), "cwd")
    turn = Turn(role=role, at=at, cwd=builder.elsewhere(cwd) if cwd else "", sidechain=bool(builder.parent))
    said = False
    for part in parts:
        kind = text(part, "type")
        if kind == "text":
            injected = role == "user" and flag(part, "synthetic", "ignored")
            said = said or bool(text(part, "text").strip())
            if text(part, "text").strip():
                words = text(part, "text") if role == "assistant" else _unquoted(text(part, "text"))
                yield replace(turn, text=words, role="system" if injected else role)
        elif kind == "tool":
            yield _tool(part, turn, builder, aborted=aborted)
        elif kind not in _SILENT:
            builder.strange(f"part.{kind}" if kind else "part")
    summary = text(mapping(message, "summary"), "body", "title")
    if role == "user" and not said and summary:
        # Parts may have been deleted; then this is what is left of the prompt.
        yield replace(turn, text=summary)


def _unquoted(prompt: str) -> str:
    """Return a prompt without the quotes that `opencode run` puts around one with blanks."""
    inner = prompt.strip()[1:-1]
    plain = inner.replace('\\"', "")
    is_one = prompt.strip() == f'"{inner}"' and '"' not in plain and " " in inner
    return inner.replace('\\"', '"') if is_one else prompt


def _tool(part: Fields, turn: Turn, builder: SessionBuilder, *, aborted: bool) -> Turn:
    state = mapping(part, "state")
    arguments = mapping(state, "input")
    tool = tool_of(text(part, "tool") or "unknown", arguments, text(part, "callID"))
    cwd = text(arguments, "workdir", "cwd")
    at = builder.at(mapping(state, "time").get("start")) or turn.at
    outcome = _outcome(state, aborted=aborted)
    return replace(turn, at=at, cwd=builder.elsewhere(cwd) if cwd else turn.cwd, tool=tool, outcome=outcome)


def _outcome(state: Fields, *, aborted: bool) -> ToolOutcome:
    """Read how a call ended: completed with an exit code other than 0 is a failure."""
    status = text(state, "status")
    output = words(state.get("output")) or text(state, "error")
    code = whole(mapping(state, "metadata"), "exit", "exitCode", "exit_code")
    refused = output[:200].lower().removeprefix("error: ").startswith(_REFUSED)
    refused = refused or output.rstrip().endswith(_STOPPED)
    if refused or (aborted and status in ("pending", "running")):
        return ToolOutcome(output=cut(output), refused=True)
    ok = {"completed": True, "success": True, "error": False}.get(status)
    return ToolOutcome(ok=False if code not in (None, 0) else ok, exit_code=code, output=cut(output))


def _folder(places: Places) -> Path:
    return places.folder("OPENCODE_CONFIG_DIR", places.config / "opencode")


def _settings(places: Places) -> Path:
    """Return the settings file: the plain one, unless there is only the one with comments, which OpenCode makes."""
    plain, commented = (_folder(places) / name for name in ("opencode.json", "opencode.jsonc"))
    return commented if commented.exists() and not plain.exists() else plain


def _files(line: str) -> dict[str, str]:
    """Make the plugin: JavaScript that calls the hook program with Claude Code's payloads."""
    source = Path(__file__).with_name("opencode_plugin.js").read_text()
    return {
        "tacit.js": f"// {made_by(line, 'opencode')}\n" + source.replace('["@LINE@"]', json.dumps(shlex.split(line)))
    }


AGENT = Agent(
    name="opencode", sessions=sessions,
    files=("*.db", "storage/session/*/*.json", "project/*/storage/session/info/*.json"),
    folders=lambda places: [places.folder("OPENCODE_DATA_DIR", places.state / "opencode")],
    hooks=HookDialect(
        # The plugin sends these.
        events=dict.fromkeys((
            "PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "PreCompact", "Stop",
        ), ""),
        settings=SettingsLocation(lambda places: _folder(places) / "plugins", ".opencode/plugins"),
        heard=("prompt", "before_tool", "session_start", "after_tool"),
        # A plugin cannot ask the user.
        answer=partial(decision, asks=False), files=_files,
        mcp=McpServers(
            _settings, "opencode.json", "mcp",
            entry=lambda program: {"type": "local", "command": [program, "mcp"], "enabled": True},
        ),
    ),
)  # fmt: skip
