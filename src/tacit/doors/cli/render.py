"""Output for people: tables, lines and bars. Stored text is shown without markup and control characters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.admission.trust import LABELS
from tacit.doors.cli.excerpt import excerpt
from tacit.doors.cli.short_ids import is_whole_id, shorten_ids
from tacit.doors.listed_text import on_one_line
from tacit.failures.rules.told_error import tells_error
from tacit.logs import escape
from tacit.model.failure import Correction
from tacit.model.kinds import kind_shown, spoken_tags
from tacit.model.origin import author_of
from tacit.model.payload import KeptTurn, Recap
from tacit.model.query import Hit, Recall, near_best
from tacit.model.record import Record, origin_of, replace, short_id
from tacit.model.report import Finding
from tacit.model.timestamps import stamp
from tacit.records.told_marks import trust_words
from tacit.search.recall import NEAREST, NOT_RELEVANT
from tacit.search.recent_recaps import LATEST
from tacit.search.rules.relevance_cutoff import FIX, is_learned
from tacit.search.rules.repeated_turns import AGAIN
from tacit.search.worked_next import THEN
from tacit.sessions.rules.kept_turns import stopped_by
from tacit.sessions.rules.own_words import PROGRAM
from tacit.text.plural import plural
from tacit.text.tokens import query_tokens, tokens

WIDEST_PADDED = 60
_EVIDENCED = 2
_MARKS = {"ok": ("ok", "green"), "hint": ("hint", "cyan"), "warning": ("warning", "yellow"), "error": ("ERROR", "red")}


def console(*, stderr: bool = False) -> Console:
    """Open the terminal."""
    return Console(stderr=stderr, highlight=False, markup=False, soft_wrap=False)


def text(value: object, style: str = "", *, ids: bool = True) -> Text:
    """Make a value safe to show, with short ids; without `ids` it is stored text, whose words stay."""
    said = shorten_ids(str(value)) if ids else str(value)
    return Text("\n".join(escape(line) for line in said.split("\n")), style=style)


def say(*lines: str, stderr: bool = False) -> None:
    """Print lines."""
    out = console(stderr=stderr)
    for line in lines:
        out.print(text(line), soft_wrap=True)


def say_stored(line: str) -> None:
    """Print a line with stored text, whose words stay as they are."""
    console().print(text(line, ids=False), soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """Print a table, or a sentence if it is empty."""
    found = list(rows)
    if not found:
        say(empty)
    elif on_terminal():
        _grid(headings, found)
    else:
        say(*_lines([headings, *found]))


def on_terminal() -> bool:
    """Return whether the output is shown on a terminal. Otherwise a program reads it, and it has no width."""
    return sys.stdout.isatty()


def _lines(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Return each row of a table as one line, whole, so that a program finds in it what is there."""
    shown = [[escape(" ".join(_cell(value).split())) for value in row] for row in rows]
    widths = [min(WIDEST_PADDED, max(map(cell_len, column))) for column in zip(*shown, strict=True)]
    for row in shown:
        padded = (value + " " * (width - cell_len(value)) for value, width in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _cell(value: object) -> str:
    """Return a cell of a table: an id is its last letters, any other text stays as it is."""
    said = str(value)
    return short_id(said) if is_whole_id(said) else said


def _grid(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table that folds long cells to the width of the terminal."""
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings:
        # An id that is broken over two lines cannot be copied.
        grid.add_column(heading, overflow="fold", no_wrap=heading == "id")
    for row in rows:
        grid.add_row(*(text(_cell(value), ids=False) for value in row))
    console().print(grid)


_EXCERPT_CHARS = 240
"""How much of the text of a hit is shown."""


def one_line(body: str, most: int = 100) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(body.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def cell(body: str, most: int = 100) -> str:
    """Return a text for a table cell: its beginning on a terminal, the whole text for a program."""
    return one_line(body, most if on_terminal() else len(body))


def filling(rows: Sequence[Sequence[object]], least: int) -> list[Sequence[object]]:
    """Cut the last cell of each row so that a table fits the terminal; a program gets the whole text."""
    if not rows or not on_terminal():
        return list(rows)
    taken = sum(max(cell_len(_cell(row[column])) for row in rows) + 2 for column in range(len(rows[0]) - 1))
    room = max(least, console().width - taken)
    return [(*row[:-1], _fitted(" ".join(str(row[-1]).split()), room)) for row in rows]


def _fitted(line: str, cells: int) -> str:
    """Return the beginning of a line that is so many cells of a terminal wide, where letters may take two."""
    if cell_len(line) <= cells:
        return line
    line = line[:cells]
    while cell_len(line) > cells - 1:
        line = line[:-1]
    return line.rstrip() + "…"


def worded(record: Record) -> str:
    """Return the title and the text of a record, if it has both and one does not repeat the other."""
    if isinstance(record.payload, Correction) or record.body.startswith(record.title):
        return record.title if isinstance(record.payload, Correction) else record.body
    return ": ".join(part for part in (record.title, record.body) if part)


def changes(versions: Sequence[Record]) -> list[str]:
    """Return one line per version: its text or, if the text did not change, the other fields that did."""
    told = [worded(version) for version in versions]
    pairs = zip(versions, versions[1:], told, told[1:], strict=False)
    return told[:1] + [_difference(old, new) if before == after else after for old, new, before, after in pairs]


def _difference(old: Record, new: Record) -> str:
    was, now = _content(old), _content(new)
    changed = [f"{name} {was[name] or 'none'} -> {now[name] or 'none'}" for name in now if was[name] != now[name]]
    return f"same text; {', '.join(changed) or 'written anew'}"


def _content(record: Record) -> dict[str, str]:
    """Return everything a version may change beside its text."""
    content = {name: getattr(record, name) for name in ("status", "importance", "tags", "at")}
    payload = {name: getattr(record.payload, name) for name in record.payload.__struct_fields__}
    return {name: spelt(value) for name, value in ({"by": writer(record)} | content | payload).items()}


def writer(record: Record) -> str:
    """Return who wrote a version: on a server the role and the person, else what kind of writer."""
    origin = origin_of(record)
    return author_of(origin) or origin.actor


def spelt(value: object) -> str:
    """Return a plain value as a person writes it. An empty value gives an empty text."""
    match value:
        case None:
            return ""
        case float():
            return f"{value:g}"
        case datetime():
            return stamp(value)
        case list() | tuple():
            return ", ".join(map(spelt, value))
        case dict():
            return ", ".join(f"{name} {told}" for name, part in value.items() if (told := spelt(part)))
    return str(value)


def day(at: datetime | None) -> str:
    """Return the date of a time, by the clocks here."""
    return at.astimezone().strftime("%Y-%m-%d") if at else ""


def recalled(
    found: Recall, session_ids: Mapping[str, str], *, query: str, explain: bool, body: bool, every: bool = False
) -> None:  # fmt: skip
    """Print the hits of a recall, then what sessions say; hits far below the best are left out, and that is said.

    `session_ids` are the ids of the sessions that hits come from, by what turns call their thread.
    """
    wanted = query_tokens(query)
    out = console()
    shown_hits = found.first if every else near_best(found.first)
    for number, hit in enumerate(shown_hits, 1):
        head = Text(f"{number}. ", style="bold")
        part = hit.record.body if body else excerpt(hit.record.body, _wanted_in(hit, wanted), _EXCERPT_CHARS)
        shown = replace(hit.record, body=part)
        head.append_text(text(_ran(hit, wanted, _EXCERPT_CHARS) or worded(shown), ids=False))
        out.print(head, soft_wrap=True)
        _print_failure(out, hit, "   ")
        opens = [_opening(hit.record, session_ids)] if thread_of(hit.record) else []
        out.print(text("  ".join(["   " + _facts_of(hit), *opens]), style="dim"), soft_wrap=True)
        for label in (label for label in hit.why.labels if label.startswith(("conflicts", "ended", "names"))):
            out.print(text(f"   {label}", style="yellow"), soft_wrap=True)
        if explain:
            _explained(out, hit)
        for entity in hit.graph:
            out.print(text(f"   about {entity['kind']} {entity['name']}"), soft_wrap=True)
            for edge in entity["relations"]:
                line = f"     {edge['source']} {edge['relation']} {edge['target']} ({edge['strength']:g})"
                out.print(text(line), soft_wrap=True)
    weaker = len(found.first) - len(shown_hits) + found.weaker
    if weaker and shown_hits:
        them = "them" if weaker > 1 else "it"
        out.print(text(f"{plural(weaker, 'weaker hit')} left out; --all shows {them}", style="dim"))
    only_near = NEAREST in found.notices
    if found.said:
        out.print(Text(f"in sessions{f': {NEAREST}' if only_near else ''}", style="bold"))
    _print_from_sessions(out, found.said, session_ids, wanted, explain=explain)
    if found and (more := found.weaker_said):
        them = "are not shown; --all shows them" if more > 1 else "is not shown; --all shows it"
        out.print(text(f"{plural(more, 'weaker hit')} from sessions {them}", style="dim"))
    for notice in (one for one in found.notices if one != NEAREST):
        console(stderr=bool(found)).print(text(_with_next_step(notice, found), style="dim"), soft_wrap=True)


def _with_next_step(notice: str, found: Recall) -> str:
    """Add to the notice that nothing was relevant how to see what was left out, if anything was."""
    left_out = found.weaker + found.weaker_said
    is_last = notice == NOT_RELEVANT and left_out
    return f"{notice}; --all shows {plural(left_out, 'weaker hit')}" if is_last else notice


def thread_of(record: Record) -> str:
    """Return what a turn or a recap calls its session; empty for any other record."""
    match record.payload:
        case KeptTurn(thread=thread):
            return thread
        case Recap(session=session):
            return session
    return ""


def _opening(record: Record, session_ids: Mapping[str, str]) -> str:
    """Return the command that opens the place of a turn or a recap; of a turn without a session, the turn itself."""
    id, number = session_ids.get(thread_of(record), ""), getattr(record.payload, "number", 0)
    if not id:
        return f"tacit show {short_id(record.id)}"
    return f"tacit sessions show {short_id(id)}" + (f" --turn {number}" if number else "")


def _print_from_sessions(
    out: Console, hits: Sequence[Hit], session_ids: Mapping[str, str], wanted: Sequence[str], *, explain: bool
) -> None:  # fmt: skip
    for place, hit in enumerate(hits):
        said, where = hit.record.payload, _opening(hit.record, session_ids)
        who = "recap" if isinstance(said, Recap) else _author_shown(getattr(said, "author", "")) or hit.record.kind
        # The best is most often what was asked for; and how a session ended is told at the end of its recap.
        most = 2 * _EXCERPT_CHARS if not place or isinstance(said, Recap) else _EXCERPT_CHARS
        # What was asked for by its time is told from its beginning, and was not ranked.
        by_time = hit.source == LATEST
        part = _ran(hit, wanted, most) or excerpt(hit.record.body, () if by_time else _wanted_in(hit, wanted), most)
        # At a terminal, lines end between words; a program reads each as one.
        out.print(text(f"- {part}", ids=False), soft_wrap=not out.is_terminal)
        _print_failure(out, hit, "  ")
        when = day(getattr(said, "started_at", None) or hit.record.at) or "without a date"
        out.print(text(f"  {when}  {who}  {where}", style="dim"), soft_wrap=True)
        if explain and not by_time:
            _explained(out, hit)


def _wanted_in(hit: Hit, wanted: Sequence[str]) -> list[str]:
    """Return the tokens that were asked for, and those of what the hit says instead."""
    return list(dict.fromkeys((*wanted, *(token for other in hit.why.instead.values() for token in tokens(other)))))


def _ran(hit: Hit, wanted: Sequence[str], most: int) -> str:
    """Return the part of a turn's command that was asked for, and that it failed; empty if it is another turn."""
    turn = hit.record.payload
    if not isinstance(turn, KeptTurn) or not turn.command:
        return ""
    who = stopped_by(turn)
    code = f"   (stopped by {who})" if who else f"   (exit {turn.exit_code})" if turn.exit_code else "   (failed)"
    part = excerpt(on_one_line(turn.command), _wanted_in(hit, wanted), most)
    return f"$ {part}" + (code if turn.ok is False else "")


def _print_failure(out: Console, hit: Hit, indent: str) -> None:
    """Print with what a command failed, what worked next, and how often it was run."""
    turn = hit.record.payload
    told = isinstance(turn, KeptTurn) and turn.command and not stopped_by(turn) and tells_error(turn.error)
    error = [error_line(turn.error)] if isinstance(turn, KeptTurn) and told else []
    for line in (*error, *(label for label in hit.why.labels if label.startswith((THEN, AGAIN)))):
        line = f"{indent}{one_line(on_one_line(line), 340)}"
        out.print(text(line, style="yellow", ids=False), soft_wrap=not out.is_terminal)


def error_line(error: str) -> str:
    """Return the line of an error, as such."""
    return f"error: {one_line(error.removeprefix('error: ').removeprefix('Error: '), 300)}"


def _facts_of(hit: Hit) -> str:
    record = hit.record
    parts = [
        FIX if is_learned(record) else kind_shown(record.kind),
        # That evidence agrees is the usual case; --explain says it.
        *([] if trust_words(record) == LABELS[_EVIDENCED] else [trust_words(record)]),
        day(record.at or record.created_at),
        hit.id,
    ]
    return "  ".join([*parts, *(f"#{tag}" for tag in spoken_tags(record))])


def _author_shown(author: str) -> str:
    """Return who said or ran something, as people say it."""
    return "a program" if author == PROGRAM else author


def _explained(out: Console, hit: Hit) -> None:
    # A score compares hits of one question: the best has a high one whether it answers or not.
    found = f"   score {hit.score:.2f} beside the other hits, {hit.source}"
    out.print(text(f"{found}; trust {hit.record.trust}: {trust_words(hit.record)}", style="cyan"), soft_wrap=True)
    for signal in hit.why.signals:
        line = (
            f"   {signal.name}: raw {signal.raw:.3f}, rank {signal.rank}, "
            f"{signal.normalised:.3f} x {signal.weight:.2f} = {signal.contribution:.3f}"
        )
        out.print(text(line, style="cyan"), soft_wrap=True)
    factors = ", ".join(f"{name} x {value:.3f}" for name, value in hit.why.factors.items())
    if factors:
        out.print(text(f"   {factors}", style="cyan"), soft_wrap=True)
    for asked, other in hit.why.instead.items():
        out.print(text(f"   says {other} for {asked}", style="cyan"), soft_wrap=True)


def findings(found: Sequence[Finding]) -> None:
    """Print what a check found."""
    out = console()
    for finding in found:
        mark, style = _MARKS[finding.level]
        line = Text(f"{mark:8}", style=style)
        line.append_text(text(f"{finding.subject}: {finding.message}"))
        out.print(line, soft_wrap=True)
        if finding.hint and finding.level != "ok":
            out.print(text(f"        {finding.hint}", style="dim"), soft_wrap=True)


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr. If the total is 0, it is unknown, and only the count is shown."""
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def step(done: int, total: int) -> None:
            if total:
                progress.update(task, completed=done, total=max(done, total))
            else:
                progress.update(task, completed=done, description=f"{what} {done:,}")

        yield step
