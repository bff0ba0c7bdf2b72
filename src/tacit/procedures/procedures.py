"""Record procedures and change them; every change is a version."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypedDict, Unpack

import msgspec

from tacit.admission.trust import flagged, is_low
from tacit.errors import Conflict, Refused, UsageError
from tacit.model.event import NewEvent
from tacit.model.link import SUPERSEDES, Link
from tacit.model.payload import shaped
from tacit.model.procedure import DisabledReason, Parameter, Procedure, ProcedureStep
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.report import Forgotten
from tacit.model.verb import arg
from tacit.ports.store import Transaction
from tacit.procedures.find_by_name import KIND, LIVE, ExactName, exact_procedure
from tacit.procedures.rules.procedure_checks import body_of, checked, is_cut, joined
from tacit.records.arguments import Tags, text_of, texts_of, whole_of
from tacit.records.connection import Connection
from tacit.records.drafts import tags_of
from tacit.records.forget import forget, retire_record
from tacit.records.keep import reword
from tacit.records.permissions import may_enable
from tacit.records.write import admitted, keep_vectors, new_record, retry_lost_write, revised, searchable, writing
from tacit.text.slug import free_slug, slug_of

TRIES = 20
TAKEN = (*LIVE, "archived", "superseded")
Change = Callable[[Procedure], Procedure]
Title = Annotated[str, arg("What the procedure does, in a few words.")]
Number = Annotated[int, arg("The number of a step; the first is 1.")]
Triggers = Annotated[Sequence[str], arg("When to use the procedure, in words; repeatable.")]
Parameters = Annotated[Sequence[Parameter | str], arg(
    "A parameter, written {{NAME}} in a step; repeatable.", option="--param", metavar="NAME[=DEFAULT][~PATTERN]"
)]  # fmt: skip
Secrets = Annotated[Sequence[str], arg("A parameter whose value is never stored; repeatable.", metavar="NAME")]
Steps = Annotated[Sequence[ProcedureStep | str], arg(
    "The command of a step; repeatable.", metavar="COMMAND"
)]  # fmt: skip


class StepParts(TypedDict, total=False):
    """The optional fields of a step."""

    precondition: Annotated[str | None, arg("A condition before the step; see docs/procedures.md.")]
    postcondition: Annotated[str | None, arg("A condition after the step.")]
    cwd: Annotated[str | None, arg("The directory that the step runs in.", metavar="DIR")]
    env: Annotated[Mapping[str, str | None] | None, arg(
        "An environment variable; a NAME alone passes on the caller's value; repeatable.", metavar="NAME[=VALUE]"
    )]  # fmt: skip
    timeout_s: Annotated[float | None, arg("The time limit in seconds.", option="--timeout", metavar="S")]
    privileged: Annotated[bool | None, arg("Whether the step needs --allow-privileged to run.")]
    tolerate_failure: Annotated[bool | None, arg("Whether the run continues when the step fails.")]
    notes: Annotated[str | None, arg("A comment for readers.")]
    tags: Annotated[Sequence[str] | None, arg("A tag of the step; repeatable.", option="--step-tag")]


def record(
    c: Connection, title: Title, *, description: Annotated[str, arg("What it is for.")] = "", tags: Tags = (),
    triggers: Triggers = (), parameters: Parameters = (), secrets: Secrets = (), steps: Steps = (),
) -> Record:  # fmt: skip
    """Record a procedure. If the slug of its title is taken, it gets the next free slug."""
    return keep_procedure(
        c, title, description=description, tags=tags, triggers=triggers, steps=steps,
        parameters=_declared(parameters, secrets),
    )  # fmt: skip


@retry_lost_write
def keep_procedure(
    c: Connection, title: str, *, description: str = "", tags: Sequence[str] = (), triggers: Sequence[str] = (),
    parameters: Sequence[Parameter] = (), steps: Sequence[ProcedureStep | str] = (),
    session: str = "", status: str = "active", slug: str = "", disabled: DisabledReason | None = None,
) -> Record:  # fmt: skip
    """Record a procedure in any status. One that was learned from sessions is a draft, which a person enables."""
    if not text_of(title, "title").strip():
        raise UsageError("a procedure needs a title", 'for example `tacit procedure record "Deploy staging"`')
    payload = checked(Procedure(
        description=text_of(description, "description"), triggers=texts_of(triggers, "triggers"),
        parameters=tuple(parameters), steps=tuple(_step(one) for one in steps),
        source_session=text_of(session, "session"), disabled=disabled,
    ))  # fmt: skip
    # Taken out before the title is folded into a slug: the redactor could not know a folded secret.
    title = c.redact(" ".join(title.split()))
    wanted = admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=title, body=body_of(payload), payload=payload, tags=tags_of(tags),
        status=status,
    ))  # fmt: skip
    now = c.clock.now()
    fresh = new_record(c, wanted, now)
    fresh = replace(fresh, payload=replace(payload_of(fresh, Procedure), windows=(f"{fresh.id}#1",)))
    vectors = c.meaning.of_records(searchable([fresh]))
    with writing(c, now) as tx:
        # The slug that is free now has to be free when it is written.
        tx.alone(fresh.scope)
        fresh = replace(fresh, key=_free(tx, fresh, slug))
        tx.put(fresh)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="procedure.recorded", subject=fresh.id, scope=fresh.scope))
    return fresh


def add_step(
    c: Connection, name: ExactName,
    step: Annotated[ProcedureStep | str, arg("The command it runs.", metavar="COMMAND")], *,
    at: Annotated[int | None, arg("The number the step gets; default: the last.", metavar="N")] = None,
    **parts: Unpack[StepParts],
) -> Record:  # fmt: skip
    """Add a step, at the end or at a given position."""
    fresh, given = _step(step), _given(parts)
    if given:
        fresh = _step(msgspec.structs.asdict(fresh) | given)

    def change(old: Procedure) -> Procedure:
        place = len(old.steps) if at is None else _number(at, len(old.steps) + 1) - 1
        return replace(old, steps=(*old.steps[:place], fresh, *old.steps[place:]))

    # Two callers that add a step at the same time do not conflict: each step comes after what is there by then.
    for _ in range(TRIES):
        with contextlib.suppress(Conflict):
            return revise(c, name, change, "procedure.step_added")
    return revise(c, name, change, "procedure.step_added")


def edit_step(
    c: Connection, name: ExactName, number: Number, *,
    command: Annotated[str | None, arg("The command it runs.")] = None,
    **parts: Unpack[StepParts],
) -> Record:  # fmt: skip
    """Change parts of a step; fields that are not given keep their values."""
    given = _given(parts) | ({} if command is None else {"command": command})
    if not given:
        raise UsageError("nothing to change", "give a new command, directory, condition, or another part of the step")

    def change(old: Procedure) -> Procedure:
        place = _number(number, len(old.steps)) - 1
        edited = _step(msgspec.structs.asdict(old.steps[place]) | given)
        return replace(old, steps=(*old.steps[:place], edited, *old.steps[place + 1 :]))

    return revise(c, name, change, "procedure.step_edited")


def remove_step(c: Connection, name: ExactName, number: Number) -> Record:
    """Remove a step."""

    def change(old: Procedure) -> Procedure:
        place = _number(number, len(old.steps)) - 1
        return replace(old, steps=(*old.steps[:place], *old.steps[place + 1 :]))

    return revise(c, name, change, "procedure.step_removed")


def move_step(
    c: Connection, name: ExactName, number: Number, to: Annotated[int, arg("The new number of the step.")]
) -> Record:
    """Move a step to another position."""

    def change(old: Procedure) -> Procedure:
        steps = list(old.steps)
        target = _number(to, len(steps)) - 1
        steps.insert(target, steps.pop(_number(number, len(steps)) - 1))
        return replace(old, steps=tuple(steps))

    return revise(c, name, change, "procedure.step_moved")


def describe(
    c: Connection, name: ExactName, *, description: Annotated[str | None, arg("What it is for.")] = None,
    tags: Annotated[Sequence[str] | None, arg("The new tags, all of them; repeatable.")] = None,
    triggers: Annotated[Sequence[str] | None, arg("The new triggers, all of them; repeatable.")] = None,
    parameters: Parameters | None = None, secrets: Secrets = (),
) -> Record:  # fmt: skip
    """Change the description and parameters of a procedure. Fields that are not given keep their values.

    A parameter is added; an existing one with the same name is replaced.
    """
    given = {} if description is None else {"description": text_of(description, "description")}
    if triggers is not None:
        given["triggers"] = texts_of(triggers, "triggers")  # type: ignore[assignment]
    fresh = {one.name: one for one in _declared(parameters or (), secrets)}

    def change(old: Procedure) -> Procedure:
        kept = {one.name: one for one in old.parameters} | fresh
        return replace(old, **given, parameters=tuple(kept.values()))

    return revise(c, name, change, "procedure.described", **({} if tags is None else {"tags": tags_of(tags)}))


def rename(c: Connection, name: ExactName, title: Annotated[str, arg("The new title of the procedure.")]) -> Record:
    """Give a procedure a new title, and the slug of that title."""
    if not text_of(title, "title").strip():
        raise UsageError("a procedure needs a title", "give the new title")
    return revise(c, name, lambda old: old, "procedure.renamed", title=c.redact(" ".join(title.split())))


@retry_lost_write
def revise(c: Connection, name: str, change: Change, event: str, **fields: Any) -> Record:
    """Write the next version of a procedure. If its commands changed, its runs are counted from zero."""
    old = c.own(exact_procedure(c, name))
    before = payload_of(old, Procedure)
    after = checked(change(before))
    if _work(after) != _work(before):
        after = replace(after, windows=(next_window(old),))
    wanted = admitted(c, Draft(
        kind=KIND, scope=old.scope, title=fields.get("title", old.title), body=body_of(after), payload=after,
        tags=fields.get("tags", old.tags), status=old.status,
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.alone(old.scope)
        key = _free(tx, replace(old, title=wanted.title)) if wanted.title != old.title else old.key
        fresh = reword(
            c, tx, old, now, title=wanted.title, body=wanted.body, payload=wanted.payload, tags=wanted.tags, key=key
        )
        keep_vectors(c, tx, c.meaning.of_records(searchable([fresh])))
        tx.append(NewEvent(type=event, subject=fresh.id, scope=fresh.scope))
    return fresh


def enable(c: Connection, name: ExactName) -> Record:
    """Enable a procedure and count its runs from zero. Only a person may enable a draft or what a person disabled."""
    old = exact_procedure(c, name)
    if old.status == "active":
        raise UsageError(f"{old.key} is already enabled", "`tacit procedure health` shows its health")
    may_enable(c, old)
    if old.status == "draft" and is_low(old):
        raise Refused(
            f"{old.key} came from {old.origin.actor}, which is not trusted enough to enable it", "record it yourself"
        )
    return _switched(c, old, "active", "procedure.enabled", disabled=None, windows=(next_window(old),))


def disable(
    c: Connection, name: ExactName, reason: Annotated[str, arg("The reason.", option="--reason")] = ""
) -> Record:
    """Disable a procedure, so that it is no longer offered; `enable` reverts it."""
    old = exact_procedure(c, name)
    if old.status == "disabled":
        raise UsageError(f"{old.key} is already disabled", "`tacit procedure enable` offers it again")
    if old.origin.actor == "user":
        c.require_person("disable a procedure that a person wrote")
    why = c.redact(text_of(reason, "reason")) or f"disabled by {c.origin.actor}"
    return _switched(c, old, "disabled", "procedure.disabled", disabled=DisabledReason(by=c.origin.actor, reason=why))


@retry_lost_write
def _switched(c: Connection, old: Record, status: str, event: str, **payload: Any) -> Record:
    """Give a procedure another status; the author of its steps stays the same."""
    c.own(old)
    now = c.clock.now()
    fresh = revised(old, now, status=status, payload=replace(old.payload, **payload))
    with writing(c, now) as tx:
        tx.put(fresh, expected=old.version)
        tx.append(NewEvent(type=event, subject=fresh.id, scope=fresh.scope))
    return fresh


def retire(c: Connection, name: ExactName) -> Record:
    """Retire a procedure; `tacit undo` brings it back."""
    return retire_record(c, exact_procedure(c, name))


def delete(c: Connection, name: ExactName) -> Forgotten:
    """Delete a procedure for good, with the records of its runs; there is no undo. An agent only retires it."""
    record = exact_procedure(c, name)
    if c.is_person:
        return forget(c, [record.id], derived=True)
    return Forgotten(ids=(), pending=False, retired=(retire_record(c, record).id,))


@retry_lost_write
def merge(
    c: Connection,
    name: ExactName,
    other: Annotated[str, arg("The whole name of the procedure whose steps are added to the first one.")],
) -> Record:
    """Add the steps, tags, triggers and runs of OTHER to a procedure, and retire OTHER."""
    kept, gone = c.own(exact_procedure(c, name)), c.own(exact_procedure(c, other))
    if kept.id == gone.id:
        raise UsageError("a procedure cannot be merged into itself", "give two different procedures")
    if kept.status == "active":
        # Its steps would run from now on.
        may_enable(c, gone)
    payload = checked(joined(payload_of(kept, Procedure), payload_of(gone, Procedure)))
    wanted = admitted(c, Draft(
        kind=KIND, scope=kept.scope, title=kept.title, body=body_of(payload), payload=payload,
        tags=tuple(dict.fromkeys((*kept.tags, *gone.tags))), status=kept.status,
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        fresh = reword(c, tx, kept, now, body=wanted.body, payload=wanted.payload, tags=wanted.tags)
        reword(c, tx, gone, now, status="retired")
        tx.link(Link(source=kept.id, relation=SUPERSEDES, target=gone.id, scope=kept.scope, since=now))
        keep_vectors(c, tx, c.meaning.of_records(searchable([fresh])))
        tx.append(NewEvent(type="procedure.merged", subject=kept.id, scope=kept.scope, payload={"other": gone.id}))
    return fresh


def _free(tx: Transaction, record: Record, wanted: str = "") -> str:
    """Return the wanted slug, or else the first slug of a procedure's title, that is free in its scope."""

    def taken(slug: str) -> bool:
        held = Filter(scopes=(record.scope,), kinds=(KIND,), statuses=TAKEN, key=slug)
        return any(one.scope == record.scope and one.id != record.id for one in tx.find(held).records)

    return wanted if wanted and wanted == slug_of(wanted) and not taken(wanted) else free_slug(record.title, taken)


