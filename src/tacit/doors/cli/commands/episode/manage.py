"""episode learn, from-session and retain: what is done with many episodes at once."""

from __future__ import annotations

from typing import Any

import click

from tacit.doors.cli.command_call import CommandCall, options, record_document
from tacit.doors.cli.commands.records import said
from tacit.episodes.from_sessions import EpisodeImport
from tacit.episodes.retention import RetentionResult, RetentionRules
from tacit.errors import NotFound
from tacit.text.plural import plural

EVERY = 100_000
MOST_SHOWN = 10


@click.command("learn")
@click.option("--limit", type=click.IntRange(1, EVERY), default=1_000, show_default=True)
@options
def learn(door: CommandCall, limit: int) -> None:
    """Work off the episodes that wait to be learned from; what went well often becomes advice, or a draft."""
    with door.memory() as memory:
        worked = memory.episodes.learn(limit)
    rest = f"{worked.retried} to be tried again, {worked.dead} set aside, {worked.waiting} wait"
    drafts = (
        f"; proposed {plural(len(worked.drafts), 'procedure')}: {', '.join(worked.drafts)}" if worked.drafts else ""
    )
    lessons = f"; {plural(len(worked.lessons), 'candidate lesson')}: {', '.join(worked.lessons)}"
    text = f"learned from {worked.learned}, {rest}{drafts}{lessons if worked.lessons else ''}"
    said(door, "episodes.learn", worked._asdict(), text)


@click.command("from-session")
@click.argument("names", nargs=-1, metavar="[SESSION]…")
@click.option("--all", "every", is_flag=True, help="Of every session that was taken in.")
@click.option("--recent", type=click.IntRange(1, EVERY), default=20, show_default=True, help="Else: the newest N.")
@options
def from_session(door: CommandCall, names: tuple[str, ...], every: bool, recent: int) -> None:
    """Make episodes of sessions: the task is the prompt, the steps are the tools.

    How it ended is what can be observed: the user's last word, or the last test or build. Else it stays unknown, and
    such an episode stays open: it is neither scored nor learned from. Nothing is made twice.
    """
    with door.memory(writes=True) as memory, door.progress("reading") as progress:
        chosen = [memory.sessions.get(name) for name in names]
        records = chosen or memory.sessions.list(limit=EVERY if every else recent)
        if not records:
            raise NotFound("no session was taken in yet", "`tacit sessions import` takes in what agents keep")
        taken = memory.episodes.from_sessions(list(reversed(records)), progress=progress)
    door.answer("episodes.from_session", _taken(taken), lambda: _report(taken))


def _taken(taken: EpisodeImport) -> dict[str, Any]:
    lists = {"ended": taken.ended, "unknown": taken.unknown}
    return {
        **{name: [record_document(one, body=False) for one in found] for name, found in lists.items()},
        "known": taken.known, "without_task": taken.without_task, "cut": taken.cut,
        "unreadable": list(taken.unreadable),
    }  # fmt: skip


def _report(taken: EpisodeImport) -> None:
    from tacit.doors.cli.render import one_line, say

    say(
        f"{plural(len(taken.ended), 'episode')} ended, {len(taken.unknown)} whose end is unknown, {taken.known} known "
        f"before, {plural(taken.without_task, 'session')} without a task"
    )
    say(*(f"  {one_line(one.title, 80)}  ({one.id})" for one in (*taken.ended, *taken.unknown)[:MOST_SHOWN]))
    say(*([f"  {plural(taken.cut, 'step')} beyond what an episode holds were left out"] if taken.cut else []))
    say(*(f"not read: {problem}" for problem in taken.unreadable[:MOST_SHOWN]))


@click.command("retain")
@click.option("--older-than", "older_than_days", type=click.FloatRange(0), metavar="DAYS", help="Ended longer ago.")
@click.option("--keep", "keep_most", type=click.IntRange(0), metavar="N", help="Beyond so many, the worst first.")
@click.option("--below-reward", type=click.FloatRange(0, 1), metavar="R", help="With a lower reward.")
@click.option("--dry-run", is_flag=True, help="Say what would go, and erase nothing.")
@options
def retain(
    door: CommandCall, older_than_days: float | None, keep_most: int | None, below_reward: float | None, dry_run: bool
) -> None:
    """Erase what was said in the steps of episodes that a rule means. There is no undo.

    That they happened stays, with their scores and counts. Kept ones (tag --keep) and those that patterns come of stay
    whole.
    """
    with door.memory() as memory:
        done = memory.episodes.retain(RetentionRules(older_than_days, keep_most, below_reward), dry_run=dry_run)
    door.answer("episodes.retain", _retained(done), lambda: _told(done))


def _retained(done: RetentionResult) -> dict[str, Any]:
    going = [{"id": one.record.id, "title": one.record.title, "why": one.why} for one in done.erased]
    counts = {name: value for name, value in done._asdict().items() if name != "erased"}
    return {"episodes": going, **counts}


def _told(done: RetentionResult) -> None:
    from tacit.doors.cli.render import one_line, say

    count = plural(len(done.erased), "episode")
    say(f"would erase the steps of {count}" if done.dry_run else f"erased {plural(done.bodies, 'step')} of {count}")
    say(*(f"  {one_line(one.record.title, 70)}: {one.why}  ({one.record.id})" for one in done.erased[:MOST_SHOWN]))
    say(f"{done.marked} marked ones, {done.sources} that patterns come of and {done.of_persons} of persons stay")
