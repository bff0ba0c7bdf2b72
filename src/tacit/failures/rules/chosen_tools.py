"""What a rule that only names a tool to use stands against: "use uv as the package manager" means no `pip install`.

A tool takes the place of the others that do its job, and of these only for what it does itself: `npm view` stays.
This module imports as little as possible, because the cold path of a hook may ask it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacit.text.patterns import lazy_pattern

_CHOICE = lazy_pattern(
    r"(?i)(?:(?:please|also|and|but|so|no|here|in this \w+|from now on|going forward|for this \w+|always|we|you|i"
    r"|should|must|only|let['’]?s|want to|have|now)[\s,]+|we['’]re |i['’]ve |we['’]ve )*"
    r"(?:us(?:e|es|ing)|stick (?:to|with)|(?:switch|switched|moved|migrated) (?:over )?to|go with)\s+"
    r"(?:(?:only|just|the|always)\s+)*(?P<tool>[\w.-]*\w)(?P<rest>.*)"
)
_REST = lazy_pattern(
    r"(?i)(?:[\s,]+(?:(?:as|for|to)\s+(?:(?:the|our|all|your|a|my|its|any|python|node|js|javascript|manage|managing|"
    r"default)\s+)*"
    r"(?:package manage(?:r|ment)|packages?|dependenc(?:y|ies)|installs?|install(?:ing|ation)|everything|test runner)"
    r"(?: management)?|(?:package|dependency) manage(?:r|ment)|here|everywhere|always|only|exclusively|please|instead"
    r"|from now on|going forward|now|in this (?:project|repo|repository|codebase)|for this (?:project|repo)))*"
    r"[\s.!]*"
)
_NODE_VERBS = frozenset({
    "install", "i", "add", "ci", "remove", "rm", "uninstall", "un", "update", "up", "upgrade", "run", "run-script",
    "start", "test", "t", "exec", "dlx", "create", "init", "dedupe", "prune",
})  # fmt: skip
_PYTHON_VERBS = frozenset({"install", "uninstall", "add", "remove", "sync", "lock", "update", "run", "download"})
# Bun runs programs, too, whatever installs the packages.
_BUN_VERBS = frozenset({"install", "i", "add", "remove", "rm", "update", "ci"})
_ANY: frozenset[str] = frozenset()


# Programs that do the same job, each with what it is asked to do for that; none means whatever it is asked.
_JOBS: tuple[dict[str, frozenset[str]], ...] = (
    {"npm": _NODE_VERBS, "yarn": _NODE_VERBS, "pnpm": _NODE_VERBS, "bun": _BUN_VERBS},
    dict.fromkeys(("pip", "pip3", "pipenv", "poetry", "pdm", "uv", "rye"), _PYTHON_VERBS),
    dict.fromkeys(("docker", "podman"), _ANY),
    dict.fromkeys(("jest", "vitest", "mocha", "ava"), _ANY),
    dict.fromkeys(("terraform", "tofu"), _ANY),
)
_ALSO = {"pip3": "pip"}


def chosen_tool(rule: str) -> str:
    """Return the tool that a rule chooses for its job; empty if it chooses none, or for a part of the job only."""
    found = _CHOICE.match(rule.strip())
    if found is None or not _REST.fullmatch(found["rest"]):
        return ""
    tool = found["tool"].lower()
    return tool if any(tool in job for job in _JOBS) else ""


def replaced_programs(rule: str) -> tuple[str, ...]:
    """Return the programs in whose place a rule puts another; none if it chooses no tool."""
    tool = chosen_tool(rule)
    same = {tool, _ALSO.get(tool, tool)}
    return tuple(name for job in _JOBS if tool in job for name in job if _ALSO.get(name, name) not in same)


def replaced_in(rule: str, commands: Sequence[Sequence[str]]) -> tuple[str, str] | None:
    """Return the program of these commands that a rule replaces, and by which tool; None if it replaces none.

    A command is given as its words, from where its program stands.
    """
    tool = chosen_tool(rule)
    if not tool:
        return None
    programs = replaced_programs(rule)
    for words in commands:
        name = words[0].rpartition("/")[2] if words else ""
        if name not in programs or any(word == tool for word in words):
            continue
        verbs = next(job[name] for job in _JOBS if name in job)
        if not verbs or not verbs.isdisjoint(_asked_for(words)) or (name == "yarn" and len(words) == 1):
            return name, tool
    return None


def _asked_for(words: Sequence[str]) -> list[str]:
    """Return what a program is asked to do: its first word that is no option, or the next, if that is a value."""
    named = [(before, word) for before, word in pairwise(words) if word[:1] != "-"]
    return [word for _before, word in named[: 2 if named and named[0][0][:1] == "-" else 1]]
