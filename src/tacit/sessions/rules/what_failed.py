"""What failed in a session and what mended it, what was not sent, and how the checks ended, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set as AbstractSet
from itertools import pairwise

from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.fixes import fix_in, never_ran
from tacit.failures.rules.made_it_work import changed_between, made_it_work
from tacit.failures.rules.worked_next import spaced
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.check_commands import checks_in
from tacit.sessions.rules.check_families import ALL, LINT, family_of
from tacit.sessions.rules.checks import OF_THE_COMMAND, EndedCheck, why_failed
from tacit.sessions.rules.commands.command_results import BACKGROUND
from tacit.sessions.rules.commands.commits import NOT_SENT, CommitHistory, commits_in, made_commits
from tacit.sessions.rules.commands.git_log import compared, first_listed, new_in_log, since_own
from tacit.sessions.rules.commands.line_commands import line_commands, shortened_command
from tacit.sessions.rules.commands.telling_commands import (
    MATTERS,
    MATTERS_WITHIN,
    OUTWARD,
    sent_commands,
    telling_command,
)
from tacit.sessions.rules.commands.what_worked import has_known_outcomes, worked
from tacit.sessions.rules.kept_turns import HIDES
from tacit.shell.command import Command
from tacit.shell.signature import signature_of
from tacit.text.patterns import lazy_pattern

_MOST_FAILED = 2
_MOST_LATER = 15
_PATH_CHARS = 60
_PROSE = (".md", ".mdx", ".txt", ".rst", ".adoc")
"""What is written there no check looks at."""
_INSTALLING = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("install", "add", "i", "remove", "uninstall", "upgrade", "up")),
    **dict.fromkeys(("poetry", "cargo", "uv"), ("add", "remove")), "go": ("get",),
}  # fmt: skip
"""What changes on what the code of a project depends, if it names something."""
_WITH_VALUE = frozenset({"--prefix", "-C", "--dir", "--cwd", "--filter", "-F", "-w", "--workspace", "--registry"})
_VERSION = lazy_pattern(r"(?<=\w)(?:@|==|>=|~=)[^/]*\Z")
_MOST_NEW = 3
_GOES_ON = lazy_pattern(r"\A(?:cd \S+ && )?(?:git push|gh )[^|;&]*&&")
_BEGINS_ALIKE = 40
"""Commands that begin with so many equal characters do the same."""
_MOST_SINCE = 3
"""If more prompts came after the last check, it was early."""
# What a check says that failed, and that says nothing of why.
_ONLY_COUNTS = lazy_pattern(r"\b\d+ (?:errors?|problems?|issues?|warnings?|failed|tests?)\b|too many errors", re.I)


def what_failed(
    kept: Sequence[KeptTurn], history: CommitHistory, checks: Sequence[EndedCheck], prompts: Sequence[int]
) -> Iterator[str]:
    """Return what failed and what worked instead, what was not sent, commits without an end, and checks."""
    commands = [turn for turn in kept if turn.command]
    known = [turn for turn in commands if turn.ok is not None]
    told: dict[str, str] = {}
    before: set[str] = set()
    for place, turn in enumerate(known):
        if turn.ok is False and turn.error and not HIDES.search(turn.command) and telling_command(turn.command):
            line = spaced(turn.command)
            # Run again, it may say more clearly why it fails.
            told[line] = told.get(line) or _instead(turn, known[place + 1 : place + 1 + _MOST_LATER], before)
        if turn.ok is False:
            before.add(spaced(turn.command))
    # What another command mended comes first: nobody would know it from the last state.
    again = {line: how for line, how in _again(kept, checks) if not told.get(line)}
    mended = [*filter(None, told.values()), *list(again.values())[:1]][:_MOST_FAILED]
    if history.reverted:
        yield f"Committed and reverted: {'; '.join(history.reverted[-_MOST_FAILED:])}"
    if new := since_own(commands, history.made) if history.made else new_in_log(commands):
        among = ", among others" if len(new) > _MOST_NEW else ""
        yield f"New in the git log{among}: {'; '.join(new[:_MOST_NEW])}"
    yield from _unmended(commands)
    yield from mended
    yield from _not_sent(commands)
    if unknown := _without_outcome(commands, history):
        later = " after the last push" if _are_after_push(commands, unknown) else ""
        yield f"Commit attempted{later}, result not recorded: {'; '.join(unknown[-_MOST_FAILED:])}"
    # Of a check that failed first it is told already that it worked.
    mended_checks = [one for one in checks if any(how.startswith(f"`{one.command}` failed") for how in mended)]
    checks = [one for one in checks if one not in mended_checks or one.ended.startswith(": ")]
    if checks:
        # What was asked for since then was not checked.
        last = checks[-1].turn
        since = sum(number > last.number for number in prompts)
        early = " early on" if since > _MOST_SINCE and commands.index(last) < len(commands) / 2 else ""
        early = early or (" before the last change" if last.number < _last_change(kept) else "")
        yield f"Checked{early}: {'; '.join(f'`{one.command}`{one.ended}' for one in checks)}"


def _without_outcome(commands: Sequence[KeptTurn], history: CommitHistory) -> list[str]:
    """Return the commits of which nobody knows whether they were made."""
    # Behind `||` nobody minds whether it was made.
    begun = made_commits(
        one.command for one in commands if one.ok is None and not one.error and "||" not in one.command
    )
    # What git listed was made, and is perhaps on another branch.
    listed = first_listed(commands)
    return [one for one in begun if one not in (*history.made, *history.reverted) and compared(one) not in listed]


def _are_after_push(commands: Sequence[KeptTurn], subjects: Sequence[str]) -> bool:
    """Return whether commits of unknown outcome were tried after all that was sent: they were not sent then."""
    tried = [turn.number for turn in commands if not set(subjects).isdisjoint(commits_in(turn.command))]
    sent = [turn.number for turn in commands if sent_commands(turn.command) and turn.ok is not False and not turn.error]
    return bool(tried and sent) and max(sent) < min(tried)


def _last_change(kept: Sequence[KeptTurn]) -> int:
    """Return the number of the turn that changed code or what it depends on last; 0 if none did."""

    def changes(turn: KeptTurn) -> bool:
        if turn.command:
            return bool(turn.ok) and any(map(_depends_otherwise, line_commands(turn.command)))
        return turn.ok is not False and not all(path.endswith(_PROSE) for path in turn.paths)

    return next((one.number for one in reversed(kept) if (one.paths or one.command) and changes(one)), 0)


def _depends_otherwise(command: Command) -> bool:
    """Return whether a command changes what the code of its project depends on."""
    words = [word.shown for word in command.args]
    if not words or words[0] not in _INSTALLING.get(command.name or "", ()):
        return False
    named = [word for before, word in pairwise(words) if word[:1] != "-" and before not in _WITH_VALUE]
    return bool(named) and {"-g", "--global"}.isdisjoint(words)


def _not_sent(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return the last command that should send something out and did not, if it did not afterwards either."""
    sent: set[str] = set()
    has_known = has_known_outcomes(commands)
    for turn in reversed([one for one in commands if sent_commands(one.command)]):
        sends = sent_commands(turn.command)
        if turn.ok is False or (turn.ok is None and turn.error) or NOT_SENT.search(turn.error):
            if _GOES_ON.search(turn.command) and not NOT_SENT.search(turn.error):
                # What was run after it failed.
                return
            if sent.issuperset(one.what for one in sends):
                continue
            # Of several commands another one may have failed, or kept it from being run.
            is_one = "&&" not in turn.command and ";" not in turn.command.partition("<<")[0]
            what = sends[-1].text if is_one else shortened_command(turn.command)
            yield f"`{what}` failed{why_failed(turn)}"
            return
        if worked(turn, has_known):
            sent |= {one.what for one in sends}


