"""The class of an error: its message without what varies, but with the word that its fix is about."""

from __future__ import annotations

import re
from itertools import pairwise

from tacit.failures.rules.causes import clean_lines
from tacit.failures.rules.error_patterns import named_thing
from tacit.text.patterns import lazy_pattern

CLASS_CHARS = 80
# Cutting may leave half a word that is itself a value; after a few rounds nothing changes any more.
_ROUNDS = 8
_MOST_LINE_CHARS = 400
_TELLING = lazy_pattern(r"error|exception|not found|fail|denied", re.I)
_OF_PYTEST = lazy_pattern(r"E (?=\S)")
_EXCEPTION = lazy_pattern(r"(?:[\w.]{0,200}\.)?[A-Z]\w{0,100}(?:Error|Exception|Interrupt|Exit|Warning)(?::|$)")
_BEFORE_CAUSE = lazy_pattern(r"\* what went wrong:$", re.I)
# What programs put before a message: the mark of pytest, a time, a level, a place, a shell, a container, a remote.
_PREFIX = lazy_pattern(
    r"E (?=\S)|[>*!|]+ (?=\S)|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,12}(?:Z|[+-]\d\d:?\d\d)?\]?:? "
    r"|\[?\d\d:\d\d:\d\d[\d.,]{0,12}\]? |#\d{1,5} \d{1,6}\.\d{1,6} |[\w.-]{1,60} \| "
    r"|(?:npm|pnpm|yarn) (?:ERR!|error) |remote: |\[[\w.-]{1,60}\]:? (?=\S)"
    # A level and the name of a logger, as `logging` of Python writes them and as many set it up.
    r"|(?:error|critical|warning):[\w.]{1,60}:"
    r"|(?:error|critical|warning) [\w.]{1,60}: (?=[\w.]{0,200}(?:Error|Exception)\b)"
    r"|\[(?:error|fatal|critical|warning|warn)\]:? |(?:error|fatal|critical)(?:\[\w{1,20}\])?(?:: | - | (?=\w+Error\b))"
    r"|(?:\S{0,200}/)?(?:ba|z|da|k)?sh: (?:line )?(?:\d{1,9}: )?|[^\s:]{1,200}:\d{1,9}(?::\d{1,9})?: ",
    re.I,
)
_VALUES = (
    (lazy_pattern(r"0x[0-9a-fA-F]+|\b(?=[a-f]*[0-9])[0-9a-f]{7,}\b"), "<hash>"),
    (
        lazy_pattern(
            r"(?:[~.]{0,2}/[\w.@+-]+)+/?|(?<![\w-])[\w-]+\.(?:py|js|ts|rs|go|java|c|h|cpp|rb|md|json|toml|yaml)\b"
        ),
        "<path>",
    ),
    (lazy_pattern(r"\d+(?:\.\d+)*"), "<n>"),
    (lazy_pattern(r"'[^']*'|\"[^\"]*\"|`[^`]*`"), "<text>"),
)
_QUOTED = lazy_pattern(r"'([^'\s]{2,60})'|\"([^\"\s]{2,60})\"|`([^`\s]{2,60})`")
_FILE = lazy_pattern(r"\w\.[a-z]{2,4}$")
_QUOTES = "[\"'`‘’“”]?"
# Stand for the words that are kept while the rest is replaced; no text may hold them.
_MARKS = "\ue000\ue001\ue002\ue003"
_UNMARKED = str.maketrans({**dict.fromkeys(_MARKS, "\ufffd"), "\0": "\ufffd"})


def error_class(text: str, fix: str = "") -> str:
    """Return an error message without its prefixes and the parts that vary: numbers, paths, hashes, quoted words.

    `fix` is the action that fixed it. A word that the fix depends on is kept: `no module named numpy`, if the fix is
    `pip install numpy`, but `cannot find module <text>`, if the fix is `npm ci`.
    """
    # Some control characters are blanks, too, and one may stand behind a prefix.
    line = _without_prefixes(" ".join(_telling_line(text).split()))
    kept = _kept(line, fix)
    for _ in range(_ROUNDS):
        before, line = line, without_values(line, kept).lower()
        if line == before:
            break
    return line


def without_values(text: str, kept: tuple[str, ...] = ()) -> str:
    """Return a text on one line with values replaced by their class, shortened; the words `kept` stay."""
    # Output may contain NUL; a record cannot hold it.
    text = text.translate(_UNMARKED)
    marked = list(zip(_MARKS, kept, strict=False))
    for mark, word in marked:
        text = re.sub(rf"{_QUOTES}(?<![\w.-]){re.escape(word)}(?![\w-]){_QUOTES}", mark, text, flags=re.I)
    for pattern, name in _VALUES:
        text = pattern.sub(name, text)
    for mark, word in marked:
        text = text.replace(mark, word)
    return " ".join(text.split())[:CLASS_CHARS].rstrip()


def _telling_line(text: str) -> str:
    """Return the line of an output that says what is wrong."""
    lines = clean_lines(text) or [line.strip()[:_MOST_LINE_CHARS] for line in text.splitlines() if line.strip()][-1:]
    # Gradle says first that the build failed, and what to try last.
    if cause := next((after for line, after in pairwise(lines) if _BEFORE_CAUSE.match(line)), ""):
        return cause
    # Where pytest or a traceback marks the error, the lines around it are source.
    for marks, order in ((_OF_PYTEST, lines), (_EXCEPTION, lines[::-1])):
        if marked := next((line for line in order if marks.match(line)), ""):
            return marked
    return next((line for line in lines if _TELLING.search(line)), lines[-1] if lines else "")


def _without_prefixes(line: str) -> str:
    while (found := _PREFIX.match(line)) and line[found.end() :].strip():
        line = line[found.end() :].lstrip()
    return line


def _kept(line: str, fix: str) -> tuple[str, ...]:
    """Return the words of an error that its fix is about: those in the fix, and what the error names."""
    if not fix:
        return ()
    quoted = (next(filter(None, found.groups())) for found in _QUOTED.finditer(line))
    named = [word for word in quoted if re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", fix, re.I)]
    if (thing := named_thing(line)) and _is_specific(fix):
        named.append(thing)
    return tuple(dict.fromkeys(named))[: len(_MARKS)]


def _is_specific(fix: str) -> bool:
    """Return whether a fix names something, as `pip install numpy` does and `npm ci` does not."""
    words = [word for word in without_values(fix).split() if not word.startswith(("-", "<")) and not _FILE.search(word)]
    return len(words) > 2
