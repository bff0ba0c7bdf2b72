"""`tacit bench redact`: how many secrets are removed, how many clean texts stay unchanged, and the speed on a log."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from tacit.bench.figures import Figure, answer, say
from tacit.bench.timing import Timing
from tacit.errors import UsageError
from tacit.redact import Redactor

# Kinds of which every secret must be found, by the name of a row's rule.
CERTAIN = (
    "aws", "github", "gitlab", "openai", "anthropic", "slack", "stripe", "pem", "privatekey", "private-key", "sidekiq",
    "basic_auth",
)  # fmt: skip
LOG_LINES = 20_000
RUNS = 3


class LabelledText(NamedTuple):
    """A text, whether it contains a secret, and which one if that is known."""

    text: str
    is_secret: bool
    rule: str
    secret: str


def run(data: Path, *, as_json: bool, lines: int = LOG_LINES) -> None:
    """Measure and print."""
    rows = load(data)
    redactor = Redactor(lambda secret: sha256(secret.encode(errors="surrogatepass")).hexdigest()[:8])
    say(f"redacting {len(rows)} texts", quiet=as_json)
    secrets = [row for row in rows if row.is_secret]
    clean = [row for row in rows if not row.is_secret]
    missed = [row for row in secrets if not is_gone(row, redactor.clean(row.text))]
    changed = [row for row in clean if redactor.clean(row.text) != row.text]
    sure = [row for row in secrets if row.rule.startswith(CERTAIN)]
    figures = [
        Figure("secrets gone", _share(secrets, missed), "%", 98, "at least", f"{len(secrets)} texts"),
        Figure("secrets gone, kinds that must", _share(sure, [row for row in missed if row in sure]), "%", 100,
               "at least", f"{len(sure)} texts"),
        Figure("clean texts changed", 100 - _share(clean, changed), "%", 2, note=f"{len(clean)} texts"),
        *_speed(redactor, lines, as_json),
    ]  # fmt: skip
    named = {"missed": _named(missed), "changed": _named(changed)}
    answer("redact", {"texts": len(rows), **named}, figures, as_json=as_json)
    if not as_json:
        for verb, rules in named.items():
            print(f"{verb}: {', '.join(f'{rule} {count}' for rule, count in rules.items()) or 'none'}")


def load(folder: Path) -> list[LabelledText]:
    """Read the texts in a folder, or in its `secrets/` folder."""
    found = sorted([*folder.glob("secrets/*.jsonl*"), *folder.glob("secrets*.jsonl*")])
    if not found:
        raise UsageError(f"{folder} contains no texts with secrets", "expected: secrets/*.jsonl[.gz]")
    try:
        content = b"\n".join(gzip.decompress(p.read_bytes()) if p.suffix == ".gz" else p.read_bytes() for p in found)
        rows = [json.loads(line) for line in content.splitlines() if line.strip()]
        return list(map(_labelled, rows))
    except (ValueError, OSError, EOFError, KeyError, TypeError) as error:
        raise UsageError(f"{found[0]} cannot be read: {error}", "it should be JSON lines, plain or with gzip") from None


def _labelled(row: dict[str, Any]) -> LabelledText:
    """Return a row of either form: with `expected` and `rule`, or with `secret` (null for a clean text) and `kind`."""
    secret = row.get("secret") or ""
    holds = row["expected"] == "secret" if "expected" in row else bool(secret)
    return LabelledText(row["text"], holds, row.get("rule") or row["kind"], secret)


def is_gone(row: LabelledText, cleaned: str) -> bool:
    """Return whether a secret was removed: it no longer occurs, or, if it is unknown, the text has changed."""
    return row.secret not in cleaned if row.secret and row.secret in row.text else cleaned != row.text


def _share(rows: Sequence[LabelledText], bad: Sequence[LabelledText]) -> float:
    return 100 * (1 - len(bad) / len(rows)) if rows else 100.0


def _named(rows: Sequence[LabelledText]) -> dict[str, int]:
    return dict(sorted(Counter(row.rule for row in rows).items()))


def log_text(lines: int) -> str:
    """Make a log: times, levels, requests, ids and traces, and every fifth line JSON; it contains no secret."""
    draw = random.Random(7)  # noqa: S311 - a log, not a key
    made = []
    for number in range(lines):
        at = f"2026-11-15T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.{number % 1000:03}Z"
        if number % 5:
            made.append(
                f"{at} INFO  [worker-{number % 16}] app.orders.Handler - GET /api/v1/orders/{number} status=200 "
                f"duration_ms={number % 977} id={draw.getrandbits(64):016x} trace={draw.getrandbits(128):032x}\n"
            )
        else:
            line: dict[str, Any] = {
                "ts": at, "level": "info", "msg": f"stored order {number}", "user": f"u{number % 50}",
                "key": f"order:{number}", "tokens": number % 90,
            }  # fmt: skip
            made.append(json.dumps(line) + "\n")
    return "".join(made)


def _speed(redactor: Redactor, lines: int, quiet: bool) -> list[Figure]:
    """Time the redactor on a log, and compare it with the least Python can do with every line."""
    text = log_text(lines)
    say(f"redacting a log of {len(text) / 1e6:.1f} MB", quiet=quiet)

    def plain(content: str) -> int:
        return sum("secret" in line for line in content.splitlines())

    ours, theirs = _rate(redactor.clean, text), _rate(plain, text)
    return [
        Figure("a log through the redactor", ours, "MB/s", 20, "at least", f"{len(text) / 1e6:.1f} MB, best of {RUNS}"),
        Figure("a log line by line, one word looked for", theirs, "MB/s", note="the same in plain Python"),
    ]


def _rate(call: Callable[[str], object], text: str) -> float:
    timing = Timing()
    for _ in range(RUNS):
        with timing.clocked():
            call(text)
    return len(text) / 1e6 / min(timing.cpu)
