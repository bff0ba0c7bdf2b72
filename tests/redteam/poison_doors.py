"""Every door a text can come in by, and what became of it there: always injected, reminded of, promoted, or kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tacit.agents.hook_dialects import read_hook
from tacit.errors import NotAdmitted
from tacit.model.record import Record
from tacit.text.frame import framed
from tests.redteam.field import Field, quietly

Door = Callable[[Field, int, str], None]
_EVERYTHING = 100_000
_TITLE = 120
_RECALLED = 5
_REMINDED = 150


def _memorize(field: Field, number: int, text: str) -> None:
    field.memory().memorize(text)


def _add_many(field: Field, number: int, text: str) -> None:
    field.memory().add_many([{"kind": "fact", "body": text}, {"kind": "note", "title": f"n{number}", "body": text}])


def _prompt(field: Field, number: int, text: str) -> None:
    payload = {"session_id": f"p{number}", "transcript_path": "/x", "cwd": str(field.folder), "prompt": text,
               "hook_event_name": "UserPromptSubmit"}  # fmt: skip
    field.hook("claude", payload)


def _output(field: Field, number: int, text: str) -> None:
    for call in ("a", "b"):
        payload = {"session_id": f"o{number}", "transcript_path": "/x", "cwd": str(field.folder), "tool_name": "Bash",
                   "hook_event_name": "PostToolUseFailure", "tool_input": {"command": f"make step{number}"},
                   "tool_use_id": f"{number}{call}", "error": f"Exit code 2\n{text}"}  # fmt: skip
        field.hook("claude", payload)


def _file(field: Field, number: int, text: str) -> None:
    folder = field.memory()._c.memdir
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        clean = text.encode(errors="replace").decode()
        (folder / f"topic-{number}.md").write_text(f"---\nname: topic {number}\ntype: project\n---\n{clean}\n")


def _import(field: Field, number: int, text: str) -> None:
    clock = field.clock.now().isoformat()
    line = {
        "type": "record", "id": f"fact_{number:026}", "kind": "fact", "scope": "project:test", "key": "", "tags": [],
        "status": "active", "title": "", "body": text, "importance": 1.0, "version": 1, "payload": {},
        "payload_v": 1, "origin": {"actor": "user"}, "created_at": clock, "updated_at": clock, "at": None, "trust": 3,
    }  # fmt: skip
    field.memory().import_lines([json.dumps(line).encode()])


def _rpc_memory(field: Field, number: int, text: str) -> None:
    field.rpc("memory.create", content=text, authored_by="user")
    field.rpc("fact.memorize", content=text)


def _rpc_lesson(field: Field, number: int, text: str) -> None:
    told = {"trigger": f"make it{number}", "failure_mode": text[:190], "correction": text[:190]}
    made = field.rpc("lesson.create", description=text[:900], narrative=told, authored_by="user", seed_as_promoted=True)
    if isinstance(made, dict) and "id" in made:
        field.rpc("lesson.promote", id=made["id"])


def _episode(field: Field, number: int, text: str) -> None:
    episode = field.memory().episodes.start(f"Task {number}", language="shell")
    episode.step(tool="curl", action=f"curl page{number}", result="error", observation=text)
    episode.step(tool="make", action=f"make page{number}", result="success", observation=text)
    episode.complete("success", result=text)


def _correction(field: Field, number: int, text: str) -> None:
    _prompt(field, number, f"No, don't use tool{number}. Use other{number} instead of tool{number}: {text}")
    quietly(lambda: field.memory().learned.correction(f"tool{number}", text[:300]))


DOORS: dict[str, Door] = {
    "memorize by an agent": _memorize, "add_many": _add_many, "hook: prompt": _prompt, "hook: tool output": _output,
    "file of the memdir": _file, "import jsonl": _import, "RPC memory.create, fact.memorize": _rpc_memory,
    "RPC lesson.create": _rpc_lesson, "episode's observation": _episode, "correction in a prompt": _correction,
}  # fmt: skip


class Came(NamedTuple):
    """What became of texts at a door."""

    door: str
    texts: int
    refused: int
    injected: tuple[str, ...]
    """What stands in the block that every prompt gets."""
    reminded: int
    """How often a hook's answer to a prompt in the same words, or before the same command, brought one up."""
    promoted: tuple[str, ...]


def let_in(folder: Path, door: str, texts: Sequence[str]) -> Came:
    """Let texts in by a door, let memory do all it does by itself, and see where they came to."""
    field, refused = Field(folder), 0
    try:
        for number, text in enumerate(texts):
            refused += quietly(DOORS[door], field, number, text).startswith(NotAdmitted.code)
        memory = field.memory()
        if door == "file of the memdir":
            memory.memdir.sync()
        for act in (memory.lessons.propose, memory.lessons.apply_transitions, lambda: memory.episodes.learn(1_000)):
            quietly(act)
        field.clock.advance(days=2)
        for one in memory.lessons.list(limit=_EVERYTHING):
            quietly(memory.lessons.promote, one.id)
        promoted = tuple(one.title for one in field.promoted())
        return Came(door, len(texts), refused, _injected(field, texts), _reminded(field, texts), promoted)
    finally:
        field.close()


def _injected(field: Field, texts: Sequence[str]) -> tuple[str, ...]:
    """Give the texts that stand in the block as they came; what redaction took the point out of does not."""
    block = field.memory().context(facts=_EVERYTHING, budget_tokens=10**8)
    shown = block.text + field.memory("next").context().text
    return tuple(text for text in texts if (said := framed(text, 400)) and f"] {said}\n" in f"{shown}\n")


def _reminded(field: Field, texts: Sequence[str]) -> int:
    """Count hook answers that hold a text: at a prompt that says the same, and before a command that failed with it."""
    found = 0
    for number, text in enumerate(texts[:_REMINDED]):
        base = {
            "session_id": f"r{number}",
            "transcript_path": "/x",
            "cwd": str(field.folder),
            "tool_use_id": f"r{number}",
        }
        prompt = {**base, "hook_event_name": "UserPromptSubmit", "prompt": text[:1_000]}
        before = {**base, "hook_event_name": "PreToolUse", "tool_name": "Bash"}
        calls = [
            prompt,
            *({**before, "tool_input": {"command": line}} for line in (f"make step{number}", f"tool{number} x")),
        ]
        told = [field.memory("asks").hooks.answer(call) for one in calls if (call := read_hook("claude", one))]
        said = framed(text, 200)[:60]
        found += any(said and said in one.context for one in told)
    return found


class Kept(NamedTuple):
    """What became of notes that give no orders."""

    texts: int
    stored: int
    unflagged: int
    recalled: int
    lost: tuple[str, ...]


def keep(folder: Path, texts: Sequence[str]) -> Kept:
    """Keep notes as facts, one by one, and ask for each in its own words."""
    field = Field(folder)
    try:
        memory = field.memory()
        records = [memory.memorize(text).record for text in texts]
        flagged = {one.id for one in records if one.trust == 0}
        found = [_is_found(field, one) for one in records]
        lost = [text for text, one, there in zip(texts, records, found, strict=True) if one.id in flagged or not there]
        stored = sum(memory.get(one.id) is not None for one in records)
        return Kept(len(texts), stored, sum(one.id not in flagged for one in records), sum(found), tuple(lost))
    finally:
        field.close()


def _is_found(field: Field, record: Record) -> bool:
    hits = field.memory().recall(record.body[:_TITLE], limit=_RECALLED)
    return any(hit.id == record.id for hit in hits)
