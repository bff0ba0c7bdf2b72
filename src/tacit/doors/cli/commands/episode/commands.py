"""episode: what was tried, step by step, how it went, and what is worth knowing before the next one."""

from __future__ import annotations

import json
from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options, read, record_document, span_or_time
from tacit.doors.cli.commands.episode.manage import from_session, learn, retain
from tacit.doors.cli.commands.records import said, said_of
from tacit.episodes.advice import Advice, SimilarEpisode, TaskAdvice
from tacit.errors import UsageError
from tacit.model.episode import COMPLEXITIES, OUTCOMES, RESULTS, TASK_TYPES, Episode
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of
from tacit.text.plural import plural


@click.group()
def episode() -> None:
    """What was tried, step by step, and how it went."""


def _context(command: Any) -> Any:
    for option in (
        click.option("--domain", default=""), click.option("--framework", default=""),
        click.option("--complexity", type=click.Choice(COMPLEXITIES), default="moderate"),
        click.option("--language", default=""),
    ):  # fmt: skip
        command = option(command)
    return command


@episode.command("start")
@click.argument("task")
@_context
@click.option("--type", "task_type", type=click.Choice(TASK_TYPES), default="other", show_default=True)
@click.option("--tag", "tags", multiple=True, help="Repeatable.")
@options
def start(door: CommandCall, task: str, task_type: str, tags: tuple[str, ...], **context: Any) -> None:
    """Begin an episode; prints its id."""
    with door.memory(writes=True) as memory:
        record = memory.episodes.start(read(task), task_type=task_type, tags=tags, **context).record
    said(door, "episode", {"id": record.id, "record": record_document(record)}, record.id)


@episode.command("step")
@click.argument("id")
@click.argument("tool")
@click.argument("action", default="")
@click.option("--result", type=click.Choice(RESULTS), default=None)
@click.option("--observation", default="", help="What was seen; `-` reads standard input.")
@click.option("--parameters", default="", metavar="JSON")
@click.option("--latency-ms", type=float, default=0)
@click.option("--tokens", type=int, default=0)
@options
def step(
    door: CommandCall, id: str, tool: str, action: str, result: str | None, observation: str, parameters: str,
    latency_ms: float, tokens: int,
) -> None:  # fmt: skip
    """Log a step of an open episode."""
    with door.memory() as memory:
        trying = memory.episodes.resume(id)
        trying.step(
            tool, action, result=result, observation=read(observation), parameters=_object(parameters),
            latency_ms=latency_ms, tokens=tokens,
        )  # fmt: skip
        count = memory.episodes.step_count(id)
    document = {"id": id, "steps": count, "written": trying.written._asdict()}
    said(door, "episode", document, f"{id} has {plural(count, 'step')}")


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError("parameters must be a JSON object", """for example --parameters '{"file": "a.py"}' """)
    return value


@episode.command("complete")
@click.argument("id")
@click.argument("outcome", type=click.Choice(OUTCOMES))
@click.option("--result", default="", help="What came of it.")
@click.option("--error", default=None, help="Why it failed.")
@click.option("--duration-ms", type=float, default=None)
@click.option("--completed", type=int, default=0, help="Parts that were done.")
@click.option("--failed", type=int, default=0, help="Parts that were not.")
@options
def complete(door: CommandCall, id: str, outcome: str, **how: Any) -> None:
    """End an episode: it is scored, reflected on, and left to be learned from."""
    with door.memory() as memory:
        trying = memory.episodes.resume(id)
        record = trying.complete(outcome, **how)
    _answer_reflected(door, record, trying.notice, written=trying.written._asdict())


@episode.command("reflect")
@click.argument("id")
@options
def reflect(door: CommandCall, id: str) -> None:
    """Let the language model of the settings reflect on a completed episode."""
    with door.memory() as memory:
        record, notice = memory.episodes.reflect(id)
        if not (notice or memory.status()["llm"]["on"]):
            notice = "no language model is set up; the reflection is that of rules ([llm] in config.toml)"
    _answer_reflected(door, record, notice)


def _answer_reflected(door: CommandCall, record: Record, notice: str, **more: Any) -> None:
    if notice:
        door.tell(notice)
    document = {"id": record.id, "record": record_document(record), "notices": [notice] if notice else []} | more
    door.answer("episode", document, lambda: _print(record))


