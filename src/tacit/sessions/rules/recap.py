"""Recap: what was asked, changed, run, committed; what failed and what mended it; how it ended. No model is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.fixes import fix_in, never_ran
from tacit.failures.rules.worked_next import LOOKING, spaced
from tacit.model.payload import KeptTurn, Recap
from tacit.model.record import replace
from tacit.sessions.rules.asked import asked, prompts_typed
from tacit.sessions.rules.changed_files import changed_files
from tacit.sessions.rules.commits import commits_in, committed, made_commits
from tacit.sessions.rules.kept_turns import HIDES
from tacit.sessions.rules.line_commands import line_commands
from tacit.sessions.rules.outcome import outcome_of
from tacit.shell.command import Command
from tacit.shell.signature import signature_of
from tacit.text.patterns import lazy_pattern

MOST_WORDS = 120
_CHARS_A_WORD = 5
_LEAST_ASKED, _MOST_ASKED = 400, 560
"""How many characters the prompts may have."""
_MOST_COMMANDS = 4
_MOST_FAILED = 2
_COMMAND_CHARS = 80
# What they say is nothing about what was done.
_LOOKING_GIT = frozenset({
    "status", "log", "diff", "show", "branch", "remote", "rev-parse", "ls-files", "blame", "config", "add", "fetch",
    "stash", "describe", "shortlog", "reflog", "grep", "cat-file", "ls-tree", "ls-remote", "for-each-ref", "rev-list",
    "name-rev", "merge-base", "count-objects", "show-ref", "whatchanged",
})  # fmt: skip
# Without a name, or with one of these, `git tag` lists.
_LISTING_TAGS = ("-l", "--list", "-n", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged")
_LOOKING_VERBS = frozenset(
    {"ls", "show", "status", "view", "info", "get", "describe", "logs", "log", "help", "version", "env"}
)
_LOOKING_CMDLETS = (
    "-", "Get-", "Test-", "Select-", "Write-", "Format-", "Measure-", "Out-", "Start-Sleep", "Invoke-WebRequest",
    "Invoke-RestMethod", "Where-Object", "ForEach-Object", "Set-Location", "Push-Location", "Pop-Location",
)  # fmt: skip
_INTERPRETERS = frozenset({"python", "python3", "node", "bun", "ruby", "perl", "bash", "sh", "zsh"})
# They make room for another command of their line, which says more.
_PREPARING = frozenset({"rm", "mkdir", "touch", "chmod", "mv", "cp", "rmdir", "unlink"})
# Where a command was run says less than the command.
_ENTERED = lazy_pattern(r"\Acd \S+ && (?=\S)")


def recap_of(turns: Sequence[tuple[KeptTurn, str]], *, session: str, agent: str, cwd: str = "") -> Recap:
    """Return what happened in a session, from its kept turns and their texts."""
    commands = [turn for turn, _text in turns if turn.command]
    commits = made_commits(turn.command for turn in commands if _worked(turn, commands))
    done = Recap(
        session=session, agent=agent, author=agent, thread=turns[0][0].thread if turns else "",
        files=tuple(changed_files(turns, cwd)), commands=tuple(_commands(commands)), commits=tuple(commits),
        failed=tuple(_failed(commands)), outcome=outcome_of(turns),
    )  # fmt: skip
    # Where less was done there is more room for what was asked.
    room = _CHARS_A_WORD * (MOST_WORDS - len(recap_text(done).split()))
    told = tuple(asked(turns, agent, min(max(room, _LEAST_ASKED), _MOST_ASKED)))
    return replace(done, asked=told, asked_more=prompts_typed(turns, agent) > len(told))


def recap_text(recap: Recap) -> str:
    """Return a recap in words, at most 120 of them: sentences that do not fit are left out whole."""
    parts = [
        _asked(recap),
        f"Changed {_list(recap.files)}." if recap.files else "",
        committed(recap.commits),
        *(f"{one}." for one in recap.failed),
        f"Ran {', '.join(f'`{one}`' for one in recap.commands)}." if recap.commands else "",
        f"The agent said: {recap.outcome}" if recap.outcome else "",
    ]
    told: set[str] = set()
    words = 0
    # What came of it says more than what failed on the way.
    for part in filter(None, (parts[0], parts[-1], *parts[1:3], *parts[3:-1][:: -1 if _left(recap) else 1])):
        if words + len(part.split()) <= MOST_WORDS:
            words += len(part.split())
            told.add(part)
    return "\n".join(part for part in parts if part in told)


def _left(recap: Recap) -> bool:
    """Return whether something left the machine."""
    return bool(recap.commands and _OUTWARD.match(recap.commands[-1]))


def _asked(recap: Recap) -> str:
    if not recap.asked:
        return ""
    among = ", among other things" if recap.asked_more else ""
    return f"Asked{among}: {'; '.join(recap.asked)}{_stop(recap.asked[-1])}"


def _stop(text: str) -> str:
    return "" if text.endswith(("…", "?", "!", "。")) else "."


_CHECKERS = frozenset({
    "pytest", "tsc", "mypy", "ruff", "eslint", "biome", "jest", "vitest", "tox", "nox", "ctest", "phpunit", "rspec",
    "shellcheck", "pyright", "golangci-lint", "ultracite", "playwright",
})  # fmt: skip
_CHECKING = frozenset(
    {"test", "tests", "check", "lint", "build", "typecheck", "vet", "clippy", "verify", "validate", "ci"}
)
# Elsewhere such a word is a folder, a file or a branch.
_RUNNERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "deno", "nx", "turbo", "make", "just", "task", "mise", "cargo", "go", "dotnet",
    "swift",
    "mix", "rake", "bundle", "gradle", "gradlew", "mvn", "mvnw", "bazel", "cmake", "ninja", "zig", "composer", "uv",
    "uvx",
    "poetry", "hatch", "pdm", "python", "python3", "sbt", "stack", "cabal", "flutter", "dart", "npx", "bunx", "rails",
})  # fmt: skip
_STARTING = frozenset({"run", "exec", "x", "dlx", "tool", "env", "time", "timeout", "sudo", "nice", "xvfb-run"})
_SCRIPTS = (".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".ps1", ".bat")
# They check if they are told to.
_FORMATTERS = frozenset({"fmt", "format", "black", "prettier", "isort", "rustfmt", "dprint", "ruff", "deno"})
_CHECK_ONLY = frozenset({"--check", "--check-only", "--list-different"})
_INSTALLING = frozenset({"install", "add", "i", "uninstall", "remove", "upgrade", "update"})
# What leaves the machine, as the beginning of a command.
_OUTWARD = lazy_pattern(
    r"git push\b|gh (?:pr|release|issue) (?:create|merge|close|edit)|(?:npm|pnpm|cargo|uv) publish|twine upload"
    r"|(?:\S+ ){0,3}deploy(?: |$)|vercel\b.* --prod\b"
)


# What may follow a check on its line, so that success of the line is its own: redirections, and what runs only then.
_OWN_SUCCESS = lazy_pattern(r"(?:\s*\d?>{1,2}&?\s?[^\s|;&]+)*[\s)]*(?:&&(?:[^|;&\n]|>&)+)*\s*;?\s*")
# And so that failure of the line is: nothing that could fail in its place.
_OWN_FAILURE = lazy_pattern(r"[^;&\n]*(?:[12]?>&\d[^;&\n]*)*;?\s*")
# A search that finds nothing fails: that says nothing of what it searched.
_SEARCHED = lazy_pattern(r"[^|]\|\s*(?:grep|rg|egrep|fgrep|findstr|Select-String)\b[^|;&\n]*\s*")
_NEGATED = lazy_pattern(r"(?s)(?:.*[\s;&|(])?(?:!|if|while|until)\s+")
_PREPARED = lazy_pattern(r"(?:\s*(?:cd|export|source|\.|set)\s[^|;&\n]*(?:&&|;|\n))*\s*[\w=]*\s*")


# Without one of these words a line checks nothing; most lines have none, and parsing takes a hundred times as long.
_MAY_CHECK = lazy_pattern("|".join(sorted(_CHECKERS | _CHECKING)))
_UNQUOTED = str.maketrans("", "", "\"'\\\n")


class _Check(NamedTuple):
    """A command that tests, checks or builds, whether success or failure of its line is its own, or a search's."""

    command: str = ""
    passes: bool = False
    fails: bool = False
    searched: bool = False


