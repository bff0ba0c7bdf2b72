"""Match the rules of packs against a command: its verbs, its flags, its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from tacit.guard.args import ParsedArgs, read
from tacit.guard.packs import RulePacks
from tacit.guard.verdict import GuardRule, RuleMatch
from tacit.shell.command import Command, literal
from tacit.text.patterns import lazy_pattern

MOST_BEFORE = 6
MOST_VERBS = 6
MOST_TEXT = 16_384
TOO_LONG = "doubt.too-long"
_VERB = lazy_pattern(r"[A-Za-z][\w:.+-]*")
# Harmless verbs that end the search for dangerous ones, in every command line with nouns and verbs. None is a noun.
_HARMLESS = lazy_pattern(
    r"(?:\w+:)?(?:list|ls|get|describe|show|view|info|create|add|new|login|logout|checkout|clone|open|diff|whoami|"
    r"inspect"
    r"|download|pull|fetch|edit|update|set|apply|upload|copy|cp|put|read|explain|tail|close|reopen|merge|review|ready"
    r"|install|upgrade|import)|(?:list|get|describe|create|update|put|add|show|start|enable"
    r"|send|receive|filter|search|head|generate|lookup)-[\w-]+"
)
_HELP = frozenset({"--help", "--usage", "-help"})


def matching(command: Command, packs: RulePacks) -> Iterator[RuleMatch]:
    """Return the rules of packs that match a command."""
    candidates = packs.of(command.name or "")
    if not candidates:
        return
    command = _with_whole_verb(command)
    args = read(command)
    # With an operand, as in `cargo yank --version 1.0.0`, it is an option; without one it prints the program's version.
    asks = (
        args.has(*_HELP)
        or "help" in (*args.words[:1], *args.words[2:][-1:])
        or (args.has("--version") and not args.operands)
    )
    if asks or _is_emulator(command):
        return
    text = " ".join((command.name or "", *(word.shown for word in command.args)))
    for rule in candidates:
        if fires(rule, args, text):
            # User-defined patterns may be slow; a line too long to compare is a doubt.
            unread = rule.text and len(text) > MOST_TEXT
            yield RuleMatch(TOO_LONG if unread else rule.id, command.start, command.end)


# npm accepts the beginning of a verb, if only one begins so.
_NPM = """
access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain
explore find-dupes fund get help help-search hook init install install-ci-test install-test link ll login logout ls
org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run run-script sbom
search set shrinkwrap star stars start stop team test token uninstall unpublish unstar update version view whoami
"""


_NPM_ALIASES = frozenset({"add", "i", "in", "un", "rm", "r", "t", "up", "x", "c", "s", "v", "it", "cit", "la", "why"})


def _with_whole_verb(command: Command) -> Command:
    """Return a command of npm with its verb written out."""
    at = next((at for at, word in enumerate(command.words[1:], 1) if not word.head.startswith("-")), 0)
    begun = command.words[at].text if at and command.name == "npm" else None
    meant = [verb for verb in _NPM.split() if begun and verb.startswith(begun)]
    if len(meant) != 1 or begun in _NPM_ALIASES:
        return command
    return command._replace(words=(*command.words[:at], literal(meant[0]), *command.words[at + 1 :]))


_EMULATOR = lazy_pattern(
    r"--endpoint(?:-url)?[ =]https?://(?:localhost|127\.0\.0\.1|localstack|minio)(?::\d+)?(?:\s|/|$)"
)


def _is_emulator(command: Command) -> bool:
    """Return whether a command of a cloud speaks to an emulator on this machine."""
    return bool(_EMULATOR.search(" ".join(word.shown for word in command.args)))


def fires(rule: GuardRule, args: ParsedArgs, text: str) -> bool:
    """Return whether a rule of a pack matches a command of its program."""
    if any(_flag(flag, args, text) for flag in rule.without):
        return False
    if rule.flags and not any(_flag(flag, args, text, abbreviated=True) for flag in rule.flags):
        return False
    if rule.text and len(text) <= MOST_TEXT and not _pattern(rule.text).search(text):
        return False
    verbs = _verbs(args.words)
    # What follows a harmless verb is a name or a value, whatever it is called.
    ends = [at for verb in rule.unless for at in range(3) if _spoken(verb, verbs[at : at + len(verb)])]
    if not rule.verbs:
        return not ends
    verbs = verbs[: min(ends, default=len(verbs))]
    return any(_spoken(verb, verbs) for verb in rule.verbs)


def _flag(flag: str, args: ParsedArgs, text: str, *, abbreviated: bool = False) -> bool:
    """Return whether a flag is given; `a+b` needs both, `name=value` its value, attached or as the next word."""
    for part in flag.split("+"):
        name, equals, value = part.partition("=")
        if equals:
            given = args.value(name)
            beside = given is None and f" {name} {value} " in f"{text} "
            if not beside and (given is None or not fnmatchcase(given.shown, value)):
                return False
        elif not args.has(part) and not (abbreviated and args.may(part) and not _whole_word(part, args)):
            return False
    return True


def _whole_word(name: str, args: ParsedArgs) -> bool:
    """Return whether a given flag is a part of this name: `--force` is a flag, and not `--force-reset` abbreviated."""
    return any(name.startswith(f"{flag}-") for flag in args.flags)


def _spoken(verb: tuple[str, ...], words: Sequence[str]) -> bool:
    """Return whether these words follow each other among the first operands."""
    width = len(verb)
    starts = range(min(len(words) - width + 1, MOST_BEFORE))
    return any(all(fnmatchcase(words[start + at], verb[at]) for at in range(width)) for start in starts)


def _verbs(words: Sequence[str]) -> list[str]:
    """Return the operands among which verbs are searched; a word with unknown parts cannot be one."""
    first = words[: MOST_BEFORE + MOST_VERBS]
    found = [word.lower() if at == 0 or _VERB.fullmatch(word) else "\0" for at, word in enumerate(first)]
    end = next((at for at, word in enumerate(found) if _HARMLESS.fullmatch(word)), len(found))
    return found[: end + 1]


@lru_cache(2_048)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)
