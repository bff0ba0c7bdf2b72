"""`tacit bench redact`: secrets removed, clean and real texts changed, and the speed on a log and on hostile texts."""

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
from tacit.redact import Redactor, Secret, why
from tacit.text.secret_marks import GITHUB

# Kinds of which every secret must be found, by the name of a row's rule.
CERTAIN = (
    "aws", "github", "gitlab", "openai", "anthropic", "slack", "stripe", "pem", "privatekey", "private-key", "sidekiq",
    "basic_auth",
)  # fmt: skip
LOG_LINES = 20_000
RUNS = 3


# The most secrets left and clean texts changed in a set, in percent. Sets that attackers wrote are named `red…`.
LIMITS = {"red": (4.0, 1.0), "": (2.0, 2.0)}
AROUND = 60


class LabelledText(NamedTuple):
    """A text, whether it contains a secret, and which one if that is known."""

    text: str
    is_secret: bool
    rule: str
    secret: str


# Texts made to be slow: one long line, nothing but quotes, names, values, halves of tokens.
HOSTILE_SIZE = 1_000_000
# What is repeated to the end.
PIECES = (
    "a", '"', "=", "\\", "a1B2c3D4", "dG9rZW49", "password", "password ", "key=", 'password="', "://a:", "eyJ.ey",
    "s.", "login a password ", "password is a1B2!x ", "abcdef1! as the password ", "curl -u a:",
    "sid=a1B2c3D4e5F6g7H8i9J0; ",
    f'"{GITHUB[0]}" + ', "token\\\n", "\\u0067hp_", "password: |\n  a\n", "-----BEGIN PRIVATE KEY-----",
    "a_b1C2d3E4f5G6h7I8j9K0l1 ",
)  # fmt: skip