@lru_cache(1_024)
def _check(line: str) -> _Check:
    """Return the command of a line that tests, checks or builds."""
    # Of several, the last one says how it ended.
    for command in reversed(line_commands(line)) if _MAY_CHECK.search(line.translate(_UNQUOTED)) else ():
        if _is_check(command) and _is_at(command, (parts := _split(line, command))[1]):
            before, text, after = parts
            plain = not _NEGATED.fullmatch(before)
            passes = plain and bool(_OWN_SUCCESS.fullmatch(after))
            fails = plain and bool(_OWN_FAILURE.fullmatch(after) and _PREPARED.fullmatch(before))
            return _Check(_shortened(text), passes, fails, bool(_SEARCHED.search(after)))
    return _Check()


def _is_check(command: Command) -> bool:
    first = [word.text or "" for word in command.words[:6]]
    if command.name in LOOKING or command.name in ("git", "gh") or not _INSTALLING.isdisjoint(first):
        return False
    programs = {one.rpartition("/")[2] for one in first}
    checking = {one.partition(":")[0] for one in first[1:]} & _CHECKING
    is_formatted = bool(programs & _FORMATTERS) and any(word.text in _CHECK_ONLY for word in command.args)
    return is_formatted or bool(checking and programs & _RUNNERS) or _runs_checker(first) or _runs_check(first)


