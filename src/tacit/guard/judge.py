"""Judge a line: check every command it would run against every rule.

The most severe finding wins; doubt never allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tacit.guard.args import is_dry_run
from tacit.guard.code.actions import PossibleCommand
from tacit.guard.code.one_liners import code_of
from tacit.guard.fast_path import is_plain
from tacit.guard.hidden_commands import hidden_in
from tacit.guard.lookalike_letters import folded
from tacit.guard.made_here import MadeHere
from tacit.guard.packs import RulePacks, built_in
from tacit.guard.path_kinds import TEMPORARY, resolved
from tacit.guard.program_judges import JUDGES, everywhere
from tacit.guard.protected_paths import rule_for, written_path
from tacit.guard.rule_matching import TOO_LONG, matching
from tacit.guard.uncertain_commands import doubtful, interactive
from tacit.guard.verdict import CommandLocation, Decision, RuleMatch, Verdict
from tacit.shell.command import Command, Doubt, Script
from tacit.shell.parse import MOST_BYTES, parse
from tacit.shell.powershell.hint import may_be_powershell
from tacit.shell.programs.shells import SHELLS
from tacit.shell.unwrap import WorkBudget, everything
from tacit.text.patterns import lazy_pattern

MOST_CODE_DEPTH = 8
MOST_FOLDERS = 4
ALLOWED = Verdict("allow")
TOO_MUCH = frozenset({"doubt.size", "doubt.budget", "doubt.depth", TOO_LONG})


class JudgedCommand(NamedTuple):
    """One command a line would run, its nesting depth, and its verdicts."""

    shown: str
    depth: int
    verdicts: tuple[Verdict, ...]


def judge(command: str, place: CommandLocation | None = None, packs: RulePacks | None = None) -> Verdict:
    """Judge a command line."""
    where, rules = place or CommandLocation(), packs or built_in()
    if is_plain(command, rules):
        return ALLOWED
    return judge_fully(command, where, rules)


def judge_write(path: str, place: CommandLocation | None = None, packs: RulePacks | None = None) -> Verdict:
    """Judge the file that a tool of an agent is about to write, as a redirection to it would be judged."""
    where = place or CommandLocation()
    rule = rule_for(written_path(path, where), where) if path else ""
    return (
        _verdict(RuleMatch(rule, 0, len(path.encode(errors="replace")), path), packs or built_in()) if rule else ALLOWED
    )


def judge_fully(command: str, place: CommandLocation, packs: RulePacks) -> Verdict:
    """Judge a command line by parsing it."""
    return gravest(explain(command, place, packs))


def gravest(steps: list[JudgedCommand]) -> Verdict:
    """Return the verdict of a whole line: the most severe one, or the first of several."""
    verdicts = [verdict for step in steps for verdict in step.verdicts]
    return max(verdicts, key=lambda one: one.weight, default=ALLOWED)


def explain(command: str, place: CommandLocation, packs: RulePacks) -> list[JudgedCommand]:
    """Return every command a line would run, in order, with its verdicts."""
    if len(command) > MOST_BYTES or "\0" in command:
        return [_doubt("size", "it is too large to be judged, or is not text", 0, len(command))]
    try:
        steps = list(_steps(command, place, packs, WorkBudget()))
        seen = folded(command)
        if seen != command:
            steps += _lookalike(seen, gravest(steps), place, packs)
    except RecursionError:
        return [_doubt("depth", "it is nested too deep to be judged", 0, len(command))]
    return steps


def _lookalike(seen: str, plain: Verdict, place: CommandLocation, packs: RulePacks) -> list[JudgedCommand]:
    """Doubt a line that would be judged more severely if its look-alike characters were plain letters."""
    looks = gravest(list(_steps(seen, place, packs, WorkBudget())))
    if looks.weight <= plain.weight:
        return []
    return [
        _doubt("lookalike", f"it has look-alike or invisible characters; without them: {looks.reason}", 0, len(seen))
    ]


def _doubt(rule: str, reason: str, start: int, end: int, depth: int = 0) -> JudgedCommand:
    return JudgedCommand("", depth, (_unsure(f"doubt.{rule}", reason, start, end),))


def _unsure(rule: str, reason: str, start: int, end: int) -> Verdict:
    # A person can look at what is too much for us; what could not be understood is not theirs to guess either.
    verdict: Decision = "ask" if rule in TOO_MUCH else "unsure"
    return Verdict(verdict, rule, reason, "write it in a simpler way", "doubt", start, end)


def _steps(
    text: str, place: CommandLocation, packs: RulePacks, work: WorkBudget, depth: int = 0, deep: int = 0
) -> Iterator[JudgedCommand]:  # fmt: skip
    if _ELSEWHERE.search(text):
        place = place._replace(may_work_elsewhere=True)
    folders, made = _Folders(place, text), MadeHere()
    shells = [True]
    for found, level in everything(_read(text), work):
        if isinstance(found, Doubt):
            yield _doubt(found.kind, found.what, found.start, found.end, deep + level)
            continue
        if level == 0:
            folders.before(found)
        said = tuple(dict.fromkeys(v for where in folders.possible for v in _verdicts(found, where, packs)))
        # Whether all that this command runs in is a shell of this line: not one in a container or a terminal.
        shells[level + 1 :] = [shells[level] and found.name in SHELLS | {"eval", "coproc"}]
        if depth == 0 and shells[level]:
            said += tuple(_verdict(finding, packs) for finding in interactive(found))
        said = tuple(made.softened(found, one) for one in said)
        for other in made.by_other_names(found):
            said += tuple(v for v in _verdicts(other, folders.possible[-1], packs) if made.applies(found, v))
        made.note(found)
        yield JudgedCommand(" ".join(word.shown for word in found.words), deep + level, said)
        if depth < MOST_CODE_DEPTH:
            for inner in code_of(found):
                for where in dict.fromkeys((folders.possible[0], folders.possible[-1])):
                    steps = _steps(inner, where, packs, work, depth + 1, deep + level + 1)
                    yield from _without_doubt(steps) if isinstance(inner, PossibleCommand) else steps
                if not work.spent(1):
                    break  # the next command reports that the budget is spent
        elif any(True for _ in code_of(found)):
            yield _doubt("depth", "it is nested too deep to be judged", found.start, found.end, deep + level)
        if found.name in ("cd", "pushd"):
            folders.enter(found, level)


# Variables, settings, links and options by which git works on other files than those of its folder.
_ELSEWHERE = lazy_pattern(
    r"\bGIT_[A-Z]|core\.worktree|--(?:chdir|work-tree|git-dir|directory)\b|\bln\b|\bmount\b|\benv\s+(?:-\w+\s+){0,4}-\w*C"
    r"|\bsudo\b[^;&|]{0,60}?\s-\w*D|\bcp\b[^;&|]{0,100}?\.git\b|gitdir:"
)  # fmt: skip


def _without_doubt(steps: Iterator[JudgedCommand]) -> Iterator[JudgedCommand]:
    for step in steps:
        yield step._replace(verdicts=tuple(one for one in step.verdicts if one.verdict != "unsure"))


def _read(text: str) -> Script:
    if not may_be_powershell(text):
        plain = parse(text)
        if not plain.doubts:
            return plain
        from tacit.shell.fish import read_fish

        return read_fish(text, plain)
    from tacit.shell.powershell.reading import read_line

    return read_line(text)


# What may be between two commands of the same shell: no pipe, no end of a subshell or a function.
_JOINED = lazy_pattern(r"[^()|{}&;\n`]*(?:&&|;|\n)[^()|{}&`]*")


class _Folders:
    """The folders in which the next command of a line may run, after each `cd`.

    `cd` may fail, so the old folder counts too, except for what runs only if it succeeded: `cd x && …`.
    """

    def __init__(self, place: CommandLocation, text: str) -> None:
        self.possible: tuple[CommandLocation, ...] = (place,)
        self._otherwise: tuple[CommandLocation, ...] = ()
        self._source = text.encode(errors="replace")
        self._end = 0
        self._is_certain = False
        self._seen: tuple[CommandLocation, ...] = (place,)

    def before(self, command: Command) -> None:
        """Note where a command of the line itself begins."""
        joined = _JOINED.fullmatch(self._source[self._end : command.start].decode(errors="replace"))
        stays = joined is not None and (self._is_certain or "&&" in joined.group(0))
        if self._otherwise and not stays:
            self.possible = (*self._otherwise, *self.possible)[-MOST_FOLDERS:]
            self._otherwise = ()
        self._end = command.end

    def enter(self, command: Command, level: int) -> None:
        """Note a `cd`."""
        place = self.possible[-1]
        targets = [word for word in command.args if not (word.text or "").startswith("-") or word.text == "-"]
        path = resolved(targets[0], place) if targets else place.home
        if targets and targets[0].text == "-":
            self.possible = self._seen[-MOST_FOLDERS:]
        if path is None or (targets and targets[0].text == "-"):
            return
        entered = place._replace(cwd=path, project=place.project or place.cwd)
        self._seen = (*self._seen, entered)
        follows = level == 0 and self._source[command.end :].lstrip().startswith(b"&&")
        if level == 0 and (follows or path in TEMPORARY):
            self._is_certain = path in TEMPORARY  # it always exists
            self._otherwise, self.possible = self.possible, (entered,)
        elif len(self.possible) < MOST_FOLDERS:
            self.possible = (*self.possible, entered)


def _verdicts(command: Command, place: CommandLocation, packs: RulePacks) -> Iterator[Verdict]:
    for finding in _findings(command, place, packs):
        if finding.rule == TOO_LONG:
            yield _unsure(TOO_LONG, "it is too long to be compared with the rules", finding.start, finding.end)
            continue
        yield _verdict(finding, packs)


def _verdict(finding: RuleMatch, packs: RulePacks) -> Verdict:
    rule = packs.rules[finding.rule]
    reason = f"{rule.reason}: {finding.detail}" if finding.detail else rule.reason
    return Verdict(rule.severity, rule.id, reason, rule.alternative, rule.family, finding.start, finding.end)


def _findings(command: Command, place: CommandLocation, packs: RulePacks) -> Iterator[RuleMatch]:
    for judged in everywhere:
        yield from judged(command, place)
    yield from doubtful(command)
    name = command.name
    if name is None or is_dry_run(command):
        return
    for special in JUDGES.get(name, JUDGES.get(name.split(".")[0], ())):
        yield from special(command, place)
    yield from matching(command, packs)
    for tail in hidden_in(command, packs):
        if any(verdict.verdict == "deny" for verdict in _verdicts(tail, place, packs)):
            yield RuleMatch("shell.maybe-runs", command.start, command.end, " ".join(w.shown for w in tail.words[:4]))
