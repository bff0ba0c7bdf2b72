"""Rules of packs against a command: its verbs, its flags, its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache

from tacit.judge.guard.args import Args, read
from tacit.judge.guard.model import Finding, Rule
from tacit.judge.guard.packs import Packs
from tacit.shell.model import Command

_HELP = frozenset({"--help", "--version", "--usage"})


def matching(command: Command, packs: Packs) -> Iterator[Finding]:
    """Give the rules of packs that fit a command."""
    candidates = packs.of(command.name or "")
    if not candidates:
        return
    args = read(command)
    if not args.flags.isdisjoint(_HELP) or args.words[:1] == ("help",):
        return
    for rule in candidates:
        if fires(rule, args, command):
            yield Finding(rule.id, command.start, command.end)


def fires(rule: Rule, args: Args, command: Command) -> bool:
    """Say whether a rule of a pack fits a command of its program."""
    if any(_flag(flag, args) for flag in rule.without):
        return False
    if rule.flags and not any(_flag(flag, args) for flag in rule.flags):
        return False
    if rule.text and not _pattern(rule.text).search(" ".join(word.shown for word in command.words)):
        return False
    if any(_spoken(verb, args.words[:3]) for verb in rule.unless):
        return False
    return not rule.verbs or any(_spoken(verb, args.words) for verb in rule.verbs)


def _flag(flag: str, args: Args) -> bool:
    """Say whether a flag is there; `a+b` wants both, `name=value` its value."""
    for part in flag.split("+"):
        name, equals, value = part.partition("=")
        if equals:
            given = args.value(name)
            if given is None or not fnmatchcase(given.shown, value):
                return False
        elif part not in args.flags:
            return False
    return True


def _spoken(verb: tuple[str, ...], words: Iterable[str]) -> bool:
    """Say whether these words follow each other among the operands, before the first that is no plain word."""
    plain: list[str] = []
    for word in words:
        is_verb = not plain or re.fullmatch(r"[A-Za-z][\w:.+-]*", word)
        plain.append(word.lower() if is_verb else "\0")
    width = len(verb)
    starts = range(min(len(plain) - width + 1, 6))
    return any(all(fnmatchcase(plain[start + at], verb[at]) for at in range(width)) for start in starts)


@lru_cache(512)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
