"""For people: tables, lines and bars. Text from memory is shown as text: no markup, no control characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.judge.trust import LABELS
from tacit.logs import escape
from tacit.model.query import Hit, Recall
from tacit.model.record import Record
from tacit.model.report import Finding

_MARKS = {"ok": ("ok", "green"), "hint": ("hint", "cyan"), "warning": ("warning", "yellow"), "error": ("ERROR", "red")}


def console(*, stderr: bool = False) -> Console:
    """Open the terminal."""
    return Console(stderr=stderr, highlight=False, markup=False, soft_wrap=False)


def text(value: object, style: str = "") -> Text:
    """Make a value safe to show."""
    return Text("\n".join(escape(line) for line in str(value).split("\n")), style=style)


def say(*lines: str) -> None:
    """Print lines."""
    out = console()
    for line in lines:
        out.print(text(line), soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """Print a table, or say that there is nothing."""
    found = list(rows)
    if not found:
        say(empty)
        return
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings:
        # An id that is broken over two lines cannot be copied.
        grid.add_column(heading, overflow="fold", no_wrap=heading == "id")
    for row in found:
        grid.add_row(*(text(cell) for cell in row))
    console().print(grid)


def one_line(body: str, most: int = 100) -> str:
    """Give the beginning of a text on one line."""
    line = " ".join(body.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def name_of(record: Record, most: int = 100) -> str:
    """Give what a person would call a record."""
    return one_line(record.title or record.body, most)


def day(at: datetime | None) -> str:
    """Give a day."""
    return at.astimezone(UTC).strftime("%Y-%m-%d") if at else ""


def recalled(found: Recall, *, explain: bool, body: bool) -> None:
    """Print the hits of a recall."""
    out = console()
    for number, hit in enumerate(found, 1):
        head = Text(f"{number}. ", style="bold")
        title = hit.record.title
        shown = hit.record.body if body else one_line(hit.record.body, 240)
        head.append_text(text(f"{title}: {shown}" if title and shown else title or shown))
        out.print(head, soft_wrap=True)
        out.print(text("   " + _facts_of(hit), style="dim"), soft_wrap=True)
        for label in (label for label in hit.why.labels if label.startswith(("conflicts", "ended"))):
            out.print(text(f"   {label}", style="yellow"), soft_wrap=True)
        if explain:
            _explained(out, hit)
        for entity in hit.graph:
            out.print(text(f"   about {entity['kind']} {entity['name']}"), soft_wrap=True)
            for edge in entity["relations"]:
                out.print(text(f"     {edge['source']} {edge['relation']} {edge['target']} ({edge['strength']:g})"))
    for notice in found.notices:
        console(stderr=bool(found)).print(text(notice, style="dim"), soft_wrap=True)


def _facts_of(hit: Hit) -> str:
    record = hit.record
    parts = [
        f"{hit.score:.2f}",
        hit.source,
        record.kind,
        LABELS[record.trust],
        day(record.at or record.created_at),
        hit.id,
    ]
    return "  ".join([*parts, *(f"#{tag}" for tag in record.tags)])


def _explained(out: Console, hit: Hit) -> None:
    for signal in hit.why.signals:
        line = (
            f"   {signal.name}: raw {signal.raw:.3f}, rank {signal.rank}, "
            f"{signal.normalised:.3f} x {signal.weight:.2f} = {signal.contribution:.3f}"
        )
        out.print(text(line, style="cyan"), soft_wrap=True)
    factors = ", ".join(f"{name} x {value:.3f}" for name, value in hit.why.factors.items())
    if factors:
        out.print(text(f"   {factors}", style="cyan"), soft_wrap=True)


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
    """Show a progress bar on stderr; a total of 0 is one nobody knows, then it counts."""
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def step(done: int, total: int) -> None:
            if total:
                progress.update(task, completed=done, total=max(done, total))
            else:
                progress.update(task, completed=done, description=f"{what} {done:,}")

        yield step