def _runs_checker(words: Sequence[str]) -> bool:
    """Return whether a command runs a checker, by itself or by what starts another program: `npx tsc`, `uv run mypy`.

    Elsewhere its name is what is asked about: `mise current golangci-lint`.
    """
    for word in words:
        name = word.rpartition("/")[2]
        if name in _CHECKERS:
            return True
        if name not in _RUNNERS and word not in _STARTING and not word.startswith("-") and not word.isdigit():
            return False
    return False


def _runs_check(words: Sequence[str]) -> bool:
    """Return whether a command runs a script that is called after a check: `run-tests.sh`, `python check_docs.py`."""
    name = words[1] if len(words) > 1 and words[0] in _INTERPRETERS else words[0] if words else ""
    script = name.rpartition("/")[2]
    stem = script.rpartition(".")[0].replace("_", "-").split("-")
    return script.endswith(_SCRIPTS) and not _CHECKING.isdisjoint((stem[0], stem[-1]))


def _split(line: str, command: Command) -> tuple[str, str, str]:
    """Return what is before a command of a line, the command, and what is after it."""
    source = line.encode()
    parts = source[: command.start], source[command.start : command.end], source[command.end :]
    before, text, after = (part.decode(errors="replace") for part in parts)
    return before, text, after


def _commands(commands: Sequence[KeptTurn]) -> list[str]:
    """Return what left the machine, or else the commands that did something and worked, the latest of each kind."""
    worked = [turn.command for turn in commands if _worked(turn, commands)]
    outward = {what: text for line in worked for what, text in _sent(line)}
    if outward:
        return list(outward.values())[-_MOST_COMMANDS:]
    latest: dict[str, str] = {}
    for line in reversed(worked):
        # A check of which only another's exit code is known may have failed.
        unknown = (check := _check(line)).command and not check.passes
        if not unknown and not commits_in(line) and (told := _telling(line)) is not None:
            latest.setdefault(*told)
            if len(latest) == _MOST_COMMANDS:
                break
    return list(latest.values())[::-1]


def _worked(turn: KeptTurn, commands: Sequence[KeptTurn]) -> bool:
    """Return whether a command worked; where successes are told, one without an outcome was perhaps stopped."""
    return not turn.error and (bool(turn.ok) or (turn.ok is None and not any(one.ok for one in commands)))


_SENDING = ("push", "gh ", "publish", "upload", "deploy", "vercel")


@lru_cache(1_024)
def _sent(line: str) -> tuple[tuple[str, str], ...]:
    """Return the commands of a line that send something out: what they do, and their text."""
    commands = line_commands(line) if any(one in line for one in _SENDING) else ()
    shown = [" ".join(word.shown for word in command.words) for command in commands]
    return tuple((found.group(0), _shortened(text)) for text in shown if (found := _OUTWARD.match(text)))


@lru_cache(1_024)
def _telling(line: str) -> tuple[str, str] | None:
    """Return the signature and the text of the command of a line that does something; None if it only looks around."""
    found: list[tuple[str, str]] = []
    for command in line_commands(line):
        before, text, _after = _split(line, command)
        # A substitution serves another command; half a text in quotes, or a place inside a script, is none.
        whole = "\n" not in text and not text.count('"') % 2 and not text.count("'") % 2 and _is_at(command, text)
        if whole and not before.endswith(("$(", "`", "<(")) and not _only_looks(command):
            if command.name not in _PREPARING:
                return signature_of(command), _shortened(text)
            found.append((signature_of(command), _shortened(text)))
    return found[-1] if found else None


def _is_at(command: Command, text: str) -> bool:
    first = command.words[0].text if command.words else ""
    return bool(first) and first in text.split()


def _only_looks(command: Command) -> bool:
    name, words = command.name or "", [word.text or "" for word in command.args]
    if not name or name in LOOKING or name.endswith((".md", ".txt", ".json")) or name.startswith(_LOOKING_CMDLETS):
        return True
    if name in _INTERPRETERS:
        return not words or words[0] in ("-c", "-e", "-", "--version")
    verbs = [word for before, word in pairwise(["", *words]) if not word.startswith("-") and before not in ("-c", "-C")]
    if name == "git":
        return not verbs or verbs[0] in _LOOKING_GIT or (verbs[0] == "tag" and _lists_tags(words, verbs))
    looks = any(verb in _LOOKING_VERBS or verb.startswith("list") for verb in verbs[:2])
    return looks or not {"--version", "--help"}.isdisjoint(words)