@episode.command("show")
@click.argument("id")
@options
def show(door: CommandCall, id: str) -> None:
    """Show an episode with its steps, its score and what it taught."""
    with door.memory() as memory:
        record, steps = memory.episodes.get(id), memory.episodes.steps(id)

    def print_() -> None:
        from tacit.doors.cli.render import one_line, say

        _print(record)
        for number, one in enumerate(steps, 1):
            say(f"  {number}. {one.tool} {one.action}: {one.result or 'unknown'}")
            say(*([f"       {one_line(one.observation, 100)}"] if one.observation else []))

    document = {"id": record.id, "record": record_document(record), "steps": [plain(one) for one in steps]}
    door.answer("episode", document, print_)


def _print(record: Record) -> None:
    from tacit.doors.cli.render import say

    payload = payload_of(record, Episode)
    say(f"{record.title}  ({record.id}, {payload.outcome or record.status}, {plural(payload.steps, 'step')})")
    if payload.reward:
        reward = payload.reward
        say(f"  reward {reward.total:.2f} by {reward.evidence} evidence; quality {payload.quality or 0:.2f}")
        say(*(f"    {one.name} {one.value:.2f}: {one.why}" for one in payload.reward.components))
    if payload.reflection:
        for heading in ("successes", "improvements", "insights"):
            say(*(f"  {heading}: {line}" for line in getattr(payload.reflection, heading)))


@episode.command("list")
@click.option("--status", "statuses", multiple=True, type=click.Choice(["open", "complete", "archived"]))
@click.option("--outcome", type=click.Choice(OUTCOMES), default=None)
@click.option("--domain", default="")
@click.option("--type", "task_type", type=click.Choice(TASK_TYPES), default=None)
@click.option("--tag", "tags", multiple=True)
@click.option("--since", default=None, metavar="TIME", help="Only what happened from then on: a date, 2h, yesterday.")
@click.option("--until", default=None, metavar="TIME", help="Only what happened before.")
@click.option("--min-reward", type=click.FloatRange(0, 1), default=None)
@click.option("--max-reward", type=click.FloatRange(0, 1), default=None)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@options
def list_(
    door: CommandCall, statuses: tuple[str, ...], outcome: str | None, task_type: str | None, **narrowing: Any
) -> None:
    """List episodes, the newest first."""
    now = door.guest.clock.now()
    narrowing |= {name: span_or_time(narrowing[name], now) for name in ("since", "until")}
    given = bool(statuses or outcome or task_type or any(narrowing[name] for name in narrowing if name != "limit"))
    with door.memory() as memory:
        found = memory.episodes.list(
            statuses=statuses or ("open", "complete"), outcome=outcome or "", task_type=task_type or "", **narrowing
        )

    def print_() -> None:
        from tacit.doors.cli.render import cell, day, table

        rows = [
            (
                r.id,
                payload_of(r, Episode).outcome or r.status,
                _score(r),
                payload_of(r, Episode).steps,
                day(r.created_at),
                cell(r.title, 60),
            )
            for r in found
        ]
        empty = "no episode is like that" if given else "no episodes yet: tacit episode start TASK"
        table(["id", "outcome", "reward", "steps", "day", "task"], rows, empty=empty)

    door.answer("episodes", {"episodes": [record_document(one) for one in found]}, print_)


def _score(record: Record) -> str:
    reward = payload_of(record, Episode).reward
    return f"{reward.total:.2f}" if reward else ""


@episode.command("search")
@click.argument("task")
@_context
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--receipt", is_flag=True, help="Keep a receipt, for feedback.")
@options
def search(door: CommandCall, task: str, limit: int, receipt: bool, **context: str) -> None:
    """Find what is worth knowing before a task: episodes, patterns, heuristics, and a playbook."""
    with door.memory(writes=receipt) as memory:
        ask = memory.episodes.recommend if receipt else memory.episodes.relevant
        found = ask(task, context, limit)
    door.answer("episodes.relevant", _document(found), lambda: _advise(found))


def _document(found: TaskAdvice) -> dict[str, Any]:
    return {
        "task": found.task, "receipt": found.receipt or None,
        "episodes": [_like(one) for one in found.episodes],
        "patterns": [_advice(one) for one in found.patterns], "heuristics": [_advice(one) for one in found.heuristics],
        "playbook": found.playbook._asdict() if found.playbook else None,
    }  # fmt: skip


def _like(one: SimilarEpisode) -> dict[str, Any]:
    return {"score": round(one.score, 4), "why": one.why, "record": record_document(one.record)}


def _advice(one: Advice) -> dict[str, Any]:
    return {
        "confidence": round(one.confidence, 4),
        "seen": one.seen,
        "good": one.good,
        "why": one.why,
        "record": record_document(one.record),
    }


