"""Rules a person gave ("always …", "never …"): which commands and prompts they apply to.

Precision comes before recall: a rule applies only if all its words are present. The words of a rule also decide which
commands it applies to; a rule that names no command ("never commit secrets") is shown at the start of a session only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tacit.failures.rules.chosen_tools import replaced_in, replaced_programs
from tacit.failures.rules.corrections.vocabulary import VERBS, is_tool, words_in
from tacit.failures.rules.failure_and_fix import holds_words
from tacit.shell.command import Command
from tacit.shell.parse import parse
from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import tokens

_ORDER = lazy_pattern(
    r"(?:we\s+)?(?P<no>never(?:\s+ever)?|(?:don['’]?t|do\s+not)(?:\s+ever)?|stop|avoid)\s+(?P<verb>[\w-]+)|"
    r"(?:we\s+)?always\s+(?P<must>[\w-]+)",
    re.I,
)
# A command follows them, and they are not part of it.
_RUNS = words_in("run use call execute invoke using running calling type")
_GIVES = words_in("pass add give set")
# They introduce when the rule applies, or what it asks for.
_WHEN = lazy_pattern(
    r"\s(?:before|when|whenever|while|after)\s+(?:you\s+|we\s+|i\s+|every\s+|each\s+)?(?P<act>[\w-]+)", re.I
)
_WITHOUT = lazy_pattern(r"\swithout\s+(?P<what>.+)", re.I)
_WITH = lazy_pattern(r"\swith\s+(?:the\s+)?(?P<what>-.+)", re.I)
_TO = lazy_pattern(r"\s(?:to|for|on)\s+(?P<what>.+)", re.I)
# Function words, and nouns that do not appear in commands.
_SMALL = words_in("""
    a an the to on in at into onto from with for of by any our your my this that it its and or as if is are ever again
    please directly first just only straight branch branches command commands flag flags option options repo repository
    project here anything everything something code changes commits stuff them these those all
""")
_GIT = words_in("commit push pull merge rebase squash amend tag stash cherry-pick revert force-push")
# An act that is a command of git with an option.
_SPELT = {"force-push": ("push", ("--force", "-f")), "amend": ("commit", ("--amend",))}
# They start the program that follows.
_STARTERS = words_in("sudo doas env npx bunx time nohup command exec uv poetry pipenv pdm hatch run -m python python3")
_RUNNERS = words_in("run exec compose x")
_VALUED = ("-C", "-c")
_CLUSTER = lazy_pattern(r"-[A-Za-z]{2,4}")
_TRIM = "\"'`“”‘’.,;:!?()"


class PersonRule(NamedTuple):
    """The commands a rule applies to, and what satisfies it."""

    act: str = ""
    """A verb that is a program or one of its commands: `push`, `deploy`."""
    command: tuple[str, ...] = ()
    """The beginning of the command itself."""
    words: tuple[str, ...] = ()
    """Other words that must be in the command."""
    either: tuple[str, ...] = ()
    """Options of which one must be in the command."""
    wanted: tuple[str, ...] = ()
    """The command satisfies the rule if it contains these words."""

    @property
    def names_a_command(self) -> bool:
        """Return whether the rule's words identify a command: the program and one more word, or the command itself."""
        if self.command:
            return len(self.command) + len(self.words) > 1 or bool(self.wanted) or is_tool(self.command[0])
        return bool(self.act) and bool(self.act in _GIT or self.words or self.wanted)


def rule_of(corrected: str) -> PersonRule | None:
    """Parse a rule, or return None if the text is not a rule."""
    order = _ORDER.match(corrected.strip())
    if order is None:
        return None
    verb, rest = (order["verb"] or order["must"]).lower(), corrected.strip()[order.end() :]
    return _forbidding(_base(verb), rest) if order["no"] else _demanding(verb, rest)


