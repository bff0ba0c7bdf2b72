"""The keys under which causes of failures are stored, and which of them a command line could meet.

This module imports as little as possible, because the cold path of a hook looks the keys up.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.failures.rules.line_parts import PREPARATION, LinePart, bare_name, is_unquoted_glob, line_parts
from tacit.text.patterns import lazy_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.failures.rules.error_patterns import CauseKind

KEY_BYTES = 900
AND = "syntax &&"
"""The key of a shell that does not know `&&`."""
MOST_KEYS = 200
PACKAGE_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
TARGET_RUNNERS = frozenset({"make", "just", "task", "mise", "gradle", "gradlew"})
GIT_REMOTE = frozenset({"push", "pull", "fetch", "clone", "ls-remote"})
_NUMBERS = lazy_pattern(r"(?<![^\s/=,])(?:\d{1,20}|(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40})(?![^\s/,])")
_MAY_FAIL = lazy_pattern(r"\|\||(?<![&>])&(?![&>\d])|(?:^|[\s;(])(?:!|if|while|until)\s")
_HOST = lazy_pattern(r"(?:https?|ssh|git)://(?:[^/@\s]*@)?([\w.-]+(?::\d+)?)|(?:^|@)([\w-]+(?:\.[\w-]+)+)(?=:|$)")
_IMPORT = lazy_pattern(
    r"(?:^|[\n;\"'])[ \t]{0,40}(?:from[ \t]{1,9}([\w.]{1,200})[ \t]{1,9}import|import[ \t]{1,9}([\w.]{1,200}))"
    r"|require\(['\"]([^'\"\n]{1,200})['\"]\)"
)
_FIELD_SPLIT = lazy_pattern(r"[,=]")
# What these causes name stands in the command that fails again.
NAMED: frozenset[CauseKind] = frozenset({"program", "option", "value", "subcommand", "script", "path", "glob"})


def key_of(kind: CauseKind, name: str, part: LinePart) -> str:
    """Return the key of a cause: its kind, what it names, and where it holds."""
    place, program = part.place, part.name
    match kind:
        case "program":
            return f"program {place}{name}"
        case "option" | "subcommand":
            return f"{kind} {place}{program} {name}"
        case "value":
            return f"value {part.subject} {name}"
        case "script":
            return f"script {place}{program} {name}"
        case "module":
            return f"module {part.subject}" if part.runs_file else f"module {place}{bare_name(program)} {name}"
        case "path":
            return path_key(part, name) if name else f"path {part.subject}"
        case "glob":
            return f"glob {place}".strip()
        case "syntax" if "&&" in name or name == "InvalidEndOfLine":
            return AND
        case "network" | "auth":
            return f"{kind} {place}{program} {host_of(part, name) or part.subcommand}".strip()
        case "remote":
            return f"remote {place}{program} {part.subcommand}".strip()
        case "other" | "syntax" if kind == "other" or not part.subcommand:
            return _text_key(kind, part)
    return f"{kind} {part.subject}"


def short_key(key: str) -> str:
    """Return a key that every store takes: a long one is cut, and ends with the digest of the whole."""
    data = key.encode(errors="replace")
    if len(data) <= KEY_BYTES:
        return key
    return f"{data[: KEY_BYTES - 40].decode(errors='ignore')} {_digest(key)[:32]}"


def _digest(text: str) -> str:
    from tacit.model.kinds import text_digest  # few commands need it, and it takes long to import

    return text_digest(text)


def keys_met(line: str) -> dict[str, LinePart]:
    """Return the keys of the causes that a command line could meet, each with the command that would meet it."""
    found: dict[str, LinePart] = {}
    parts = line_parts(line)
    if "&&" in line and parts:
        found[AND] = parts[-1]
    for part in parts:
        for key in _keys(part):
            if len(found) >= MOST_KEYS:
                return found
            found.setdefault(short_key(key), part)
    return found


def cause_keys(parts: Sequence[LinePart], line: str) -> dict[str, LinePart]:
    """Return the keys of the causes that are gone after some commands of a line succeeded."""
    found = {short_key(key): part for part in parts for key in _keys(part)}
    return found | ({AND: parts[-1]} if parts and "&&" in line else {})


def program_keys(line: str) -> dict[str, LinePart]:
    """Return the keys of the programs that a line certainly found on the path."""
    if _MAY_FAIL.search(line):
        return {}
    parts = [
        part for part in line_parts(line) if not part.has_own_path and "/" not in (part.command.words[0].text or "")
    ]
    return {f"program {part.place}{part.name}": part for part in parts}


def _keys(part: LinePart) -> Iterator[str]:
    place, program = part.place, part.name
    first = part.command.words[0].text or ""
    if not part.has_own_path:
        yield f"program {place}{first if '/' in first else program}"
    if program in PREPARATION:
        if program == "cd":
            yield from (path_key(part, word.text) for word in part.command.args[:1] if word.text)
        return
    words = part.command.args
    texts = [word.text for word in words if word.text]
    for text in texts:
        if text.startswith("-") and len(text) > 1:
            yield f"option {place}{program} {text.partition('=')[0]}"
            if not text.startswith("--") and text[1:].isalpha():
                yield from (f"option {place}{program} -{letter}" for letter in text[1:6])
        elif len(text) < 200 and "\n" not in text:
            yield path_key(part, text)
            if ":" in text:
                yield path_key(part, text.partition(":")[2])
        if "," in text or "=" in text:
            yield from (f"value {part.subject} {one}" for one in _FIELD_SPLIT.split(text)[:40])
    yield from (f"value {part.subject} {text}" for text in texts[:20])
    for text in (part.subcommand.split() or texts[:1])[:2]:
        yield f"subcommand {place}{program} {text}"
    if program in PACKAGE_RUNNERS or program in TARGET_RUNNERS:
        yield from (f"script {place}{program} {text}" for text in texts[:3])
    if any(is_unquoted_glob(word) for word in words):
        yield f"glob {place}".strip()
    yield from (f"module {place}{bare_name(program)} {name}" for name in _imported(texts))
    for kind in ("network", "auth"):
        yield f"{kind} {place}{program} {host_of(part, '') or part.subcommand}".strip()
    for kind in ("remote", "state", "usage", "permission", "syntax", "module"):
        yield f"{kind} {part.subject}"
    for kind in ("other", "syntax"):
        yield _text_key(kind, part)


def _text_key(kind: str, part: LinePart) -> str:
    """Return the key of a failure that a command's own text causes, with numbers and hashes replaced by their class."""
    given = part.command.stdin
    document = f" <<{_digest(given.shown)}" if given is not None and part.command.feeder is None else ""
    return f"{kind} {part.place}{_NUMBERS.sub('#', ' '.join(part.text.split()))}{document}"


def path_key(part: LinePart, path: str) -> str:
    """Return the key of a path that a program does not find, seen from where the line began."""
    return f"path {part.place}{part.name} {posixpath.normpath(posixpath.join(part.base, path))}"


def host_of(part: LinePart, name: str) -> str:
    """Return the host that a command talks to, with its port; `git` for a remote of git, whose address is elsewhere."""
    if part.name == "git" and part.subcommand in GIT_REMOTE:
        return "git"
    for word in part.command.args:
        if found := _HOST.search(word.text or ""):
            return found[1] or found[2]
    if part.name == "ssh":
        return next((w.text for w in part.command.args if w.text and not w.text.startswith("-")), "")
    return name.replace(" port ", ":") if "." in name else ""


def _imported(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        if "import" in text or "require" in text:
            for one in _IMPORT.finditer(text[:4_000]):
                name = next(filter(None, one.groups()))
                found[name] = None
                found.update(dict.fromkeys(re.split(r"\.", name)[:1]))
    return list(found)[:20]
