"""Commands that code may run: every text in code that starts programs.

Which function is called, and how its argument came to it, need not be understood: a text that would destroy something
is hardly by chance in code that starts programs.
"""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Iterator, Sequence

from tacit.guard.code.actions import UNKNOWN, PossibleCommand
from tacit.shell.expand import ansi_c
from tacit.text.patterns import lazy_pattern

MOST_TEXTS = 60
MOST_STARTS = 6
MOST_JOINED = 16
MOST_DEPTH = 3
# Names of functions, modules and operators that start programs, or run text as code.
_STARTS = lazy_pattern(
    r"\b(?:system2?|exec\w*|popen\w*|open[23]\w*|pipe|Port\.open|\w*spawn\w*|shell_exec|passthru|proc_open|"
    r"child_process|execute"
    r"|capture[23]?\w*|subprocess|shell-command\S*|call-process\S*|start-process|make-process|syscmd|esyscmd|cmd|shell"
    r"|pcntl_exec|ProcessBuilder|Runtime|Process|fork|qx|eval|Function|vm|runIn\w+|load|loadstring|dofile|"
    r"instance_eval|send|method|callable"
    r"|call|run|pty|pexpect|getoutput|getstatusoutput|command|commands|sh|fdopen|backtick|os:cmd|dlopen|processx?)\b",
    re.I,
)
# Marks that start a program in some languages.
_MARKS = {
    **dict.fromkeys(("perl", "ruby", "php"), lazy_pattern(r"`|[\"'(\[{]\s*\||\|\s*[\"')\]}]")),
    **dict.fromkeys(("node", "nodejs", "bun", "deno"), lazy_pattern(r"\$`")),
    **dict.fromkeys(("julia", "elixir", "crystal"), lazy_pattern(r"`")),
    **dict.fromkeys(("tclsh", "wish", "expect"), lazy_pattern(r"\|")),
    **dict.fromkeys(("scala", "dc", "gnuplot", "octave", "nu"), lazy_pattern(r"!")),
}
# Those of them whose argument is a command for certain.
_SURELY = lazy_pattern(
    r"(?<![.\w])(?:system2?|shell_exec|passthru|proc_open|os\.execute|io\.popen|execSync|spawnSync|execFileSync|"
    r"pcntl_exec"
    r"|os:cmd|System\.cmd)\s*[(\s{]\s*(?![)\s])",
    re.I,
)
_TEXT = lazy_pattern(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|`((?:[^`\\]|\\.)*)`', re.S)
_BETWEEN = lazy_pattern(r"[\s,\[\](){}=>:]*(?:nil|null|NULL|undef|None|c|list|vec!)?[\s,\[\](){}=>:]*")
# A program that can destroy, in a text whose quotes were not understood.
_HEAD = lazy_pattern(
    r"(?<![\w./$-])(?:sudo\s+)?(?:rm|dd|shred|mkfs[.\w]*|git|find|chmod|chown|wipefs|truncate|curl|wget|terraform|"
    r"kubectl"
    r"|dropdb)\s+(?=[\w~/$.\"'{-])"
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_TURNED = lazy_pattern(r"rev", re.I)
_BASE64 = lazy_pattern(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = lazy_pattern(r"(?:[0-9a-fA-F]{2}){6,}")
_NUMBERS = lazy_pattern(r"\d{2,3}(?:\s*(?:,|\)\s*\.?\+?\s*chr\(|\)\s*<>\s*\w*\()\s*\d{2,3}){3,}")
_ARGUMENTS = lazy_pattern(r"argv|@_|\$1\b|\barg\[|\bARGS\b|commandArgs|\$\*|shift\b", re.I)
_ENVIRONMENT = lazy_pattern(r"env", re.I)
_INPUT = lazy_pattern(r"stdin|\bgets\b|<>|readline|\binput\(|\$_|\breadlines?\b|ARGF|fgets|slurp", re.I)


def starts_programs(code: str, language: str) -> bool:
    """Return whether code may start a program, or run a text as code."""
    marks = _MARKS.get(language)
    # A sentence names no function; a name of its own may, as in `getattr(os, "system")`.
    names = _TEXT.sub(lambda found: " " if " " in found.group(0) else found.group(0), code)
    return bool(_STARTS.search(names) or (marks is not None and marks.search(code)))


def possible_commands(code: str, deep: int = 0) -> Iterator[str]:
    """Return the commands that may be in code that starts programs; an unknown one if it has no text at all."""
    texts = list(_texts(code))
    decoded = [one for text in (*texts, code) for one in _decoded(text) if one]
    turned = [text[::-1] for text in texts] if _TURNED.search(code) else []
    yield from map(PossibleCommand, (*texts, *_runs(code), *decoded, *turned, *_from_heads(code)))
    if deep < MOST_DEPTH:
        # A text may be code itself.
        for text in (*texts, *decoded):
            if text != code and _STARTS.search(text) and _TEXT.search(text):
                yield from possible_commands(text, deep + 1)
    if not texts and _SURELY.search(code):
        yield f"eval {UNKNOWN}"


def given_commands(code: str, after: Sequence[str], assigned: Sequence[str], given: str | None) -> Iterator[str]:
    """Return commands that code may be given from outside: its arguments, variables before it, and its input."""
    if after and _ARGUMENTS.search(code):
        yield " ".join(map(shlex.quote, after))
        yield " ".join(after)
        yield from after
    if assigned and _ENVIRONMENT.search(code):
        yield from assigned
    if given is not None and _INPUT.search(code):
        yield given


def _texts(code: str) -> Iterator[str]:
    for found in list(_TEXT.finditer(code))[:MOST_TEXTS]:
        text = next((group for group in found.groups() if group is not None), "")
        if text.strip() and not text.startswith(("http://", "https://")):
            yield ansi_c(text) if "\\" in text else text


def _runs(code: str) -> Iterator[str]:
    """Return neighbouring texts as one command: `"rm", "-rf", "x"`."""
    found = list(_TEXT.finditer(code))[:MOST_TEXTS]
    parts = [next((group for group in one.groups() if group is not None), "") for one in found]
    run: list[str] = []
    for at, part in enumerate(parts):
        near = at and _BETWEEN.fullmatch(code, found[at - 1].end(), found[at].start())
        if not near:
            yield from _joined(run)
            run = []
        run.append(part)
    yield from _joined(run)
    if len(parts) <= MOST_JOINED:
        yield from _joined(parts)


def _joined(parts: Sequence[str]) -> Iterator[str]:
    """Return a list as a command: from each of its first elements on, as the name of a program may be given before."""
    for start in range(min(len(parts) - 1, MOST_STARTS)):
        rest = [part for part in parts[start:] if part.strip()]
        yield " ".join(shlex.quote(part) if not part.startswith("~") else part for part in rest)
        yield " ".join(rest)


def _decoded(text: str) -> Iterator[str]:
    """Return what a text stands for if it is base64, hexadecimal, or a list of characters' numbers."""
    for found in list(_BASE64.finditer(text))[:4]:
        packed = found.group(0).replace("-", "+").replace("_", "/").rstrip("=")
        yield _plain(base64.b64decode(packed + "=" * (-len(packed) % 4))) if len(packed) % 4 != 1 else ""
    for found in list(_HEX.finditer(text))[:4]:
        yield _plain(bytes.fromhex(found.group(0)))
    for found in list(_NUMBERS.finditer(text))[:4]:
        numbers = [int(one) for one in re.findall(r"\d+", found.group(0))]
        yield _plain(bytes(one for one in numbers if one < 256))


def _plain(content: bytes) -> str:
    """Return bytes as text if they are text that may be a command or code."""
    text = content.decode(errors="replace")
    return text if " " in text and text.isprintable() and text.isascii() else ""


def _from_heads(code: str) -> Iterator[str]:
    """Return what follows the name of a program that can destroy, up to what closes its quotes."""
    for found in list(_HEAD.finditer(code))[:8]:
        before = code[found.start() - 1] if found.start() else "\n"
        closing = ";\n]})\"'`" if before.isspace() or before in ";=" else _CLOSING.get(before, before)
        rest = code[found.start() :]
        ends = [place for mark in closing if (place := rest.find(mark)) > 0]
        yield rest[: min(ends, default=len(rest))]
