"""The tools of the MCP server, made from verbs that agents may use."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from tacit.app.memory import Memory
from tacit.app.verbs.episodes import Episodes
from tacit.app.verbs.lessons import Lessons
from tacit.app.verbs.notes import Notes
from tacit.app.verbs.procedures import Procedures
from tacit.doors.mcp.answers import Row, block, in_frame, of_facts, of_lines, of_record, of_rows, row
from tacit.doors.mcp.tool_types import Action, Tool, ToolAnswer
from tacit.episodes.advice import TaskAdvice
from tacit.episodes.open_episode import CompletedEpisode, LoggedStep, OpenEpisode
from tacit.model.episode import Episode
from tacit.model.lesson import Lesson
from tacit.model.procedure import Procedure
from tacit.model.query import Hit, Recall, near_best
from tacit.model.record import Record, payload_of, short_id
from tacit.model.results import Explanation, RememberedText
from tacit.notes.notes import NoteView
from tacit.procedures.health import ProcedureHealth
from tacit.procedures.replay import ReplayResult
from tacit.procedures.search import ProcedureHit
from tacit.search.worked_next import THEN
from tacit.text.frame import CONTEXT_HEAD, framed
from tacit.text.plural import plural

_WORKED = ("success", "partial")


def _recalled(found: Recall, budget: int) -> ToolAnswer:
    hits = [*near_best(found.first), *found.said]
    rows = [row(hit.record, score=round(hit.score, 2), **_when(hit.record), **_what_worked(hit)) for hit in hits]
    return of_rows(rows, budget, found.notices)


def _when(record: Record) -> dict[str, str]:
    """Return the day of what a session says, as a mark of its row."""
    if record.kind not in ("turn", "recap"):
        return {}
    at = getattr(record.payload, "started_at", None) or record.at
    return {"when": f"{at.astimezone(UTC):%Y-%m-%d}" if at else "without a date"}


def _what_worked(hit: Hit) -> dict[str, str]:
    """Return what worked after a command that failed, as a mark of its row."""
    then = next((label for label in hit.why.labels if label.startswith(THEN)), "")
    return {"then": framed(then.removeprefix(THEN), 200)} if then else {}


def _remembered(kept: RememberedText, _budget: int) -> ToolAnswer:
    against = [f"contradicts {short_id(pair.other)}: {framed(pair.why, 200)}" for pair in kept.conflicts]
    values = {"id": short_id(kept.id), "said": kept.said, "merged": kept.merged, "notices": list(kept.notices)}
    own = "\n".join([kept.said, *kept.notices])
    if not against:
        return of_facts(values, own)
    # What it contradicts was remembered before, by whomever.
    return of_facts({**values, "frame": CONTEXT_HEAD, "conflicts": against}, f"{own}\n{in_frame(against)}")


def _explained(found: Explanation, budget: int) -> ToolAnswer:
    return of_lines({"id": found.short, "kind": found.record.kind, "trust": found.trust}, found.sentences, budget)


# -- procedures --------------------------------------------------------------------------------------------------------


def _procedures(found: list[ProcedureHit], budget: int) -> ToolAnswer:
    def one(hit: ProcedureHit) -> Row:
        steps = plural(len(payload_of(hit.record, Procedure).steps), "step")
        text = f"{hit.record.title} ({steps}, {hit.health.successes} of {hit.health.runs} runs worked)"
        return row(hit.record, id=hit.record.key, text=text, score=round(hit.score, 2))

    return of_rows([one(hit) for hit in found], budget)


def _procedure(found: ProcedureHealth, budget: int) -> ToolAnswer:
    payload = payload_of(found.record, Procedure)
    lines = [found.record.title, *([payload.description] if payload.description else [])]
    lines += [
        f"parameter {one.name}" + (f", default {one.default}" if one.default else "") for one in payload.parameters
    ]
    lines += [f"{number}. {step.command}" for number, step in enumerate(payload.steps, 1)]
    lines += [f"use it when: {one}" for one in payload.triggers]
    worked = f"{found.health.successes} of {found.health.runs}"
    facts = {"name": found.record.key, "status": found.record.status, "runs_that_worked": worked}
    return of_lines(facts, [*lines, f"runs that worked: {worked}"], budget)


def _recorded(record: Record, _budget: int) -> ToolAnswer:
    said = f"recorded as {record.key} with {plural(len(payload_of(record, Procedure).steps), 'step')}"
    return of_facts({"name": record.key, "id": short_id(record.id), "said": said}, said)


def _replayed(result: ReplayResult, budget: int) -> ToolAnswer:
    run = result.run
    lines: list[str] = []
    for step in run.steps:
        code = f", exit code {step.exit_code}" if step.exit_code is not None else ""
        verdict = f", the guard says {step.verdict}" if step.verdict and step.verdict != "allow" else ""
        lines.append(f"{step.number}. {step.state}{code}{verdict}: {step.command}")
        lines += [f"   {line}" for line in (step.reason, *step.output.rstrip().split("\n")[-20:]) if line]
    dry = not result.id
    outcome = "dry run" if dry else run.outcome
    facts = {"outcome": outcome, "reason": block(run.reason, 50) if run.reason else "", "run": short_id(result.id)}
    head = outcome + (f": {run.reason}" if run.reason else "")
    return of_lines(facts, [head, *lines], budget, failed=not dry and run.outcome not in _WORKED)


# -- episodes, lessons, notes ------------------------------------------------------------------------------------------


def _started(episode: OpenEpisode, _budget: int) -> ToolAnswer:
    return of_facts({"id": short_id(episode.id)}, f"started episode {short_id(episode.id)}")


def _stepped(logged: LoggedStep, _budget: int) -> ToolAnswer:
    return of_facts({"id": short_id(logged.id), "steps": logged.steps}, f"logged step {logged.steps}")


def _completed(done: CompletedEpisode, _budget: int) -> ToolAnswer:
    payload = payload_of(done.record, Episode)
    facts = {
        "id": short_id(done.record.id),
        "outcome": payload.outcome,
        "notices": [done.notice] if done.notice else [],
    }
    return of_facts(facts, f"completed as {payload.outcome}")


def _advised(found: TaskAdvice, budget: int) -> ToolAnswer:
    rows = [
        row(
            one.record, text=f"{payload_of(one.record, Episode).outcome}: {one.record.title}", score=round(one.score, 2)
        )
        for one in found.episodes
    ]
    rows += [row(one.record, score=round(one.confidence, 2)) for one in (*found.patterns, *found.heuristics)]
    plan = found.playbook
    return of_rows(rows, budget, playbook=plan.steps[:10] if plan else (), avoid=plan.pitfalls[:5] if plan else ())


def _lessons(found: list[Record], budget: int) -> ToolAnswer:
    def one(record: Record) -> Row:
        told = payload_of(record, Lesson).narrative
        return row(
            record, text=f"{record.title}. Instead: {told.correction}" if told else record.title, status=record.status
        )

    return of_rows([one(record) for record in found], budget)


def _lesson(record: Record, _budget: int) -> ToolAnswer:
    said = f"added as a candidate: {short_id(record.id)}; it warns nobody until it is accepted or proven"
    return of_facts({"id": short_id(record.id), "status": record.status, "said": said}, said)


def _notes(found: list[Record], budget: int) -> ToolAnswer:
    return of_rows([row(one, since=f"{one.created_at:%Y-%m-%d}") for one in found], budget)


def _whole_note(found: NoteView, budget: int) -> ToolAnswer:
    return of_record(found.record, budget)


def _note(record: Record, _budget: int) -> ToolAnswer:
    return of_facts({"id": short_id(record.id)}, f"kept as note {short_id(record.id)}")


TOOLS = (
    Tool(
        "recall", "Search this project's memory; look here before assuming. An id gives the whole text.",
        Action(Memory.recall, ("query", "limit", "kinds", "since"), _recalled),
        Action(Memory.get, ("id",), of_record),
    ),
    Tool("remember", "", Action(Memory.remember, ("text", "note", "importance", "tags"), _remembered)),
    Tool(
        "procedure", "", Action(Procedures.search, ("query", "limit"), _procedures),
        Action(Procedures.show, ("name",), _procedure),
        Action(Procedures.record, ("title", "steps", "parameters", "triggers"), _recorded),
        Action(Procedures.replay, ("name", "params", "dry_run"), _replayed, runs_commands=True), by_name=True,
    ),
    Tool(
        "episode", "", Action(Episodes.search, ("task", "limit"), _advised),
        Action(Episodes.start, ("task",), _started),
        Action(
            Episodes.step, ("id", "tool", "action", "result", "observation"), _stepped, renamed={"action": "did"},
            writes=True,
        ),
        Action(Episodes.complete, ("id", "outcome", "result"), _completed, renamed={"result": "summary"}, writes=True),
        by_name=True,
    ),
    Tool(
        "lesson", "", Action(Lessons.list, ("limit",), _lessons),
        Action(Lessons.recall, ("query", "limit"), _lessons, name="search"),
        Action(Lessons.create, ("description", "narrative"), _lesson, name="add"), by_name=True,
    ),
    Tool(
        "note", "", Action(Notes.list, ("limit",), _notes), Action(Notes.show, ("id",), _whole_note),
        Action(Notes.create, ("body", "title"), _note, name="add"), by_name=True,
    ),
    Tool("why", "", Action(Memory.why, ("id",), _explained)),
)  # fmt: skip
"""`recap` joins them with its verb."""


def offered(*, over_http: bool = False) -> dict[str, Tool]:
    """Return the tools by name. Over HTTP nothing runs commands."""
    if not over_http:
        return {tool.name: tool for tool in TOOLS}
    rest = ((tool, [one for one in tool.actions.values() if not one.runs_commands]) for tool in TOOLS)
    return {tool.name: Tool(tool.name, tool.sentence, *some, by_name=tool.by_name) for tool, some in rest}


def listed(tools: dict[str, Tool]) -> list[dict[str, Any]]:
    """Return the tools as `tools/list` sends them. What several arguments of one name say alike is said once."""
    said: set[tuple[str, str]] = set()
    found = []
    for tool in tools.values():
        schema = tool.schema()
        for name, shape in schema["properties"].items():
            if (sentence := (name, shape.get("description", ""))) in said:
                del shape["description"]
            elif sentence[1]:
                said.add(sentence)
        hints = {"annotations": {"readOnlyHint": True}} if tool.is_reading else {}
        found.append({"name": tool.name, "description": tool.description, "inputSchema": schema, **hints})
    return found