def anchors(corrected: str) -> tuple[str, ...]:
    """Return the words under which the rule is looked up for a command."""
    rule = rule_of(corrected)
    if rule is None or not rule.names_a_command:
        return replaced_programs(corrected)
    if rule.act:
        return (_SPELT.get(rule.act, (rule.act,))[0],)
    return tuple(word for word in reversed(rule.command) if not word.startswith("-"))[:1]


def speaks_of(corrected: str, line: str) -> bool:
    """Return whether a rule should be shown before a command line runs."""
    rule = rule_of(corrected)
    if rule is None or not rule.names_a_command:
        return False
    commands = [_spelt(command) for command in parse(line).commands if command.name]
    if rule.wanted and any(_holds(words, rule.wanted) for words in commands):
        return False
    return any(_meets(rule, words[at:]) for words in commands for at in _starts(words))


def fits(original: str, corrected: str, prompt: str) -> bool:
    """Return whether a prompt is about something that a rule or a tool preference applies to."""
    said = set(tokens(prompt))
    if not is_rule(corrected):
        named = original and is_tool(original) and _all_in(original.split(), said)
        return bool(named) and not _all_in(corrected.split(), said)
    rule = rule_of(corrected) or PersonRule()
    telling = (rule.act, *rule.command, *rule.words) if rule.names_a_command else _content(corrected)
    telling = tuple(dict.fromkeys(word for word in telling if word and tokens(word)))
    enough = len(telling) > 1 or (len(telling) == 1 and bool(rule.wanted))
    return enough and _all_in(telling, said) and not (rule.wanted and _all_in(rule.wanted, said))


def begins_command(line: str, words: Sequence[str]) -> bool:
    """Return whether a command of a line begins with these words, perhaps behind `sudo` or another starter."""
    if not words:
        return False
    wanted = [words[0].rpartition("/")[2], *words[1:]]
    for command in parse(line).commands:
        spelt = [word.text or "" for word in command.words]
        spelt[:1] = [spelt[0].rpartition("/")[2]] if spelt else []
        if any(spelt[at : at + len(wanted)] == wanted for at in _starts(spelt)):
            return True
    return False


def chosen_instead(corrected: str, line: str) -> tuple[str, str] | None:
    """Return the program of a line that a rule replaces by choosing a tool, and that tool; None if it replaces none."""
    spelt = ([word.text or "" for word in command.words] for command in parse(line).commands)
    commands = [words for words in spelt if words]
    tool = replaced_in(corrected, [words[at:] for words in commands for at in _starts(words)])
    # Behind the tool itself stands what it runs: `uv pip install`.
    return tool if tool is None or not any(tool[1] in words for words in commands) else None


def is_rule(corrected: str) -> bool:
    """Return whether a text is a rule, rather than the name of something to use instead."""
    return _ORDER.match(corrected.strip()) is not None


def narrows(original: str, corrected: str) -> bool:
    """Return whether a ban has a condition, such as "on main" in "never git push --force on main"."""
    rule = rule_of(corrected) or PersonRule()
    return bool({*rule.command, *rule.words} - set(original.split()))


def _forbidding(verb: str, rest: str) -> PersonRule:
    tail = _WITHOUT.search(rest)
    rest, wanted = (rest[: tail.start()], _command(tail["what"])) if tail else (rest, ())
    named = _words(_WHEN.split(rest)[0])
    if verb in _RUNS:
        at = next((n for n, word in enumerate(named) if word.startswith("-")), 1)
        return PersonRule(command=named[:at], words=named[at:], wanted=wanted)
    act, either = _SPELT.get(verb, (verb, ()))
    if named[:1] == (act,) or named[:2] == ("git", act):
        named = named[1:]
    return PersonRule(act=verb, words=tuple(word for word in named if word != "git"), either=either, wanted=wanted)