def next_window(record: Record) -> str:
    """Return the name of the next window in which a procedure's runs are counted; the version makes it unique."""
    return f"{record.id}#{record.version + 1}"


def warnings(record: Record) -> tuple[str, ...]:
    """List what the author of a stored procedure should know about it."""
    payload = payload_of(record, Procedure)
    hidden = [
        f"step {number}: a secret was removed from it, so it cannot run; write {{{{token}}}} in its place and make "
        "token a secret parameter"
        for number, step in enumerate(payload.steps, 1)
        if is_cut(step)
    ]
    return (*hidden, *flagged(record))


def _work(payload: Procedure) -> tuple[ProcedureStep, ...]:
    """Return what a procedure runs, without notes and tags."""
    return tuple(replace(step, notes="", tags=()) for step in payload.steps)


def _number(number: int, most: int) -> int:
    if not 1 <= whole_of(number, "step") <= most:
        raise UsageError(f"no step {number}", f"the procedure has steps 1 to {most}" if most else "it has no steps yet")
    return number


def _step(value: ProcedureStep | str | Mapping[str, Any]) -> ProcedureStep:
    if isinstance(value, ProcedureStep):
        return value
    plain = {"command": value} if isinstance(value, str) else dict(value)
    step: ProcedureStep = _converted(plain, ProcedureStep, "step")
    return step


