"""The folder tree of a loop engine: lessons in all states, memories, skills, personas, teams, and phases of tasks."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from tacit.errors import UsageError
from tacit.exchange.readers.import_batch import (
    ForeignItem,
    ForeignLink,
    ImportBatch,
    counts,
    tag_texts,
    texts,
    time_of,
    title_of,
)
from tacit.exchange.readers.untrusted_files import ForeignFile, SplitFile, folder_of, json_of, pages, parted, plain_yaml
from tacit.model.lesson import CONFIDENCES, QUOTE_CHARS
from tacit.model.link import CITES, DERIVED_FROM, MEMBER_OF, SUPERSEDES
from tacit.text.loose_fields import items, mapping, text
from tacit.text.safe_yaml import read_yaml
from tacit.text.slug import slug_of

FORM = "loop-engine"
_ROOMS = ("lessons", "memories", "skills", "personas", "teams", "phase_ledger")
_LESSON_CLAIMS = (
    "status", "authored_by", "pack_id", "external_id", "applied_count", "last_applied_at", "thumbs_up_count",
    "thumbs_down_count", "external_signal_sources", "created_at", "promotion_eligible_at", "superseded_by",
)  # fmt: skip
# What others made of a lesson has to be earned here; only what speaks against it is taken over.
_AGAINST = ("discarded", "superseded")
_CREW = {"skills": ("skill", "SKILL.md"), "personas": ("persona", "PERSONA.md"), "teams": ("team", "TEAM.md")}
_SKILL_WORDS = {
    "version": "skill_version", "when_to_use": "when_to_use", "argument-hint": "argument_hint", "model": "model",
    "agent": "agent",
}  # fmt: skip
_CHOICES = {
    "type": ("generative", "analytical"), "effort": ("low", "medium", "high", "other"), "context": ("inherit", "fork"),
    "activation": ("auto", "path", "user", "path_triggered", "user_triggered"),
}  # fmt: skip


def read(path: Path) -> ImportBatch:
    """Read the tree of one user, or one with tenants inside."""
    batch = ImportBatch(FORM)
    root = folder_of(path, "a loop engine")
    if not any((root / room).is_dir() for room in (*_ROOMS, "tenants")):
        raise UsageError(
            f"{root} has neither lessons nor memories in it", "give the path of the folder that LOOP_HOME points to"
        )
    for page in pages(root, batch, ".md", ".yaml"):
        parts = PurePosixPath(page.name).parts
        # Others than the local tenant have their tree one folder down.
        room = next((number for number, part in enumerate(parts) if part in _ROOMS), -1)
        if room < 0:
            continue
        inner = parts[room:]
        match inner:
            case ("lessons", state, _name) if page.name.endswith(".md"):
                _lesson(batch, page, state)
            case ("memories", _name) if page.name.endswith(".md"):
                _memory(batch, page)
            case (("skills" | "personas" | "teams") as crew, _id, name) if name == _CREW[crew][1]:
                _member(batch, page, crew)
            case ("phase_ledger", task, _name) if page.name.endswith(".yaml"):
                _phase(batch, page, task)
    return batch


def _parted(batch: ImportBatch, page: ForeignFile) -> SplitFile | None:
    found = parted(page.text, page.name)
    if found.wrong:
        batch.skip(page.name, found.wrong)
        return None
    return found


def _lesson(batch: ImportBatch, page: ForeignFile, state: str) -> None:
    found = _parted(batch, page)
    if found is None:
        return
    top, body, _ = found
    description = " ".join(text(top, "description").split()) or title_of(body)
    if not description:
        batch.skip(page.name, "a lesson without a description")
        return
    narrative, cited = _narrative(mapping(top, "causal_narrative"))
    replaced = text(top, "superseded_by")
    ties = [ForeignLink(CITES, "note", id) for id in cited]
    ties += [ForeignLink(SUPERSEDES, "lesson", replaced, incoming=True)] if replaced and state == "superseded" else []
    batch.add(ForeignItem(
        kind="lesson", id=text(top, "id") or Path(page.name).stem, title=description[:300], where=page.name,
        at=time_of(top, "created_at"), status=state if state in _AGAINST else "candidate",
        fields={"body": body.strip(), "narrative": narrative, "target_skill": text(top, "target_skill")[:200]},
        claimed={"state": state[:40]} | counts(top, *_LESSON_CLAIMS), ties=tuple(ties),
    ))  # fmt: skip


def _narrative(value: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the narrative of a lesson, and the ids of the memories that it cites; quotes stay in the narrative."""
    told = {name: text(value, name).strip() for name in ("trigger", "failure_mode", "correction")}
    cited: list[str] = []
    evidence: list[dict[str, str]] = []
    for one in items(value, "evidence_refs"):
        quote = one if isinstance(one, str) else text(one, "quote")
        if memory := text(one, "memory"):
            cited.append(memory)
        elif quote:
            evidence.append({"kind": "quote", "ref": quote[:QUOTE_CHARS]})
    if not all(told.values()):
        return None, cited
    confidence = text(value, "confidence")
    # Without evidence that came along nothing was observed, as far as anybody here can tell.
    sure = confidence if confidence in CONFIDENCES and (confidence != "observed" or evidence) else "inferred"
    return {**told, "confidence": sure, "evidence": evidence, "by": text(value, "generated_by") or "unknown"}, cited