def slowest(redactor: Redactor, size: int) -> Figure:
    """Return how long the slowest of the texts takes, and which one it is."""
    took: dict[str, float] = {}
    for piece in PIECES:
        timing = Timing()
        text = piece * (size // len(piece))
        with timing.clocked():
            redactor.clean(text)
        took[piece] = min(timing.cpu)
    worst = max(took, key=took.__getitem__)
    name = f"{size / 1e6:g} MB made to be slow"
    return Figure(name, took[worst], "s", 1.0, note=f"the slowest of {len(PIECES)}: {worst!r} repeated")


def run(
    data: Path, *, as_json: bool, lines: int = LOG_LINES, hostile: int = HOSTILE_SIZE, changes: bool = False
) -> None:
    """Measure and print."""
    redactor = Redactor(lambda secret: sha256(secret.encode(errors="surrogatepass")).hexdigest()[:8])
    figures: list[Figure] = []
    texts, missed, changed = 0, Counter[str](), Counter[str]()
    for name, rows in load(data).items():
        say(f"redacting {len(rows)} texts of {name}", quiet=as_json)
        texts += len(rows)
        left = [row for row in rows if row.is_secret and not is_gone(row, redactor.clean(row.text))]
        other = [row for row in rows if not row.is_secret and redactor.clean(row.text) != row.text]
        figures += [*_of_set(name, rows, left, other), _of_batches(redactor, [row.text for row in rows])]
        missed.update(row.rule for row in left)
        changed.update(row.rule for row in other)
    real, listed = _real(redactor, data, as_json)
    figures += [*real, *_speed(redactor, lines, as_json), slowest(redactor, hostile)]
    named = {"missed": dict(sorted(missed.items())), "changed": dict(sorted(changed.items()))}
    document: dict[str, Any] = {"texts": texts, **named} | ({"changes": listed} if changes else {})
    answer("redact", document, figures, as_json=as_json)
    if not as_json:
        for verb, rules in named.items():
            print(f"{verb}: {', '.join(f'{rule} {count}' for rule, count in rules.items()) or 'none'}")
        for line in listed if changes else ():
            print(line)


def _of_set(
    name: str, rows: Sequence[LabelledText], left: Sequence[LabelledText], changed: Sequence[LabelledText]
) -> list[Figure]:
    secrets = [row for row in rows if row.is_secret]
    clean = [row for row in rows if not row.is_secret]
    sure = [row for row in secrets if row.rule.startswith(CERTAIN)]
    most_left, most_changed = next(limits for begins, limits in LIMITS.items() if name.startswith(begins))
    return [
        Figure(f"{name}: secrets gone", _share(secrets, left), "%", 100 - most_left, "at least",
               f"{len(secrets)} texts"),
        Figure(f"{name}: secrets gone, kinds that must", _share(sure, [row for row in left if row in sure]), "%", 100,
               "at least", f"{len(sure)} texts"),
        Figure(f"{name}: clean texts changed", 100 - _share(clean, changed), "%", most_changed,
               note=f"{len(clean)} texts"),
    ]  # fmt: skip


def load(folder: Path) -> dict[str, list[LabelledText]]:
    """Read the sets of texts in a folder, or in its `secrets/` folder, by the names of their files."""
    found = sorted([*folder.glob("secrets/*.jsonl*"), *folder.glob("secrets*.jsonl*")])
    if not found:
        raise UsageError(f"{folder} contains no texts with secrets", "expected: secrets/*.jsonl[.gz]")
    return {path.name.partition(".")[0]: list(map(_labelled, _rows(path))) for path in found}


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows = [json.loads(line) for line in content.splitlines() if line.strip()]
        if not all(isinstance(row, dict) for row in rows):
            raise ValueError("a line is not an object")
        return rows
    except (ValueError, OSError, EOFError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "it should be JSON lines, plain or with gzip") from None


def _labelled(row: dict[str, Any]) -> LabelledText:
    """Return a row of either form: with `expected` and `rule`, or with `secret` (null for a clean text) and `kind`."""
    try:
        secret = row.get("secret") or ""
        holds = row["expected"] == "secret" if "expected" in row else bool(secret)
        return LabelledText(row["text"], holds, row.get("rule") or row["kind"], secret)
    except KeyError as error:
        raise UsageError(f"a text with secrets cannot be read: {error} is missing", "see docs/benchmarks.md") from None


def _real(redactor: Redactor, data: Path, quiet: bool) -> tuple[list[Figure], list[str]]:
    """Redact the prompts, commands and outputs of real sessions: how many change, and each change with its reason."""
    path = data / "learning" / "dev.jsonl.gz"
    if not path.is_file():
        return [], []
    texts = [
        event[part]
        for row in _rows(path)
        for event in row["events"]
        for part in ("text", "cmd", "out")
        if isinstance(event.get(part), str) and event[part]
    ]
    say(f"redacting {len(texts):,} texts of real sessions", quiet=quiet)
    listed: list[str] = []
    changed = 0
    for text in texts:
        found = redactor.found(text)[1]
        changed += bool(found)
        listed += [_change(text, one) for one in found]
    note = f"{len(texts):,} texts, {changed:,} changed; --changes lists them"
    figures = [Figure("real outputs: changed", 100 * changed / max(1, len(texts)), "%", note=note)]
    return [*figures, _of_batches(redactor, texts)], listed


def _of_batches(redactor: Redactor, texts: Sequence[str]) -> Figure:
    """Return how many texts a batch calls unchanged although they are not; there must be none."""
    untouched = redactor.untouched(texts)
    wrong = sum(redactor.clean(text) != text for text in untouched)
    return Figure("wrongly called unchanged by a batch", wrong, "texts", 0, note=f"{len(untouched):,} called unchanged")


def _change(text: str, one: Secret) -> str:
    before, value, after = (
        text[start:end].replace("\n", "\\n")
        for start, end in ((max(0, one.start - AROUND), one.start), one[1:3], (one.end, one.end + AROUND // 2))
    )
    return f"{one.kind} by {one.rule}, because {why(one.rule)}: {before}⟦{value}⟧{after}"


def is_gone(row: LabelledText, cleaned: str) -> bool:
    """Return whether a secret was removed: it no longer occurs, or, if it is unknown, the text has changed."""
    return row.secret not in cleaned if row.secret and row.secret in row.text else cleaned != row.text


def _share(rows: Sequence[LabelledText], bad: Sequence[LabelledText]) -> float:
    return 100 * (1 - len(bad) / len(rows)) if rows else 100.0


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
