"""Procedures as files: YAML to read and edit, JSON lines for transfer, and the older JSON lines of terraphim."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from tacit.errors import UsageError
from tacit.model.payload import is_struct, plain, shaped
from tacit.model.procedure import DisabledReason, Parameter, Procedure, ProcedureStep
from tacit.model.record import Record, payload_of
from tacit.model.timestamps import stamp
from tacit.text.safe_yaml import read_yaml, write_yaml

Format = Literal["yaml", "jsonl"]
STATUSES = ("active", "draft", "disabled")
# Field names of the older format, and fields that are not imported: counts of runs on other machines.
_OLD_STEP = {"working_dir": "cwd"}
_OLD_ONLY = frozenset({"ordinal", "confidence", "updated_at", "created_at", "id"})


class ProcedureDocument(NamedTuple):
    """A procedure as it is written in a file."""

    title: str
    slug: str
    payload: Procedure
    tags: tuple[str, ...] = ()
    status: str = "active"


def written(record: Record) -> dict[str, Any]:
    """Return a procedure as plain values in reading order, without run counts."""
    payload = plain(payload_of(record, Procedure))
    fields = ("description", "triggers", "parameters", "steps", "disabled", "source_session")
    own = {name: payload[name] for name in fields if payload.get(name)}
    head = {"slug": record.key, "title": record.title, "status": record.status}
    return head | ({"tags": list(record.tags)} if record.tags else {}) | own


def write(records: Iterable[Record], format: Format) -> str:
    """Write procedures as one file."""
    values = [written(record) for record in records]
    if format == "yaml":
        return write_yaml({"procedures": values})
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def older(record: Record, runs: int, successes: int) -> str:
    """Return a procedure as one line of the older format. Fields that this format lacks keep our names."""
    own = written(record)
    steps = []
    for number, step in enumerate(own.pop("steps", []), 1):
        old = {"ordinal": number, "command": step.pop("command"), "working_dir": step.pop("cwd", None)}
        old |= {name: step.pop(name, None) for name in ("precondition", "postcondition")}
        old |= {"privileged": step.pop("privileged", False), "tags": step.pop("tags", [])}
        steps.append(old | step)
    score = successes / runs if runs else 0.0
    line = {
        "id": record.id, "title": own.pop("title"), "description": own.pop("description", ""), "steps": steps,
        "confidence": {"success_count": successes, "failure_count": runs - successes, "score": score},
        "tags": own.pop("tags", []), "created_at": stamp(record.created_at), "updated_at": stamp(record.updated_at),
        "source_session": own.pop("source_session", None),
        # The older format has no drafts: what is not enabled here must not be offered there.
        "disabled": record.status != "active",
    }  # fmt: skip
    del own["status"]
    own.pop("disabled", None)
    return json.dumps(line | own, ensure_ascii=False) + "\n"


def read(text: str, what: str) -> list[ProcedureDocument]:
    """Parse procedures from YAML (one, a list, or under `procedures`) or from JSON lines, ours or the older ones."""
    return [_read(value, f"{what}, procedure {number}") for number, value in enumerate(_values(text, what), 1)]


def _values(text: str, what: str) -> Iterator[Any]:
    if text.lstrip().startswith("{"):
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(
                    f"{what}, line {number} is not JSON: {error}", "fix that line; nothing was stored"
                ) from None
        return
    value = read_yaml(text, what)
    if value is None:
        return
    if isinstance(value, dict) and "procedures" in value:
        value = value["procedures"]
    yield from value if isinstance(value, list) else [value]


def _read(value: Any, what: str) -> ProcedureDocument:
    if not isinstance(value, dict) or not isinstance(value.get("title"), str) or not value["title"].strip():
        raise UsageError(f"{what} has no title", "a procedure needs a title and steps")
    known = {"slug", "title", "status", "tags", *Procedure.__struct_fields__} - {"windows"} | _OLD_ONLY
    if unknown := sorted(str(name) for name in set(value) - known):
        raise UsageError(
            f"{what}: unknown field {unknown[0][:60]!r}", f"fields: {', '.join(sorted(known - _OLD_ONLY))}"
        )
    status = "disabled" if value.get("disabled") is True else value.get("status", "active")
    if status not in STATUSES:
        raise UsageError(f"{what}: {str(status)[:40]!r} is not a status of a procedure", f"use {', '.join(STATUSES)}")
    return ProcedureDocument(
        title=value["title"], slug=_text(value, "slug", what), status=status,
        tags=_shaped(value.get("tags") or (), tuple[str, ...], what), payload=_payload(value, what),
    )  # fmt: skip


def _payload(value: dict[str, Any], what: str) -> Procedure:
    disabled = value.get("disabled")
    if disabled is True:
        disabled = DisabledReason(by="import", reason="it was disabled in the file")
    return Procedure(
        description=_text(value, "description", what),
        triggers=_shaped(value.get("triggers") or (), tuple[str, ...], what),
        parameters=tuple(_shaped(one, Parameter, what) for one in _list(value, "parameters", what)),
        steps=tuple(_step(one, f"{what}, step {number}") for number, one in enumerate(_list(value, "steps", what), 1)),
        disabled=_shaped(disabled, DisabledReason, what) if disabled else None,
        source_session=_text(value, "source_session", what),
    )


def _step(value: Any, what: str) -> ProcedureStep:
    if isinstance(value, str):
        return ProcedureStep(command=value)
    if not isinstance(value, dict):
        raise UsageError(f"{what} is not a step", "a step must be a command, or a mapping with a command")
    fields = {_OLD_STEP.get(name, name): one for name, one in value.items() if name != "ordinal" and one is not None}
    if unknown := sorted(str(name) for name in set(fields) - set(ProcedureStep.__struct_fields__)):
        raise UsageError(
            f"{what}: unknown field {unknown[0][:60]!r}", f"fields: {', '.join(ProcedureStep.__struct_fields__)}"
        )
    return _shaped(fields, ProcedureStep, what)  # type: ignore[no-any-return]


def _shaped(value: Any, shape: Any, what: str) -> Any:
    if is_struct(value):
        return value
    try:
        return shaped(value, shape)
    except ValueError as error:
        raise UsageError(f"{what}: {error}", "see docs/procedures.md for the fields") from None


def _list(value: dict[str, Any], field: str, what: str) -> list[Any]:
    found = value.get(field) or []
    if not isinstance(found, list):
        raise UsageError(f"{what}: {field} must be a list", "see docs/procedures.md for the fields")
    return found


def _text(value: dict[str, Any], field: str, what: str) -> str:
    found = value.get(field) or ""
    if not isinstance(found, str):
        raise UsageError(f"{what}: {field} must be text", "see docs/procedures.md for the fields")
    return found