def _unmended(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return the last commands that change more than files, failed, and did not work afterwards."""
    kinds: dict[str, str] = {}
    has_known = has_known_outcomes(commands)
    done = _DoneLater()
    for turn in reversed(commands):
        if not MATTERS_WITHIN.search(turn.command):
            continue
        if worked(turn, has_known):
            done.add(turn.command)
        # Where no outcome is known, an error in the output is one.
        if turn.ok or not turn.error or HIDES.search(turn.command):
            continue
        told = telling_command(turn.command)
        # What is sent out is told by itself, and so are checks.
        if told is None or not MATTERS.match(told[1]) or OUTWARD.match(told[1]) or checks_in(turn.command):
            continue
        if told[0] not in kinds and not done.ends(turn.command, *told):
            kinds[told[0]] = f"`{told[1]}` failed{why_failed(turn)}"
        if len(kinds) == _MOST_FAILED:
            break
    yield from reversed(kinds.values())


class _DoneLater:
    """What was done after a command of a session, looking from its end."""

    def __init__(self) -> None:
        self._signatures: set[str] = set()
        self._beginnings: set[str] = set()
        self._ending: list[str] = []
        self._installed: set[str] = set()

    def add(self, line: str) -> None:
        """Note what a line did."""
        # A long line may not be read to its end.
        self._beginnings.add(line[:_BEGINS_ALIKE])
        for one in line_commands(line):
            self._signatures.add(signature_of(one))
            self._installed.update(_packages(one))
            text = " ".join(word.shown for word in one.words)
            if text.startswith("git ") and not {"--continue", "--skip"}.isdisjoint(text.split()):
                self._ending.append(text)

    def ends(self, line: str, signature: str, text: str) -> bool:
        """Return whether what a line should do was done."""
        if signature in self._signatures or line[:_BEGINS_ALIKE] in self._beginnings:
            return True
        # In another way, or in another version.
        wanted = {name for one in line_commands(line) for name in _packages(one)}
        return bool(wanted and wanted <= self._installed) or any(_ends(one, text) for one in self._ending)


def _packages(command: Command) -> list[str]:
    """Return the names of what a command installs or updates, each behind its installer, without versions."""
    words = [word.shown for word in command.args]
    is_taken_away = words[:1] in (["remove"], ["uninstall"])
    if not words or is_taken_away or words[0] not in (*_INSTALLING.get(command.name or "", ()), "update"):
        return []
    named = (word for before, word in pairwise(words) if word[:1] != "-" and before not in _WITH_VALUE)
    return [f"{command.name} {_VERSION.sub('', word, count=1)}" for word in named]


def _ends(later: str, begun: str) -> bool:
    """Return whether a command of git ends what another one began: `git rebase --continue`."""
    same = [word for word in begun.split() if "=" not in word][:2] == [w for w in later.split() if "=" not in w][:2]
    return same and begun.startswith("git ")


def _instead(failed: KeptTurn, later: Sequence[KeptTurn], before: AbstractSet[str]) -> str:
    """Return in words what worked in the place of a command; empty if nothing did, or it had failed before as well."""
    cause = cause_of(failed.command, failed.error, failed.exit_code)
    if cause is None or not (cause.kind in OF_THE_COMMAND or never_ran(cause)):
        return ""
    for turn in later:
        if turn.ok and not HIDES.search(turn.command) and (fix := fix_in(cause, failed.command, turn.command)):
            # One that had failed before was mended by something else.
            if not before.isdisjoint((spaced(turn.command), spaced(fix))):
                return ""
            what, mended = shortened_command(failed.command), shortened_command(fix)
            # Where both look the same, what differs is a long path.
            other = next((word for word in fix.split() if word not in failed.command.split()), "")
            return f"`{what}` failed{why_failed(failed)}; `{mended if mended != what else _path_end(other)}` worked"
    return ""


def _path_end(path: str) -> str:
    return path if len(path) <= _PATH_CHARS else f"…{path[-_PATH_CHARS:]}"


def _again(kept: Sequence[KeptTurn], checks: Sequence[EndedCheck]) -> Iterator[tuple[str, str]]:
    """Return the commands that failed first and worked when they were run last, without checks of which that is all."""
    runs: dict[str, list[KeptTurn]] = {}
    # Those of which no outcome is known.
    shown: dict[str, list[KeptTurn]] = {}
    for turn in kept:
        if turn.command and turn.ok is not None:
            runs.setdefault(spaced(turn.command), []).append(turn)
        elif turn.command and turn.result != BACKGROUND:
            shown.setdefault(spaced(turn.command), []).append(turn)
    for line, ran in shown.items():
        if ran[0].error and not ran[-1].error and not HIDES.search(line) and telling_command(line):
            yield (
                line,
                f"`{shortened_command(line)}` showed an error{why_failed(ran[0])}, and none when it was run last",
            )
    for line, ran in runs.items():
        first = ran[0]
        if not first.ok and ran[-1].ok and first.error and not HIDES.search(first.command) and telling_command(line):
            what, why = f"`{shortened_command(line)}`", why_failed(first)
            failed = max(one.number for one in ran if not one.ok)
            worked = next(one.number for one in ran if one.ok and one.number > failed)
            between = [one for one in kept if failed < one.number < worked]
            changed = changed_between(between) if made_it_work(first, between) is None else ""
            # That a check passed in the end is told by itself.
            is_told = any(f"`{one.command}`" == what for one in checks)
            # What a linter found and what was mended is found again by itself.
            is_lint = any(family_of(one.command, is_test=False) in (LINT, ALL) for one in checks_in(line))
            if changed or not is_told or (why and not is_lint and not _ONLY_COUNTS.search(why)):
                yield line, f"{what} failed{why}, and worked {f'after {changed} changed' if changed else 'in the end'}"