def _demanding(verb: str, rest: str) -> PersonRule:
    when = _WHEN.search(rest)
    if when:
        act = _base(when["act"].lower())
        if act not in VERBS or act in _RUNS:
            return PersonRule()
        after = tuple(word for word in _words(rest[when.end() :]) if word not in ("git", act))
        return PersonRule(act=act, words=after, wanted=_command(rest[: when.start()]))
    if verb in _GIVES:
        to = _TO.search(rest)
        wanted = _words(rest[: to.start()]) if to else ()
        if to and wanted and all(word.startswith("-") for word in wanted):
            return PersonRule(command=_words(to["what"]), wanted=wanted)
        return PersonRule()
    given = _WITH.search(rest)
    if given is None:
        return PersonRule()
    wanted = tuple(word for word in _words(given["what"]) if word.startswith("-"))
    named = _words(rest[: given.start()])
    return (
        PersonRule(command=named, wanted=wanted) if verb in _RUNS else PersonRule(act=verb, words=named, wanted=wanted)
    )


def _command(text: str) -> tuple[str, ...]:
    """Return the command that a part of a rule asks for; empty if it is not a command."""
    words = _words(text)
    while words and words[0].lower() in _RUNS:
        words = words[1:]
    return words if words and is_tool(words[0]) else ()


def _words(text: str) -> tuple[str, ...]:
    found = (word.strip(_TRIM) if not word.startswith(".") else word.rstrip(_TRIM) for word in text.split())
    return tuple(word for word in found if word and word.lower() not in _SMALL)


def _content(corrected: str) -> tuple[str, ...]:
    order = _ORDER.match(corrected.strip())
    return _words(corrected.strip()[order.end() :]) if order else ()


def _base(verb: str) -> str:
    """Return the base form of a verb: push for pushing."""
    if verb in VERBS or not verb.endswith("ing"):
        return verb
    stem = verb[:-3]
    forms = (stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem)
    return next((form for form in forms if form in VERBS), verb)


def _spelt(command: Command) -> list[str]:
    """Return the words of a command as rules name them; a word known only at run time is empty."""
    first, *rest = (word.text or "" for word in command.words)
    return [first.rpartition("/")[2], *(_plain(word) for word in rest)]


def _plain(word: str) -> str:
    """Return a word without its location: `./build/` is build, `HEAD:main` and `+main` are main."""
    if word.startswith("-") or "://" in word:
        return word
    word = word.rpartition(":")[2] or word
    return word.removeprefix("+").removeprefix("refs/heads/").removeprefix("./").rstrip("/") or word


def _starts(words: Sequence[str]) -> list[int]:
    """Return the positions where the program may be: first, or after what starts it."""
    found = [0]
    for at, word in enumerate(words[:4], 1):
        if word not in _STARTERS or at >= len(words):
            break
        found.append(at)
    return found


def _meets(rule: PersonRule, words: Sequence[str]) -> bool:
    if not _holds(words, rule.words) or (rule.either and not any(one in words for one in rule.either)):
        return False
    if rule.command:
        return _holds(words[:1], rule.command[:1]) and holds_words(_meant(words), [*rule.command])
    act = _SPELT.get(rule.act, (rule.act,))[0]
    if rule.act in _GIT and not any(is_tool(word) for word in rule.words):
        return _meant(words)[:2] == ["git", act]
    said = _meant(words)
    at = 2 if len(said) > 2 and said[1] in _RUNNERS else 1
    return said[0] == act or said[at : at + 1] == [act]


def _meant(words: Sequence[str]) -> list[str]:
    """Return the words without options and the values of `-C` and `-c`."""
    return [
        word for at, word in enumerate(words) if not word.startswith("-") and (at == 0 or words[at - 1] not in _VALUED)
    ]


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    there = {piece for word in words for piece in _pieces(word)}
    return all(piece in there for word in wanted for piece in _pieces(word))


def _pieces(word: str) -> tuple[str, ...]:
    """Split a bundle of options into letters: `-fr` equals `-rf`."""
    return tuple(f"-{letter}" for letter in word[1:]) if _CLUSTER.fullmatch(word) else (_plain(word),)


def _all_in(words: Sequence[str], said: set[str]) -> bool:
    return all(set(tokens(word)) <= said for word in words)