def _advise(found: TaskAdvice) -> None:
    from tacit.doors.cli.render import say

    for one in found.episodes:
        outcome = payload_of(one.record, Episode).outcome
        say(f"{one.score:.2f}  {one.record.title}  ({outcome}, {one.record.id})")
    say(*(f"pattern ({one.confidence:.2f}): {one.record.title}; {one.why}" for one in found.patterns))
    say(*(f"advice ({one.confidence:.2f}): {one.record.title}; {one.why}" for one in found.heuristics))
    if found.playbook:
        say(f"playbook ({found.playbook.confidence:.2f}): {' → '.join(found.playbook.steps)}")
        say(*(f"  beware: {line}" for line in found.playbook.pitfalls), f"  expect: {found.playbook.expected}")
    if found.receipt:
        say(f"did it help? tacit episode feedback {found.receipt} helped|no-effect|hindered")
    if not found.episodes and not found.patterns:
        say("nothing like it was tried yet")


@episode.command("feedback")
@click.argument("receipt")
@click.argument("verdict", type=click.Choice(["helped", "no-effect", "hindered"]))
@click.option("--pattern", "patterns", multiple=True, metavar="ID", help="Only about these; repeatable.")
@click.option("--heuristic", "heuristics", multiple=True, metavar="ID", help="Only about these; repeatable.")
@options
def feedback(
    door: CommandCall, receipt: str, verdict: str, patterns: tuple[str, ...], heuristics: tuple[str, ...]
) -> None:
    """Say whether what was recommended helped."""
    with door.memory() as memory:
        judged = memory.episodes.feedback(receipt, verdict, patterns, heuristics)
    counts = f"{plural(judged.patterns, 'pattern')} and {plural(judged.heuristics, 'heuristic')}"
    said(door, "episodes.feedback", {"receipt": receipt, **judged._asdict()}, f"noted for {counts}")


@episode.command("timeline")
@click.argument("id")
@options
def timeline(door: CommandCall, id: str) -> None:
    """Show what happened in an episode, with times."""
    with door.memory() as memory:
        lines = memory.episodes.timeline(id)

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(*(f"{at:%Y-%m-%d %H:%M:%S}  {line}" for at, line in lines))

    door.answer("timeline", {"id": id, "events": [{"at": plain(at), "what": line} for at, line in lines]}, print_)


@episode.command("checkpoint")
@click.argument("id")
@click.argument("reason")
@click.option("--note", default="")
@options
def checkpoint(door: CommandCall, id: str, reason: str, note: str) -> None:
    """Mark a place on the way of an open episode."""
    with door.memory() as memory:
        record = memory.episodes.checkpoint(id, reason, note)
    said_of(door, "episode", record, f"marked {id}")


@episode.command("relate")
@click.argument("id")
@click.argument("relation", type=click.Choice(["parent", "follows", "references"]))
@click.argument("other")
@options
def relate(door: CommandCall, id: str, relation: str, other: str) -> None:
    """Tie an episode to its parent, to what it follows, or to what it refers to."""
    with door.memory() as memory:
        link = memory.episodes.relate(id, relation, other)
    said(door, "link", {"link": plain(link)}, f"{id} {relation} {other}")


@episode.command("tag")
@click.argument("id", required=False)
@click.argument("tags", nargs=-1)
@click.option("--keep/--no-keep", default=None, help="Keep it whatever its age.")
@options
def tag(door: CommandCall, id: str | None, tags: tuple[str, ...], keep: bool | None) -> None:
    """Give an episode these tags; without an id, count all tags."""
    if id is None:
        with door.memory() as memory:
            counts = memory.episodes.tags()
        said(
            door,
            "tags",
            {"tags": counts},
            "\n".join(f"{count:>6}  {name}" for name, count in counts.items()) or "no tags",
        )
        return
    with door.memory() as memory:
        record = memory.episodes.tag(id, tags, keep=keep)
    said_of(door, "episode", record, f"tagged {id}")


@episode.command("archive")
@click.argument("id")
@click.option("--restore", is_flag=True, help="Take it out again.")
@options
def archive(door: CommandCall, id: str, restore: bool) -> None:
    """Put an episode aside; --restore brings it back."""
    with door.memory() as memory:
        record = memory.episodes.restore(id) if restore else memory.episodes.archive(id)
    said_of(door, "episode", record, f"{id} is {record.status}")


@episode.command("delete")
@click.argument("id")
@options
def delete(door: CommandCall, id: str) -> None:
    """Delete an episode for good, with its steps. There is no undo."""
    with door.memory() as memory:
        gone = memory.episodes.delete(id)
    said(door, "forget", plain(gone), f"deleted {plural(len(gone.ids), 'record')}")


episode.add_command(learn)
episode.add_command(from_session)
episode.add_command(retain)
