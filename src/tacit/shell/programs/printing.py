"""Programs that only print: they change no file unless an option or a redirection tells them to."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from tacit.text.patterns import lazy_pattern

PRINTING = frozenset({
    "ls", "ll", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "find", "fd", "pwd", "cd", "pushd", "popd",
    "echo", "printf", "which", "type", "wc", "sed", "tree", "file", "stat", "du", "df", "ps", "top", "jq", "diff",
    "sort", "uniq", "cut", "tr", "nl", "whoami", "id", "uname", "uptime", "true", "false", "test", "[", "basename",
    "dirname", "realpath", "column", "less", "more", "man", "help", "printenv", "sleep", "clear",
    "findstr", "dir", "where",
})  # fmt: skip
"""Those without a subcommand."""
PRINTING_GIT = frozenset({
    "status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "describe", "shortlog", "grep", "cat-file",
    "ls-tree", "ls-remote", "for-each-ref", "rev-list", "name-rev", "merge-base", "count-objects", "show-ref",
    "whatchanged", "check-ignore", "check-attr",
})  # fmt: skip
"""What git is asked to do if it only prints; by its first word."""
LOOKING_GIT = PRINTING_GIT | {"branch", "remote", "fetch"}
"""What git is asked to do if it only looks, at least without a name; by its first word."""
_LOOKING_GH = lazy_pattern(
    r"(?:gh|glab)\s+(?:(?:pr|mr|issue|run|repo|release|workflow|ci)\s+(?:view|list|diff|checks|status|watch)|status|search)\b"
    r"|gh\s+api\s(?!.*\s(?:-X|--method|-[fF]|--(?:raw-)?field|--input)\b)"
)
ENTERED = lazy_pattern(r"\Acd \S+ && (?=\S)")
"""Where a line enters a folder before anything else."""


# What is quoted is no command; a part of a line that follows another is one.
_READ = 2_000
_QUOTED = lazy_pattern(r"'[^']*'|\"[^\"]*\"")
_PARTS = lazy_pattern(r"&&|\|\||[;|\n]")
_WRITES = lazy_pattern(
    r"(?<![-=0-9<&>])>{1,2}(?!&|\s*/dev/)|\s-(?:delete|-in-place|i)\b"
    r"|\s-exec(?:dir)?\s+(?!(?:cat|grep|ls|head|wc|echo|stat|file)\s)"
)


def seems_to_look(line: str, looking: AbstractSet[str] = PRINTING) -> bool:
    """Return whether a line only looks, by the first words of its parts: to parse it takes a hundred times as long."""
    bare = _QUOTED.sub("''", ENTERED.sub("", line[:_READ], count=1))
    parts = [words for part in _PARTS.split(bare) if (words := part.split(None, 2))]
    return not _WRITES.search(bare) and all(
        words[0] in looking
        or (words[0] == "git" and words[1:2] != [] and words[1] in LOOKING_GIT)
        or (words[0] in ("gh", "glab") and _LOOKING_GH.match(" ".join(words)))
        for words in parts
    )
