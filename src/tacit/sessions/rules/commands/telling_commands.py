"""Which commands of a session are told: those that leave the machine or do something, not those that look around."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tacit.failures.rules.worked_next import LOOKING
from tacit.sessions.rules.commands.line_commands import is_at, line_commands, shortened_command, split_line
from tacit.sessions.rules.commands.placed_commands import placed_commands
from tacit.shell.command import Command
from tacit.shell.programs.printing import LOOKING_GIT
from tacit.shell.signature import signature_of
from tacit.text.patterns import lazy_pattern

# They look, arrange files, or are told otherwise.
_UNTOLD_GIT = LOOKING_GIT | frozenset({
    "config", "add", "stash", "reflog", "mv", "rm", "checkout", "switch", "restore", "pull", "clean", "gc", "bisect",
    "notes", "hash-object", "commit", "fsck",
})  # fmt: skip
# Without a name, or with one of these, `git tag` lists.
_LISTING_TAGS = (
    "-d", "--delete", "-l", "--list", "-n", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged",
)  # fmt: skip
_LOOKING_VERBS = frozenset({
    "ls", "list", "show", "status", "view", "info", "get", "describe", "logs", "log", "help", "version", "env", "api",
    "checks", "comments", "diff", "watch", "doctor", "fmt", "format", "search", "current", "which", "prime", "ready",
    "debug",
})  # fmt: skip
_LOOKING_CMDLETS = (
    "-", "Get-", "Test-", "Select-", "Write-", "Format-", "Measure-", "Out-", "Start-Sleep", "Invoke-WebRequest",
    "Invoke-RestMethod", "Where-Object", "ForEach-Object", "Set-Location", "Push-Location", "Pop-Location", "Move-Item",
    "Copy-Item", "New-Item", "Remove-Item", "Rename-Item", "Stop-Process",
)  # fmt: skip
INTERPRETERS = frozenset({"python", "python3", "node", "bun", "ruby", "perl", "bash", "sh", "zsh"})
# Chores: they serve another command, or arrange files.
_CHORES = frozenset({
    "rm", "mkdir", "touch", "chmod", "mv", "cp", "rmdir", "unlink", "sleep", "kill", "pkill", "killall", "open",
    "curl", "wget", "base64", "export", "source", "prettier", "black", "isort", "gofmt", "goimports", "rustfmt",
    "oxfmt", "dprint", "strings", "date",
})  # fmt: skip
_ARRANGING = frozenset({"mkdir", "mv", "cp", "Copy-Item", "Move-Item", "New-Item", "Rename-Item"})
# What leaves the machine, as the beginning of a command.
OUTWARD = lazy_pattern(
    r"git push\b|gt (?:submit|ss|merge)\b|gh (?:pr|release|issue) (?:create|merge|close|edit)|gh workflow run"
    r"|(?:npm|pnpm|cargo|uv) publish|twine upload"
    r"|(?:\S+ ){0,3}deploy(?: |$)|vercel\b.* --prod\b"
)
# What changes more than files of the project: programs that are installed, databases, services, branches, trackers.
_AS_ROOT = (
    r"(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|brew|apt|apt-get|gem|go(?= get)|conda|winget|choco)"
    r" (?:(?:pip|tool|-\S+) )?(?:install|add|i|remove|uninstall|upgrade|update|get) (?:-\S+ )*[^-\s]"
    r"|systemctl (?:start|stop|restart|enable|disable)"
)
_CONFIGURING = r"git config --global (?:--unset|(?!safe\.)\w[\w-]*\.[\w.-]+ \S)"
_PRISMA = r"prisma db (?:push|seed|execute)\b"
_CHANGING = (
    rf"alembic (?:up|down)grade|{_PRISMA}|(?:terraform|tofu) (?:apply|destroy)"
    r"|kubectl (?:apply|delete|rollout|scale)|helm (?:install|upgrade)"
    r"|docker(?:-compose| compose)? (?:up|build|push|run)\b"
    r"|launchctl (?:boot|load)|git (?:tag|merge|rebase|cherry-pick|revert|push)\b|bd (?:close|create)\b"
    rf"|{_CONFIGURING}"
    r"|gh (?:pr|issue|release|workflow|repo) (?!view|list|diff|checks|status|watch)\w+"
)
MATTERS = lazy_pattern(rf"(?:sudo )?(?:{_AS_ROOT})|{_CHANGING}|(?:\S+ ){{0,4}}(?:(?:db:)?migrate\b|{_PRISMA})")
MATTERS_WITHIN = lazy_pattern(rf"{_AS_ROOT}|{_CHANGING}|migrate\b")
"""Finds something in the same lines: what may stand before a command is not tried at each place of a line."""
_CHANGING_CONFIG = lazy_pattern(_CONFIGURING)
# Nothing is changed with these; `--no` is that of stow.
_DRY = frozenset({"py_compile", "--dry-run", "--no", "--noop", "--check", "--simulate"})
# A part of a longer name is none of these words: `deploy.yml`, `src/upload`.
_SENDING = lazy_pattern(
    r"git push|\bgt (?:submit|ss|merge)\b|\bgh (?:pr|release|issue|workflow) "
    r"|(?<![\w./-])(?:publish|upload|deploy(?![\w./-])|vercel)"
)
# Most lines have none of these, and to look for them is much quicker.
_SENDING_PARTS = ("push", "gh ", "gt ", "publish", "upload", "deploy", "vercel")


# With these nothing is merged now.
_LATER = frozenset({"--auto", "--disable-auto", "--help", "-h"})
_NUMBER = lazy_pattern(r"(?:https://\S+/)?#?(\d{1,9})")


class SentCommand(NamedTuple):
    """A command that sends something out: what it does, its text, and whether it certainly worked if its line did."""

    what: str
    text: str
    is_own: bool


@lru_cache(1_024)
def sent_commands(line: str) -> tuple[SentCommand, ...]:
    """Return the commands of a line that send something out."""
    may_send = any(map(line.__contains__, _SENDING_PARTS)) and _SENDING.search(line)
    found = []
    for placed in placed_commands(line) if may_send else ():
        words = [word.shown for word in placed.command.words]
        is_sent = placed.command.name not in LOOKING and not _is_fallback(line, placed.command)
        is_dry = not _DRY.isdisjoint(words) or any(word.startswith("--dry-run") for word in words)
        is_dry = is_dry or (words[:2] == ["git", "push"] and "-n" in words)
        if is_sent and not is_dry and (what := OUTWARD.match(text := " ".join(words))):
            found.append(SentCommand(what[0], shortened_command(text), placed.is_own))
    return tuple(found)


def merged_in(line: str) -> list[str]:
    """Return the numbers of the pull requests that a line certainly merged if it worked."""
    if "gh pr merge" not in line:
        return []
    found = (
        [word.shown for word in placed.command.words] for placed in placed_commands(line)
        if placed.is_own and not _is_fallback(line, placed.command)
    )  # fmt: skip
    merges = [words[3:] for words in found if words[:3] == ["gh", "pr", "merge"] and _LATER.isdisjoint(words)]
    numbers = (_NUMBER.fullmatch(word) for words in merges for word in words)
    return [one[1] for one in numbers if one]


@lru_cache(1_024)
def telling_command(line: str) -> tuple[str, str] | None:
    """Return the signature and the text of the command of a line that does something; None if it only looks around."""
    for command in line_commands(line):
        before, text, _after = split_line(line, command)
        # A substitution serves another command; half a text in quotes, or a place inside a script, is none.
        whole = "\n" not in text and not text.count('"') % 2 and not text.count("'") % 2 and is_at(command, text)
        if (
            whole
            and not before.endswith(("$(", "`", "<("))
            and not _is_fallback(line, command)
            and not _only_looks(command)
        ):
            return signature_of(command), shortened_command(text)
    return None


@lru_cache(1_024)
def arranging_command(line: str) -> str:
    """Return the text of the first command of a line that does something, were it only to files; empty if none does."""
    if told := telling_command(line):
        return told[1]
    for command in line_commands(line):
        text = split_line(line, command)[1]
        if command.name in _ARRANGING and "\n" not in text and is_at(command, text):
            return shortened_command(text)
    return ""


def _is_fallback(line: str, command: Command) -> bool:
    """Return whether a command follows `||`: it was run only if the one before it failed."""
    return "||" in line and split_line(line, command)[0].rstrip().endswith("||")


def _only_looks(command: Command) -> bool:
    name, words = command.name or "", [word.text or "" for word in command.args]
    if (
        not name
        or name in LOOKING
        or name in _CHORES
        or name.endswith((".md", ".txt", ".json"))
        or name.startswith(_LOOKING_CMDLETS)
    ):
        return True
    if name in INTERPRETERS and not _DRY.isdisjoint(words):
        return True
    if name in INTERPRETERS:
        return not words or words[0] in ("-c", "-e", "-", "-n", "--version")
    verbs = [word for before, word in pairwise(["", *words]) if not word.startswith("-") and before not in ("-c", "-C")]
    if name == "git" and verbs[:1] == ["config"]:
        return not _CHANGING_CONFIG.match(f"git {' '.join(words)}")
    if name == "git":
        return (
            not verbs
            or verbs[0] in _UNTOLD_GIT
            or "--ff-only" in words
            or (verbs[0] == "push" and "-n" in words)
            or (verbs[0] == "tag" and _lists_tags(words, verbs))
        )
    looks = any(verb in _LOOKING_VERBS or verb in _CHORES or verb.startswith("list") for verb in verbs[:2])
    return looks or not {"--version", "--help"}.isdisjoint(words) or not _DRY.isdisjoint(words)


def _lists_tags(words: Sequence[str], verbs: Sequence[str]) -> bool:
    return len(verbs) < 2 or any(word.startswith(_LISTING_TAGS) for word in words)