def _memory(batch: ImportBatch, page: ForeignFile) -> None:
    found = _parted(batch, page)
    if found is None:
        return
    top, body, _ = found
    if not body.strip():
        batch.skip(page.name, "it is empty")
        return
    ties = tuple(ForeignLink(DERIVED_FROM, "note", id) for id in texts(top.get("derived_from")))
    claimed = counts(top, "consumed_by_user_lessons", "scope", "created_at") | counts(
        mapping(top, "origin"), "host", "session_id", "model", "cwd_basename"
    )
    if scope := mapping(top, "scope"):
        claimed["scope"] = {str(name)[:40]: str(id)[:200] for name, id in list(scope.items())[:1]}
    batch.add(ForeignItem(
        kind="note", id=text(top, "id") or Path(page.name).stem, body=body.strip(), where=page.name, ties=ties,
        title=(" ".join(text(top, "description").split()) or title_of(body))[:300], claimed=claimed,
        at=time_of(top, "created_at"),
    ))  # fmt: skip


def _member(batch: ImportBatch, page: ForeignFile, crew: str) -> None:
    found = _parted(batch, page)
    if found is None:
        return
    top, body, _ = found
    kind = _CREW[crew][0]
    id = PurePosixPath(page.name).parts[-2]
    name = " ".join(text(top, "name").split()) or id
    fields: dict[str, Any] = {"description": text(top, "description")[:4_000]}
    if kind == "skill":
        fields |= _skill(top)
    if kind == "team":
        fields["members"] = [member for one in items(top, "members") if (member := _team_member(one))]
    belong = tuple(
        ForeignLink(MEMBER_OF, one["kind"], one["id"], incoming=True)
        for one in fields.get("members", ())
        if one["kind"] != "user"
    )
    status = text(top, "status").lower()
    batch.add(ForeignItem(
        kind=kind, id=slug_of(text(top, "id") or id), title=name[:200], body=body.strip(), fields=fields,
        where=page.name, status=status if status in ("draft", "active", "archived") else "active",
        tags=tag_texts(top.get("tags")), claimed=counts(top, "authored_by", "status", "evidence_refs"), ties=belong,
    ))  # fmt: skip


def _skill(top: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {ours: text(top, theirs)[:1_000] for theirs, ours in _SKILL_WORDS.items()}
    for name, known in _CHOICES.items():
        if (said := text(top, name).lower()) in known:
            found[name] = {"path_triggered": "path", "user_triggered": "user"}.get(said, said)
    tools = top.get("allowed-tools", top.get("allowed_tools"))
    found["allowed_tools"] = texts(tools.replace(",", " ").split() if isinstance(tools, str) else tools)
    found |= {"arguments": texts(top.get("arguments")), "paths": texts(top.get("paths"))}
    # What a host may run is kept as it was written; nothing here runs it.
    return found | {"hooks": json_of(json.dumps(dict(mapping(top, "hooks")), default=str, skipkeys=True)) or {}}


def _team_member(value: Any) -> dict[str, str]:
    if isinstance(value, str) and value.strip():
        return {"kind": "user", "id": value.strip()[:200]}
    kind, id = text(value, "kind").lower(), text(value, "id")
    return (
        {"kind": kind, "id": slug_of(id) if kind != "user" else id[:200]}
        if id and kind in ("persona", "skill", "user")
        else {}
    )


def _phase(batch: ImportBatch, page: ForeignFile, task: str) -> None:
    try:
        value = plain_yaml(read_yaml(page.text, page.name))
    except UsageError as error:
        batch.skip(page.name, error.message)
        return
    phase = text(value, "phase") or Path(page.name).stem
    logged = time_of(value, "logged_at", "timestamp", "at")
    batch.add(ForeignItem(
        kind="phase", id=f"{task}/{phase}", title=phase, body=text(value, "note"), fields={"task": task}, at=logged,
        where=page.name, claimed={"logged_at": logged.isoformat()} if logged else {},
    ))  # fmt: skip