def _given(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None}


def _declared(parameters: Sequence[Any], secrets: Sequence[str]) -> list[Parameter]:
    """Read parameters; a text is `NAME`, `NAME=default`, `NAME~pattern` or `NAME=default~pattern`, a mapping fields."""
    named = [{"name": name, "secret": True} for name in texts_of(secrets, "secrets")]
    return [_parameter(one) for one in (*parameters, *named)]


def _parameter(value: Any) -> Parameter:
    if isinstance(value, Parameter):
        return value
    if isinstance(value, str):
        head, tilde, pattern = value.partition("~")
        name, equals, default = head.partition("=")
        value = {"name": name} | ({"default": default} if equals else {}) | ({"pattern": pattern} if tilde else {})
    if not isinstance(value, Mapping):
        raise UsageError(f"not a parameter: {str(value)[:60]!r}", "give a text such as `env=staging`, or a mapping")
    parameter: Parameter = _converted(dict(value), Parameter, "parameter")
    return parameter


def _converted(plain: dict[str, Any], shape: type[Any], what: str) -> Any:
    if unknown := sorted(set(plain) - set(shape.__struct_fields__)):
        raise UsageError(f"{what} has no field {unknown[0][:60]!r}", f"it has {', '.join(shape.__struct_fields__)}")
    try:
        return shaped(plain, shape)
    except ValueError as error:
        raise UsageError(f"not a {what}: {error}", "see docs/procedures.md for its fields") from None
