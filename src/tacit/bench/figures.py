"""Figures: a value, its target, and whether it was met; one table for people, one document for programs."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from rich.console import Console
from rich.table import Table

from tacit.version import __version__

Bound = Literal["at most", "at least"]
_encoder = msgspec.json.Encoder()
PAGE = 130
_SIGNS: dict[Bound, str] = {"at most": "≤", "at least": "≥"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. Without a target it is only shown for comparison."""

    name: str
    value: float
    unit: str = ""
    target: float | None = None
    bound: Bound = "at most"
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target was met, or None if there is no target."""
        if self.target is None:
            return None
        return self.value <= self.target if self.bound == "at most" else self.value >= self.target

    def document(self) -> dict[str, Any]:
        """Return the figure as plain values."""
        return {
            "name": self.name, "value": round(self.value, 4), "unit": self.unit, "target": self.target,
            "bound": self.bound if self.target is not None else None, "met": self.met, "note": self.note,
        }  # fmt: skip


def machine() -> dict[str, Any]:
    """Return a description of the machine."""
    return {
        "tacit": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count() or 0,
        "load": round(os.getloadavg()[0], 2),
    }  # fmt: skip


def answer(
    thing: str, document: dict[str, Any], figures: Sequence[Figure], *, as_json: bool, command: str = ""
) -> None:
    """Print the figures: as one JSON document, or as a table with the targets."""
    if as_json:
        shown = [figure.document() for figure in figures]
        whole = {"schema": f"tacit.bench.{thing}/1", "machine": machine(), **document, "figures": shown}
        sys.stdout.write(_encoder.encode(whole).decode() + "\n")
        return
    out = console()
    where = machine()
    load = f"load {where['load']}" if where["load"] else "idle"
    out.print(f"{command or f'tacit bench {thing}'}: {where['system']}, {where['cores']} cores, {load}, "
              f"Python {where['python']}, SQLite {where['sqlite']}", soft_wrap=True)  # fmt: skip
    out.print(table(figures))


def table(figures: Sequence[Figure]) -> Table:
    """Format figures as a table."""
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading, side in (("figure", "left"), ("measured", "right"), ("target", "right"), ("", "left"), ("", "left")):
        grid.add_column(heading, justify=side, overflow="fold")  # type: ignore[arg-type]
    for figure in figures:
        target = f"{_SIGNS[figure.bound]} {_shown(figure.target)} {figure.unit}" if figure.target is not None else ""
        verdict = {True: "[green]met[/]", False: "[yellow]missed[/]", None: ""}[figure.met]
        measured = f"{_shown(figure.value)} {figure.unit}"
        grid.add_row(figure.name, measured.strip(), target.strip(), verdict, f"[dim]{figure.note}[/]")
    return grid


def console(*, stderr: bool = False) -> Console:
    """Open the terminal. Only our own text is printed; a file or pipe gets the width of a page."""
    out = Console(stderr=stderr, highlight=False)
    if not out.is_terminal:
        out.width = PAGE
    return out


def say(message: str, *, quiet: bool = False) -> None:
    """Print progress to stderr."""
    if not quiet:
        console(stderr=True).print(message, style="dim", soft_wrap=True)


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")