def _lists_tags(words: Sequence[str], verbs: Sequence[str]) -> bool:
    return len(verbs) < 2 or any(word.startswith(_LISTING_TAGS) for word in words)


def _shortened(command: str) -> str:
    shown = _ENTERED.sub("", spaced(command), count=1)
    return shown if len(shown) <= _COMMAND_CHARS else f"{shown[: _COMMAND_CHARS - 1]}…"


# What such an error says is about the command, not about the work: another command is its fix.
_OF_THE_COMMAND = frozenset(
    {"program", "module", "option", "value", "subcommand", "script", "path", "syntax", "glob", "auth"}
)
_MOST_LATER = 15


def _failed(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return what failed and what worked instead, or when it was run again, and how the last check ended."""
    known = [turn for turn in commands if turn.ok is not None]
    told: dict[str, str] = {}
    for place, turn in enumerate(known):
        if turn.ok is False and turn.error and not HIDES.search(turn.command) and _telling(turn.command):
            line = spaced(turn.command)
            # Run again, it may say more clearly why it fails.
            before = {spaced(one.command) for one in known[:place] if one.ok is False}
            told[line] = told.get(line) or _instead(turn, known[place + 1 : place + 1 + _MOST_LATER], before)
    # What another command mended comes first: nobody would know it from the last state.
    again = {line: how for line, how in _again(known) if not told.get(line)}
    yield from [*filter(None, told.values()), *again.values()][:_MOST_FAILED]
    sent = [turn for turn in known if _sent(turn.command)]
    if sent and sent[-1].ok is False:
        line = sent[-1].command
        # Behind `&&` it may not have been run.
        yield f"`{_shortened(line) if '&&' in line else _sent(line)[-1][1]}` failed{_why(sent[-1])}"
    if known and commands[-1].ok is None and (begun := commits_in(commands[-1].command)):
        yield f"Last command, its end is not known: a commit, {begun[0]}"
    # One that was stopped, or goes on, was the last one too.
    for last in reversed(commands if known else ()):
        check = _check(last.command)
        if check.command:
            # If something else may have failed, it is the line that did.
            what = check.command if last.ok is not False or check.fails or check.searched else _shortened(last.command)
            yield f"Checked: `{what}`{_ended(last, check)}"
            return


def _ended(turn: KeptTurn, check: _Check) -> str:
    """Return how a check ended: that it passed only by an exit code of its own, else only that it ran."""
    if check.searched or turn.ok is None:
        return ""
    if not turn.ok:
        # What a formatter prints is the code that it would change.
        return " failed" if not _CHECK_ONLY.isdisjoint(check.command.split()) else f" failed{_why(turn)}"
    if not check.passes:
        return ""
    return " passed" if turn.exit_code == 0 else ", no error reported"


def _instead(failed: KeptTurn, later: Sequence[KeptTurn], before: AbstractSet[str]) -> str:
    """Return in words what worked in the place of a command; empty if nothing did, or it had failed before as well."""
    cause = cause_of(failed.command, failed.error, failed.exit_code)
    if cause is None or not (cause.kind in _OF_THE_COMMAND or never_ran(cause)):
        return ""
    for turn in later:
        if turn.ok and not HIDES.search(turn.command) and (fix := fix_in(cause, failed.command, turn.command)):
            # One that had failed before was mended by something else.
            return (
                ""
                if not before.isdisjoint((spaced(turn.command), spaced(fix)))
                else f"`{_shortened(failed.command)}` failed{_why(failed)}; `{_shortened(fix)}` worked"
            )
    return ""


def _again(known: Sequence[KeptTurn]) -> Iterator[tuple[str, str]]:
    """Return the commands that failed first and worked when they were run last."""
    runs: dict[str, list[KeptTurn]] = {}
    for turn in known:
        runs.setdefault(spaced(turn.command), []).append(turn)
    for line, ran in runs.items():
        first = ran[0]
        if not first.ok and ran[-1].ok and first.error and not HIDES.search(first.command) and _telling(line):
            yield line, f"`{_shortened(line)}` failed{_why(first)}, and worked in the end"


# What an output ends with if nothing in it is an error.
_NO_REASON = lazy_pattern(r"\W*|\(no output\)|[✓✔☑ℹ✅].*|(?:ok|pass(?:ed)?|info)\b.*", re.I)


def _why(turn: KeptTurn) -> str:
    return "" if _NO_REASON.fullmatch(turn.error) else f" ({turn.error[:100]})"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
