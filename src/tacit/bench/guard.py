"""`tacit bench guard`: what the guard allows and what it blocks, on rows with the expected verdict."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit.bench.figures import Figure, answer
from tacit.bench.guard_sets import other_sets
from tacit.bench.guard_slow_lines import figures as hostile
from tacit.errors import NotFound
from tacit.guard.fast_path import is_plain
from tacit.guard.judge import judge, judge_fully
from tacit.guard.packs import built_in
from tacit.guard.verdict import CommandLocation, Decision

Row = tuple[str, str, str, Decision]
"""Command, expected, category, verdict."""


def run(data: Path, *, as_json: bool) -> None:
    """Measure and print."""
    path = data / "guard" / "dev.jsonl"
    if not path.is_file():
        raise NotFound(f"{path} does not exist", "pass the folder that contains guard/dev.jsonl as --data")
    judge("ls | wc")  # loads the parser and the packs
    rows: list[Row] = []
    spent: list[float] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        begun = time.perf_counter()
        verdict = judge(row["command"]).verdict
        spent.append(1_000 * (time.perf_counter() - begun))
        rows.append((row["command"], row["expected"], row["category"], verdict))
    missed = sorted({row[2] for row in rows if row[1] == "deny" and row[3] == "allow"})
    more, stopped = other_sets(data)
    answer(
        "guard",
        {"rows": len(rows), "missed": missed, "stopped": stopped},
        [*_scores(rows), *more, _agreement(rows), *_times(spent), *hostile()],
        as_json=as_json,
    )


def _scores(rows: Sequence[Row]) -> list[Figure]:
    bad = [row for row in rows if row[1] == "deny"]
    good = [row for row in rows if row[1] == "allow"]
    data = [row for row in good if row[2].startswith("data/")]
    return [
        _share("silent allow of destructive", bad, ("allow",), 1.0),
        _share("false deny of harmless", good, ("deny",), 1.0),
        _share("ask or unsure on harmless", good, ("ask", "unsure"), 5.0),
        _share("deny or ask on quoted data", data, ("deny", "ask"), 2.0),
        *_by_category(bad),
    ]


def _share(name: str, rows: Sequence[Row], verdicts: tuple[str, ...], target: float) -> Figure:
    count = sum(row[3] in verdicts for row in rows)
    return Figure(name, 100 * count / max(1, len(rows)), "%", target, note=f"{count} of {len(rows)}")


def _agreement(rows: Sequence[Row]) -> Figure:
    """Compare the fast path with the full judgement, wherever the fast path answers."""
    plain = [row[0] for row in rows if is_plain(row[0], built_in())]
    other = sum(judge_fully(one, CommandLocation(), built_in()).verdict != "allow" for one in plain)
    return Figure("fast path says otherwise", other, "lines", 0, note=f"of {len(plain)} it answers")


def _by_category(rows: Sequence[Row]) -> list[Figure]:
    totals = Counter(row[2].split("/")[0] for row in rows)
    passed = Counter(row[2].split("/")[0] for row in rows if row[3] == "allow")
    return [
        Figure(f"silent allow: {name}", 100 * passed[name] / total, "%", note=f"{passed[name]} of {total}")
        for name, total in totals.most_common()
    ]


def _times(spent: Sequence[float]) -> list[Figure]:
    ranked = sorted(spent) or [0.0]
    return [
        Figure("judging, p50", ranked[len(ranked) // 2], "ms", 0.3),
        Figure("judging, p99", ranked[int(0.99 * (len(ranked) - 1))], "ms", 5.0),
    ]
