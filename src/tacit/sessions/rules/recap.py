"""Recap: what was asked, changed, run, committed; what failed and what mended it; how it ended. No model is needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from tacit.model.payload import KeptTurn, Recap
from tacit.shell.parse import parse
from tacit.shell.signature import signature_of
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part

MOST_WORDS = 120
_MOST_ASKED = 3
_MOST_FILES = 6
_MOST_COMMANDS = 4
_MOST_COMMITS = 4
_MOST_FAILED = 2
_LINE_CHARS = 160
_COMMAND_CHARS = 80
_FEW_WORDS = 8
_COMMIT = lazy_pattern(
    r"\bgit\b[^|;&\n]*?\bcommit\b.*?\s(?:-[a-z]*m|--message)(?=[ =\"'])[ =]*"
    r"(?:\"\$\(cat <<-?\s*'?\"?(\w+)'?\"?\n(?P<document>[^\n]+)"
    r"|\"(?P<double>[^\"\n]+)|'(?P<single>[^'\n]+)|(?P<bare>[^\s\"';&|]+))",
    re.S,
)
# Commands that look around: they say nothing about what was done.
_LOOKING = frozenset({
    "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "pwd", "cd", "echo", "which", "wc", "sed", "awk", "tree",
    "file", "stat", "du", "df", "ps", "env", "printenv", "less", "sort", "uniq", "jq", "diff", "true", "sleep", "date",
    "set", "shopt", "export", "unset", "trap", "mktemp", "source", ".", "read", "local", "wait", "tee", "xargs", "eval",
    "exit", "return", "break", "continue", "fold",
    "test", "[", "printf", "type", "command", "man", "history", "whoami", "uname", "hostname", "column", "nl", "tr",
})  # fmt: skip
_LOOKING_GIT = frozenset(
    {
        "status",
        "log",
        "diff",
        "show",
        "branch",
        "remote",
        "rev-parse",
        "ls-files",
        "blame",
        "config",
        "add",
        "fetch",
        "stash",
    }
)
_INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "bash", "sh", "zsh"})
_SENTENCE = lazy_pattern(r"[^.!?\n]{12,200}[.!?](?=\s|$)|[^\n]{12,200}")


def recap_of(turns: Sequence[tuple[KeptTurn, str]], *, session: str, agent: str, cwd: str = "") -> Recap:
    """Return what happened in a session, from its kept turns and their texts."""
    commands = [turn for turn, _text in turns if turn.command]
    commits = _all_commits(commands)
    return Recap(
        session=session, agent=agent, author=agent, thread=turns[0][0].thread if turns else "",
        asked=tuple(_asked(turns, agent)), files=tuple(_files(turns, cwd)), commands=tuple(_commands(commands)),
        commits=tuple(commits), failed=tuple(_failed(commands)), outcome=_outcome(turns),
    )  # fmt: skip


def recap_text(recap: Recap) -> str:
    """Return a recap in words, at most 120 of them: what does not fit is left out from the end, whole sentences."""
    parts = [f"Asked: {'; '.join(recap.asked)}{_stop(recap.asked[-1])}" if recap.asked else ""]
    parts.append(f"Changed {_list(recap.files)}." if recap.files else "")
    parts.append(_committed(recap.commits))
    parts += [f"{one}." for one in recap.failed]
    parts.append(f"Ran {', '.join(f'`{one}`' for one in recap.commands)}." if recap.commands else "")
    parts.append(f"Ended: {recap.outcome}" if recap.outcome else "")
    told: list[str] = []
    words = 0
    for part in filter(None, parts):
        words += len(part.split())
        if words <= MOST_WORDS:
            told.append(part)
    return "\n".join(told)


def _stop(text: str) -> str:
    return "" if text.endswith(("…", "?", "!", "。")) else "."


def _committed(commits: Sequence[str]) -> str:
    if len(commits) <= _MOST_COMMITS:
        return f"Committed: {'; '.join(commits)}." if commits else ""
    return f"{len(commits)} commits: {commits[0]}; …; {'; '.join(commits[1 - _MOST_COMMITS :])}."


# What programs put into the place of a prompt: marks of interruptions, pasted prompts of a shell, reports.
_NOT_ASKED = lazy_pattern(
    r"\[[^\]]*\]|[^\w\s\"'(@`¿¡].*|.*\[Request interrupted.*|(?:\$|>|➜) .*|.*\bcompleted? [—-].*", re.S
)


def _asked(turns: Sequence[tuple[KeptTurn, str]], agent: str) -> Iterator[str]:
    """Return the first lines of prompts that a person typed: the first one, and those that most work followed."""
    found: dict[str, int] = {}
    last = ""
    for turn, text in turns:
        if turn.role == "user" and turn.author != agent:
            typed = typed_part(text).strip()
            line = _line(typed) if typed and not typed.startswith(("/", "<")) and not is_by_program(typed) else ""
            last = line if len(line.split()) > 1 and not _NOT_ASKED.fullmatch(line) else ""
            if last:
                found.setdefault(last, 0)
        elif last:
            found[last] += 1
    first, *others = found or [""]
    most = sorted(others, key=lambda one: -found[one])[: _MOST_ASKED - 1]
    yield from (one for one in found if one == first or one in most)


def _line(text: str) -> str:
    # A heading, or a line of marks, says less than the line after it.
    lines = [one.strip(" \t\"'>*-") for one in text.splitlines()]
    telling = [one for one in lines if one and not one.startswith("#") and any(map(str.isalpha, one))]
    said = telling[0] if telling else ""
    if said.endswith(":") and len(said.split()) < _FEW_WORDS:
        # "Implement the following plan:" is about what comes next.
        after = next((one.lstrip("# ") for one in lines[lines.index(said) + 1 :] if any(map(str.isalpha, one))), "")
        said = f"{said} {after}"
    line = " ".join((said or text.strip()).split()).rstrip(".:;,")
    return line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"


def _files(turns: Iterable[tuple[KeptTurn, str]], cwd: str) -> Iterator[str]:
    counted: Counter[str] = Counter()
    for turn, _text in turns:
        # A path beside a command was read from it; only a tool that edits writes what it names.
        if not turn.command and turn.ok is not False:
            counted.update(path.removeprefix(f"{cwd}/") if cwd else path for path in turn.paths)
    for path, _count in counted.most_common(_MOST_FILES):
        yield path
    if len(counted) > _MOST_FILES:
        yield f"{len(counted) - _MOST_FILES} more"


_CHECKERS = frozenset({
    "pytest", "tsc", "mypy", "ruff", "eslint", "biome", "jest", "vitest", "tox", "nox", "ctest", "phpunit", "rspec",
    "shellcheck", "pyright", "golangci-lint", "ultracite", "playwright",
})  # fmt: skip
_CHECKING = frozenset({"test", "tests", "check", "lint", "build", "typecheck", "vet", "clippy", "verify", "ci"})
# What leaves the machine, as the beginning of a command.
_OUTWARD = lazy_pattern(
    r"git push\b|gh (?:pr|release|issue) (?:create|merge|close|edit)|(?:npm|pnpm|cargo|uv) publish|twine upload"
    r"|(?:\S+ ){0,3}deploy(?: |$)"
)


_PIPED = lazy_pattern(r"\s*(?:\d?>+&?\s?\S+\s*)*\|(?!\|)")


@lru_cache(1_024)
def _check(line: str) -> tuple[str, bool]:
    """Return the command of a line that tests, checks or builds, and whether the exit code is its own."""
    for command in parse(line[:2_000]).commands:
        if command.name in _LOOKING:
            continue
        first = [word.text or "" for word in command.words[:4]]
        programs = {one.rpartition("/")[2] for one in first}
        if programs & _CHECKERS or {one.partition(":")[0] for one in first[1:]} & _CHECKING:
            source = line.encode()
            after = source[command.end :].decode(errors="replace")
            own = not _PIPED.match(after) and ";" not in after.strip(" ;")
            return _shortened(source[command.start : command.end].decode(errors="replace")), own
    return "", False


def _commands(commands: Sequence[KeptTurn]) -> list[str]:
    """Return what left the machine, or else the commands that did something and worked, the latest of each kind."""
    worked = [turn.command for turn in commands if turn.ok is not False]
    outward = {what: text for line in worked for what, text in _sent(line)}
    if outward:
        return list(outward.values())[-_MOST_COMMANDS:]
    latest: dict[str, str] = {}
    for line in reversed(worked):
        if not _commits(line) and (told := _telling(line)) is not None:
            latest.setdefault(*told)
            if len(latest) == _MOST_COMMANDS:
                break
    return list(latest.values())[::-1]


_SENDING = ("push", "gh ", "publish", "upload", "deploy")


@lru_cache(1_024)
def _sent(line: str) -> tuple[tuple[str, str], ...]:
    """Return the commands of a line that send something out: what they do, and their text."""
    commands = parse(line[:2_000]).commands if any(one in line for one in _SENDING) else ()
    shown = [" ".join(word.shown for word in command.words) for command in commands]
    return tuple((found.group(0), _shortened(text)) for text in shown if (found := _OUTWARD.match(text)))


@lru_cache(1_024)
def _telling(line: str) -> tuple[str, str] | None:
    """Return the signature and the text of the command of a line that does something; None if it only looks around."""
    for command in parse(line[:2_000]).commands:
        name = command.name or ""
        verb = next((word.text for word in command.args if word.text and not word.text.startswith("-")), "")
        bare = len(command.words) == 1 and name in _INTERPRETERS
        looks = name in _LOOKING or (name == "git" and verb in _LOOKING_GIT) or not name or bare
        if not looks:
            return signature_of(command), _shortened(
                line.encode()[command.start : command.end].decode(errors="replace")
            )
    return None


def _shortened(command: str) -> str:
    shown = " ".join(command.split())
    return shown if len(shown) <= _COMMAND_CHARS else f"{shown[: _COMMAND_CHARS - 1]}…"


def _all_commits(commands: Sequence[KeptTurn]) -> list[str]:
    """Return the subjects of the commits that were made; an amended one has its last subject."""
    made: list[str] = []
    for turn in commands:
        found = _commits(turn.command) if turn.ok is not False else []
        if found and "--amend" in turn.command and made:
            made.pop()
        made += [one for one in found if one not in made]
    return made


def _commits(command: str) -> list[str]:
    found = _COMMIT.search(command)
    if not found:
        return []
    groups = found.groupdict()
    subject = next((groups[name] for name in ("document", "double", "single", "bare") if groups[name]), "").strip()
    return [_line(subject)] if subject and not subject.startswith("$(") else []


# The exit code is that of another command.
_HIDES = lazy_pattern(r"[^|]\|[^|]|;\s*\S|\|\|")


def _failed(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return what failed and worked later when it was run again, and how the last check ended."""
    states: dict[str, list[KeptTurn]] = {}
    for turn in commands:
        if turn.ok is not None:
            states.setdefault(" ".join(turn.command.split()), []).append(turn)
    mended = [
        (runs[0], line) for line, runs in states.items()
        if runs[0].ok is False and runs[-1].ok and runs[0].error and not _HIDES.search(line) and _telling(line)
    ]  # fmt: skip
    for turn, line in mended[:_MOST_FAILED]:
        yield f"`{_shortened(line)}` failed{_why(turn)}, and worked in the end"
    sent = [turn for turn in commands if turn.ok is not None and _sent(turn.command)]
    if sent and sent[-1].ok is False:
        yield f"`{_shortened(sent[-1].command)}` failed{_why(sent[-1])}"
    for last in reversed(commands):
        check, own = _check(last.command) if last.ok is not None else ("", False)
        if not check:
            continue
        # What a pipe ends with says nothing about the check itself.
        ended = " passed" if last.ok and own else "" if last.ok else f" failed{_why(last)}"
        yield f"Last check: `{check}`{ended}"
        break


def _why(turn: KeptTurn) -> str:
    return f" ({turn.error[:100]})" if any(map(str.isalnum, turn.error)) and turn.error != "(no output)" else ""


def _outcome(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    """Return the first sentence of the last answer, as the agent put it."""
    last = next((text for turn, text in reversed(turns) if turn.role == "assistant" and text.strip()), "")
    found = _SENTENCE.search(" ".join(last.replace("**", "").split()))
    return found.group(0).strip() if found else ""


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
