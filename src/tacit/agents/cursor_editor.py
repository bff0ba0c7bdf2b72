"""Cursor's editor: one large key-value database; a conversation lists its messages ("bubbles"), each under a key."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from tacit.agents.reading.json_lines import document, parsed
from tacit.agents.reading.readonly_sqlite import opened, row, tables
from tacit.agents.reading.tool_names import arguments_of, tool_of
from tacit.model.record import replace
from tacit.model.session import Role, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript, UnreadableTranscript
from tacit.text.loose_fields import Fields, cut, folder_at, items, mapping, text, whole, words

TABLES = ("cursorDiskKV", "ItemTable")
# A range of the key index: the table may hold tens of gigabytes.
_COMPOSERS = "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
_VALUE = "SELECT value FROM cursorDiskKV WHERE key = ?"
_ITEM = "SELECT value FROM ItemTable WHERE key = ?"
_LISTED = "composer.composerData"
_OLD_CHATS = "workbench.panel.aichat.view.aichat.chatdata"
_MOST_WORKSPACES = 500
_REFUSED = frozenset({"cancelled", "canceled", "rejected"})


def composers(path: Path) -> Iterator[Transcript]:
    """Return the conversations of an editor database."""
    scratch = SessionBuilder("cursor", str(path))
    present = tables(path)
    with opened(path, scratch) as connection:
        if connection and "cursorDiskKV" in present:
            for (key,) in connection.execute(_COMPOSERS).fetchall():
                id = str(key).partition(":")[2]
                fields = _json(row(connection, _VALUE, key), scratch)
                stamp = (len(_bubbles(fields)), whole(fields, "lastUpdatedAt", "createdAt") or 0)
                yield Transcript("cursor", path, partial(_read, path, id), id=id, stamp=stamp)
        if connection and "ItemTable" in present:
            old = _json(row(connection, _ITEM, _OLD_CHATS), scratch)
            for number, tab in enumerate(items(old, "tabs")):
                id = text(tab, "tabId") or f"{path.parent.name}-{number}"
                stamp = (len(items(tab, "bubbles")), whole(tab, "lastSendTime") or 0)
                yield Transcript("cursor", path, partial(_read_tab, path, tab), id=id, stamp=stamp)
    if scratch.reading.notes:
        yield UnreadableTranscript("cursor", path, scratch.reading.notes)


def _json(value: Any, builder: SessionBuilder) -> Fields:
    return mapping({"": parsed(value, builder, "a value")}, "") if isinstance(value, str | bytes) else {}


def _bubbles(fields: Fields) -> list[Any]:
    inline = items(fields, "conversation")
    inline = inline or [bubble for tab in items(fields, "tabs") for bubble in items(tab, "bubbles")]
    return items(fields, "fullConversationHeadersOnly") or inline


def _read(path: Path, id: str, builder: SessionBuilder) -> Iterator[Turn]:
    with opened(path, builder) as connection:
        if connection is None:
            return
        fields = _json(row(connection, _VALUE, f"composerData:{id}"), builder)
        builder.fill(title=text(fields, "name"), model=text(mapping(fields, "modelConfig"), "modelName"))
        builder.fill(cwd=text(mapping(fields, "workspaceIdentifier", "uri"), "fsPath", "path"))
        builder.fill(
            cwd=_folders(_storage(path), _changed(_storage(path))).get(id, ""),
            parent=text(mapping(fields, "subagentInfo"), "parentComposerId"),
        )
        for name in ("createdAt", "lastUpdatedAt"):
            builder.at(fields.get(name))
        for listed in _bubbles(fields):
            yield from _bubble(_whole(connection, id, listed, fields, builder), builder)


def _whole(connection: sqlite3.Connection, id: str, listed: Any, fields: Fields, builder: SessionBuilder) -> Fields:
    """Return a bubble (one message): the list of a conversation contains it or refers to it by its key."""
    name = text(listed, "bubbleId")
    if text(listed, "text", "rawText", "content") or mapping(listed, "toolFormerData"):
        return mapping({"": listed}, "")
    found = _json(row(connection, _VALUE, f"bubbleId:{id}:{name}"), builder) if name else {}
    found = found or mapping(fields, "conversationMap", name)
    if not found:
        builder.broken += 1
        builder.note("some listed messages are missing")
    return found


def _read_tab(path: Path, tab: Any, builder: SessionBuilder) -> Iterator[Turn]:
    builder.fill(title=text(tab, "chatTitle"), cwd=_workspace(path.parent))
    builder.at(mapping({"": tab}, "").get("lastSendTime"))
    for bubble in items(tab, "bubbles"):
        yield from _bubble(mapping({"": bubble}, ""), builder)


def _bubble(bubble: Fields, builder: SessionBuilder) -> Iterator[Turn]:
    kind = bubble.get("type", bubble.get("role"))
    if not bubble:
        return
    role: Role = "user" if kind in (1, "user") else "assistant"
    if kind not in (1, 2, "user", "ai", "assistant"):
        builder.strange(f"bubble.{kind}"[:40])
    builder.fill(cwd=_place(bubble))
    turn = Turn(role=role, at=builder.at(bubble.get("createdAt")), sidechain=bool(builder.parent))
    said = text(bubble, "text", "rawText", "content", "message") or words(bubble.get("message"))
    if said.strip():
        yield replace(turn, text=said)
    former = mapping(bubble, "toolFormerData")
    if name := text(former, "name", "tool"):
        tool = tool_of(name, former.get("rawArgs") or former.get("params"), text(former, "toolCallId"))
        yield replace(turn, tool=tool, outcome=_outcome(former))


def _outcome(former: Fields) -> ToolOutcome:
    """Read how a call ended: the result is JSON in a text, the exit code one of its fields."""
    result = former.get("result")
    values = arguments_of(result)
    output = text(values, "output", "contents", "stdout", "error") or words(values) or words(result)
    status = text(former, "status").lower()
    if status in _REFUSED or text(former, "userDecision") == "rejected" or values.get("rejected") is True:
        return ToolOutcome(output=cut(output), refused=True)
    code = whole(values, "exitCodeV2", "exitCode", "exit_code")
    failed = text(values, "error") or text(mapping(former, "error"), "message")
    status = "error" if text(mapping(former, "additionalData"), "status") == "error" else status
    ok = {"completed": True, "success": True, "error": False, "failed": False}.get(status)
    return ToolOutcome(ok=False if code not in (None, 0) else ok, exit_code=code, output=cut(output or failed))


def _place(bubble: Fields) -> str:
    uris = [uri for uri in items(bubble, "workspaceUris") if isinstance(uri, str)]
    return text(bubble, "workspaceProjectDir") or (folder_at(uris[0]) if uris else "")


def _workspace(folder: Path) -> str:
    return folder_at(text(document(folder / "workspace.json", SessionBuilder("", "")), "folder", "workspace"))


def _storage(path: Path) -> Path:
    return path.parent.parent / "workspaceStorage"


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(4)
def _folders(storage: Path, _changed_at: int) -> dict[str, str]:
    """Find the folder of each conversation: each workspace database lists the conversations of its folder."""
    found: dict[str, str] = {}
    for database in sorted(storage.glob("*/state.vscdb"))[:_MOST_WORKSPACES]:
        folder = _workspace(database.parent)
        scratch = SessionBuilder("", "")
        with opened(database, scratch) as connection:
            listed = _json(row(connection, _ITEM, _LISTED), scratch) if connection and folder else {}
            for one in items(listed, "allComposers"):
                found[text(one, "composerId")] = folder
    return found
