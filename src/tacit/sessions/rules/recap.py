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
    {"status", "log", "diff", "show", "branch", "remote", "rev-parse", "ls-files", "blame", "config"}
)
_SENTENCE = lazy_pattern(r"[^.!?\n]{12,200}[.!?](?=\s|$)|[^\n]{12,200}")


def recap_of(turns: Sequence[tuple[KeptTurn, str]], *, session: str, agent: str, cwd: str = "") -> Recap:
    """Return what happened in a session, from its kept turns and their texts."""
    commands = [turn for turn, _text in turns if turn.command]
    commits = dict.fromkeys(one for turn in commands if turn.ok is not False for one in _commits(turn.command))
    return Recap(
        session=session, agent=agent, author=agent, thread=turns[0][0].thread if turns else "",
        asked=tuple(_asked(turns)), files=tuple(_files(turns, cwd)), commands=tuple(_commands(commands)),
        commits=tuple(commits)[:_MOST_COMMITS],
        failed=tuple(_failed(commands))[:_MOST_FAILED], outcome=_outcome(turns),
    )  # fmt: skip


def recap_text(recap: Recap) -> str:
    """Return a recap in words, at most 120 of them."""
    parts = [f"Asked: {'; '.join(recap.asked)}." if recap.asked else ""]
    parts.append(f"Changed {_list(recap.files)}." if recap.files else "")
    parts.append(f"Committed: {'; '.join(recap.commits)}." if recap.commits else "")
    parts += [f"{one}." for one in recap.failed]
    parts.append(f"Ran {', '.join(f'`{one}`' for one in recap.commands)}." if recap.commands else "")
    parts.append(f"Ended: {recap.outcome}" if recap.outcome else "")
    text = "\n".join(part for part in parts if part)
    words = text.split(" ")
    return text if len(text.split()) <= MOST_WORDS else " ".join(words[:MOST_WORDS]) + "…"


def _asked(turns: Iterable[tuple[KeptTurn, str]]) -> Iterator[str]:
    """Return the first lines of the prompts that a person typed: the first ones, and the last."""
    lines = []
    for turn, text in turns:
        if turn.role != "user" or turn.author != "user":
            continue
        typed = typed_part(text).strip()
        if typed and not typed.startswith(("/", "<")) and not is_by_program(typed):
            lines.append(_line(typed))
    distinct = [line for line in dict.fromkeys(lines) if len(line.split()) > 1]
    yield from distinct if len(distinct) <= _MOST_ASKED else (*distinct[: _MOST_ASKED - 1], distinct[-1])


def _line(text: str) -> str:
    # A heading, or a line of marks, says less than the line after it.
    lines = [one.strip(" \t\"'>*-") for one in text.splitlines()]
    said = next((one for one in lines if one and not one.startswith("#") and any(map(str.isalpha, one))), "")
    line = " ".join((said or text.strip()).split()).rstrip(".:;")
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


def _commands(commands: Sequence[KeptTurn]) -> list[str]:
    """Return the commands that did something and worked, the latest of each kind, in the order they ran."""
    latest: dict[str, str] = {}
    for turn in commands:
        told = _telling(turn.command)
        if told is not None and turn.ok is not False and not _commits(turn.command):
            latest.pop(told[0], None)
            latest[told[0]] = told[1]
    return list(latest.values())[-_MOST_COMMANDS:]


@lru_cache(1_024)
def _telling(line: str) -> tuple[str, str] | None:
    """Return the signature and the text of the command of a line that does something; None if it only looks around."""
    for command in parse(line[:2_000]).commands:
        name = command.name or ""
        verb = next((word.text for word in command.args if word.text and not word.text.startswith("-")), "")
        looks = name in _LOOKING or (name == "git" and verb in _LOOKING_GIT) or not name
        if not looks:
            return signature_of(command), _shortened(
                line.encode()[command.start : command.end].decode(errors="replace")
            )
    return None


def _shortened(command: str) -> str:
    shown = " ".join(command.split())
    return shown if len(shown) <= _COMMAND_CHARS else f"{shown[: _COMMAND_CHARS - 1]}…"


def _commits(command: str) -> list[str]:
    found = _COMMIT.search(command)
    if not found:
        return []
    groups = found.groupdict()
    subject = next((groups[name] for name in ("document", "double", "single", "bare") if groups[name]), "").strip()
    return [_line(subject)] if subject and not subject.startswith("$(") else []


def _failed(commands: Sequence[KeptTurn]) -> Iterator[str]:
    """Return what failed and was mended later, then what failed last and stayed so."""
    open_ends: dict[str, KeptTurn] = {}
    for turn in commands:
        told = _telling(turn.command)
        if told is None:
            continue
        kind = " ".join(told[0].split()[:2])
        if turn.ok is False:
            open_ends.setdefault(kind, turn)
        elif turn.ok and (failed := open_ends.pop(kind, None)) is not None:
            same = " ".join(failed.command.split()) == " ".join(turn.command.split())
            how = "then it worked" if same else f"later `{_shortened(turn.command)}` worked"
            yield f"`{_shortened(failed.command)}` failed{_why(failed)}; {how}"
    for turn in list(open_ends.values())[-1:]:
        yield f"`{_shortened(turn.command)}` failed{_why(turn)} and was not run again with success"


def _why(turn: KeptTurn) -> str:
    return f" ({turn.error[:100]})" if turn.error else ""


def _outcome(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    """Return the first sentence of the last answer, as the agent put it."""
    last = next((text for turn, text in reversed(turns) if turn.role == "assistant" and text.strip()), "")
    found = _SENTENCE.search(" ".join(last.replace("**", "").split()))
    return found.group(0).strip() if found else ""


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
