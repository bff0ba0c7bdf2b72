"""episode: what was tried, step by step, how it went, and advice before the next task."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tacit.app.verbs.episodes import Episodes
from tacit.doors.cli.command_call import CommandCall, options, record_document, writing
from tacit.doors.cli.commands.episode.advice import advice_document, print_advice
from tacit.doors.cli.commands.records import said, said_of
from tacit.doors.cli.verb_commands import Given, VerbCommand, View, arguments_of, group, of_record, sentence
from tacit.episodes.advice import FeedbackResult
from tacit.episodes.edit import EpisodeView
from tacit.episodes.episodes import COMPLETE, OPEN
from tacit.episodes.from_sessions import EpisodeImport
from tacit.episodes.open_episode import CompletedEpisode, LoggedStep, OpenEpisode
from tacit.episodes.reflect_with_model import ReflectedEpisode
from tacit.episodes.retention import RetentionResult
from tacit.loop.learn_episodes import LearningPass
from tacit.model.episode import Episode
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of
from tacit.text.plural import plural

MOST_SHOWN = 10
NARROWING = ("outcome", "domain", "task_type", "tags", "since", "until", "min_reward", "max_reward")

episode = group("episode", "What was tried, step by step, and how it went.")


# -- trying -----------------------------------------------------------------------------------------------------------


def _started(episode: OpenEpisode, _given: Given) -> dict[str, Any]:
    return {"id": episode.id, "record": record_document(episode.record)}


def _logged(step: LoggedStep, _given: Given) -> dict[str, Any]:
    return {"id": step.id, "steps": step.steps, "written": step.written._asdict()}


def _completed(done: CompletedEpisode, given: Given) -> dict[str, Any]:
    return _reflected(done, given) | {"written": done.written._asdict()}


def _reflected(done: CompletedEpisode | ReflectedEpisode, given: Given) -> dict[str, Any]:
    if done.notice:
        given.call.tell(done.notice)
    notices = [done.notice] if done.notice else []
    return {"id": done.record.id, "record": record_document(done.record), "notices": notices}


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


episode.verb(
    Episodes.start, sentence("episode", lambda started, _given: started.id, _started), but=("batch",),
    help="Start an episode; prints its id.",
)  # fmt: skip
episode.verb(Episodes.step, sentence(
    "episode", lambda step, _given: f"{step.id} has {plural(step.steps, 'step')}", _logged
))  # fmt: skip
episode.verb(Episodes.checkpoint, of_record("episode", lambda _record, given: f"set a checkpoint in {given.id}"))
episode.verb(Episodes.complete, View("episode", lambda done, _given: _print(done.record), _completed))
episode.verb(Episodes.reflect, View("episode", lambda done, _given: _print(done.record), _reflected))


# -- looking ----------------------------------------------------------------------------------------------------------


def _show(found: EpisodeView, _given: Given) -> None:
    from tacit.doors.cli.render import one_line, say

    _print(found.record)
    for number, one in enumerate(found.steps, 1):
        say(f"  {number}. {one.tool} {one.action}: {one.result or 'unknown'}")
        say(*([f"       {one_line(one.observation, 100)}"] if one.observation else []))


def _show_document(found: EpisodeView, _given: Given) -> dict[str, Any]:
    record = found.record
    return {"id": record.id, "record": record_document(record), "steps": [plain(one) for one in found.steps]}


def _list(found: Sequence[Record], given: Given) -> None:
    from tacit.doors.cli.render import cell, day, table

    rows = []
    for record in found:
        payload = payload_of(record, Episode)
        reward = f"{payload.reward.total:.2f}" if payload.reward else ""
        ended = payload.outcome or record.status
        rows.append((record.id, ended, reward, payload.steps, day(record.created_at), cell(record.title, 60)))
    narrowed = given.statuses != (OPEN, COMPLETE) or any(getattr(given, name) for name in NARROWING)
    empty = "no such episode" if narrowed else "no episodes yet: tacit episode start TASK"
    table(["id", "outcome", "reward", "steps", "day", "task"], rows, empty=empty)


def _list_document(found: Sequence[Record], _given: Given) -> dict[str, Any]:
    return {"episodes": [record_document(one) for one in found]}


def _timeline(lines: Sequence[tuple[datetime, str]], _given: Given) -> str:
    return "\n".join(f"{at:%Y-%m-%d %H:%M:%S}  {line}" for at, line in lines)


def _timeline_document(lines: Sequence[tuple[datetime, str]], given: Given) -> dict[str, Any]:
    return {"id": given.id, "events": [{"at": plain(at), "what": line} for at, line in lines]}


def _feedback(judged: FeedbackResult, _given: Given) -> str:
    return f"recorded for {plural(judged.patterns, 'pattern')} and {plural(judged.heuristics, 'heuristic')}"


episode.verb(Episodes.show, View("episode", _show, _show_document))
episode.verb(Episodes.list, View("episodes", _list, _list_document))
episode.verb(Episodes.timeline, sentence("timeline", _timeline, _timeline_document))


@episode.command("search", cls=VerbCommand)
@arguments_of(Episodes.search)
@writing
def search(call: CommandCall, task: str, receipt: bool, **how: Any) -> None:
    """Find advice before a task: similar episodes, patterns, heuristics, and a playbook."""
    # Only a receipt is written, so only with one may a store be made.
    with call.memory(writes=receipt) as memory:
        found = memory.episodes.search(task, receipt=receipt, **how)
    call.answer("episodes.relevant", advice_document(found), lambda: print_advice(found))


episode.verb(Episodes.feedback, sentence(
    "episodes.feedback", _feedback, lambda judged, given: {"receipt": given.receipt, **judged._asdict()}
))  # fmt: skip


# -- keeping ----------------------------------------------------------------------------------------------------------


@episode.command("tag", cls=VerbCommand)
@arguments_of(Episodes.tag, defaults={"id": "", "tags": ()})
@options
def tag(call: CommandCall, id: str, tags: tuple[str, ...], keep: bool | None) -> None:
    """Tag an episode, or count all tags if no id is given."""
    with call.memory() as memory:
        if id:
            said_of(call, "episode", memory.episodes.tag(id, tags, keep=keep), f"tagged {id}")
        else:
            counts = memory.episodes.tags()
            lines = "\n".join(f"{count:>6}  {name}" for name, count in counts.items())
            said(call, "tags", {"tags": counts}, lines or "no tags")


def _learned(done: LearningPass, _given: Given) -> str:
    rest = f"{done.retried} to be retried, {done.dead} set aside, {done.waiting} waiting"
    proposed = [
        f"; {plural(len(ids), what)}: {', '.join(ids)}"
        for ids, what in ((done.drafts, "draft of a procedure"), (done.lessons, "candidate lesson"))
        if ids
    ]
    return f"learned from {done.learned}, {rest}{''.join(proposed)}"


def _imported(taken: EpisodeImport, _given: Given) -> None:
    from tacit.doors.cli.render import one_line, say

    say(
        f"{plural(len(taken.ended), 'episode')} ended, {len(taken.unknown)} with an unknown outcome, {taken.known} "
        f"known before, {plural(taken.without_task, 'session')} without a task"
    )
    say(*(f"  {one_line(one.title, 80)}  ({one.id})" for one in (*taken.ended, *taken.unknown)[:MOST_SHOWN]))
    say(
        *([f"  {plural(taken.cut, 'step')} were left out because an episode is limited in length"] if taken.cut else [])
    )
    say(*(f"not read: {problem}" for problem in taken.unreadable[:MOST_SHOWN]))


def _imported_document(taken: EpisodeImport, _given: Given) -> dict[str, Any]:
    made = {"ended": taken.ended, "unknown": taken.unknown}
    return taken._asdict() | {name: [record_document(one, body=False) for one in some] for name, some in made.items()}


def _pruned(done: RetentionResult, _given: Given) -> None:
    from tacit.doors.cli.render import one_line, say

    count = plural(len(done.erased), "episode")
    say(f"would erase the steps of {count}" if done.dry_run else f"erased {plural(done.bodies, 'step')} of {count}")
    say(*(f"  {one_line(one.record.title, 70)}: {one.why}  ({one.record.id})" for one in done.erased[:MOST_SHOWN]))
    others = f", {done.of_others} that somebody else wrote" if done.of_others else ""
    kept = f"{done.marked} marked, {done.sources} that patterns were learned from, {done.of_persons} of persons{others}"
    say(f"kept: {kept}")


def _pruned_document(done: RetentionResult, _given: Given) -> dict[str, Any]:
    erased = [{"id": one.record.id, "title": one.record.title, "why": one.why} for one in done.erased]
    counts = {name: value for name, value in done._asdict().items() if name != "erased"}
    return {"episodes": erased, **counts}


episode.verb(Episodes.relate, sentence(
    "link", lambda _link, given: f"{given.id} {given.relation} {given.other}",
    lambda link, _given: {"link": plain(link)},
))  # fmt: skip
episode.verb(Episodes.archive, of_record("episode", lambda record, given: f"{given.id} is {record.status}"))
episode.verb(
    Episodes.delete, sentence("forget", lambda gone, _given: f"deleted {plural(len(gone.ids), 'record')}"),
    "forget", aliases=("delete",),
)  # fmt: skip
episode.verb(Episodes.prune, View("episodes.retain", _pruned, _pruned_document), aliases=("retain",))
episode.verb(
    Episodes.learn, sentence("episodes.learn", _learned, lambda done, _given: done._asdict()), defaults={"limit": 1_000}
)
episode.verb(
    Episodes.from_session, View("episodes.from_session", _imported, _imported_document, doing="reading"),
    former={"limit": "--recent"},
)  # fmt: skip
