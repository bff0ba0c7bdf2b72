"""Attacks and look-alikes, everyday commands, and commands of real sessions: what the guard says about each set."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.bench.figures import Figure
from tacit.guard.judge import judge
from tacit.guard.verdict import Decision
from tacit.shell.powershell.reading import is_powershell

# Programs that are made to destroy; a denial of them is right also in an everyday example.
_DESTROYERS = frozenset((
    "dropdb", "dropuser", "mkfs", "mke2fs", "mkswap", "wipefs", "shred", "badblocks", "cfdisk", "fdisk", "gdisk",
    "sfdisk",
    "parted", "lvremove", "vgremove", "lvreduce", "pvremove", "dd", "blkdiscard", "hdparm", "mdadm", "zpool",
    "cryptsetup",
    "srm", "wipe", "nwipe",
))  # fmt: skip
_WRAPPERS = ("sudo", "doas")


def other_sets(data: Path) -> tuple[list[Figure], dict[str, list[str]]]:
    """Return the figures of the sets that are there, and the lines that were stopped, by set and verdict."""
    figures: list[Figure] = []
    stopped: dict[str, list[str]] = {}
    for name, measured in (("red", _red), ("everyday", _everyday), ("real", _real)):
        figures += [replace(one, name=f"{name}: {one.name}") for one in measured(data, stopped)]
    return figures, stopped


def _red(data: Path, stopped: dict[str, list[str]]) -> list[Figure]:
    rows = list(_rows(data / "guard" / "red-dev.jsonl"))
    if not rows:
        return []
    judged = [(row, judge(row["command"]).verdict) for row in rows]
    bad = [(row, verdict) for row, verdict in judged if row["expected"] == "deny"]
    good = [(row, verdict) for row, verdict in judged if row["expected"] == "allow"]
    stopped["red, silent"] = [row["command"] for row, verdict in bad if verdict == "allow"]
    stopped["red, false"] = [row["command"] for row, verdict in good if verdict != "allow"]
    return [
        _share("silent allow of attacks", [verdict for _row, verdict in bad], ("allow",), 3.0),
        _share("false deny of look-alikes", [verdict for _row, verdict in good], ("deny",), 1.0),
        _share("ask or unsure on look-alikes", [verdict for _row, verdict in good], ("ask", "unsure"), 3.0),
    ]


def _everyday(data: Path, stopped: dict[str, list[str]]) -> list[Figure]:
    rows = list(_rows(data / "guard" / "everyday-dev.jsonl.gz"))
    judged = [(row["command"], judge(row["command"]).verdict) for row in rows]
    mild = [(command, verdict) for command, verdict in judged if not _is_destroyer(command)]
    stopped["everyday, deny"] = [command for command, verdict in mild if verdict == "deny"]
    verdicts = [verdict for _command, verdict in mild]
    return [
        _share("deny", verdicts, ("deny",), 0.05), _share("ask or unsure", verdicts, ("ask", "unsure"), 1.0)
    ] if rows else []  # fmt: skip


def _real(data: Path, stopped: dict[str, list[str]]) -> list[Figure]:
    commands = [
        event["cmd"]
        for row in _rows(data / "learning" / "dev.jsonl.gz")
        for event in row["events"]
        if event["t"] == "cmd"
    ]
    figures: list[Figure] = []
    of_powershell = [is_powershell(command) for command in commands]
    for name, wanted in (("real", False), ("real, PowerShell", True)):
        lines = [command for command, one in zip(commands, of_powershell, strict=True) if one is wanted]
        verdicts = [judge(command).verdict for command in lines]
        stopped[name] = [command for command, one in zip(lines, verdicts, strict=True) if one != "allow"]
        if lines and wanted:
            figures.append(_share("PowerShell: unsure", verdicts, ("unsure",), 5.0))
            figures.append(_share("PowerShell: deny or ask", verdicts, ("deny", "ask")))
        elif lines:
            figures.append(_share("stops of all kinds", verdicts, ("deny", "ask", "unsure"), 0.6))
    return figures


def _share(name: str, verdicts: list[Decision], wanted: tuple[str, ...], target: float | None = None) -> Figure:
    count = sum(verdict in wanted for verdict in verdicts)
    return Figure(name, 100 * count / max(1, len(verdicts)), "%", target, note=f"{count:,} of {len(verdicts):,}")


def _is_destroyer(command: str) -> bool:
    words = [word for word in command.split() if word not in _WRAPPERS]
    return bool(words) and words[0].partition(".")[0] in _DESTROYERS


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    yield from map(json.loads, content.splitlines())
