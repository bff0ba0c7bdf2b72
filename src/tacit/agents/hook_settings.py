"""An agent's hook settings: add, recognise and remove our entries. Everything else stays unchanged."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.agents.registry import dialect
from tacit.errors import UsageError

TIMEOUT_S = 10


def with_hooks(agent: str, settings: Mapping[str, Any], line: str) -> dict[str, Any]:
    """Return the settings with our hooks added, replacing earlier ones of ours.

    `line` is the beginning of the command, which the agent and the event follow: `/bin/tacit hook`.
    """
    found = without_hooks(agent, settings)
    hooks = dict(_hooks(found))
    speaks = dialect(agent)
    for event, matcher in speaks.events.items():
        timeout_s = speaks.timeouts_s.get(event, TIMEOUT_S)
        hooks[event] = [*_groups(hooks, event), speaks.entry(matcher, f"{line} {agent} {event}", timeout_s)]
    return {**speaks.settings_start, **found, "hooks": hooks}


def without_hooks(agent: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without our hooks. A group or list that contained nothing else is removed."""
    hooks = {}
    for event, groups in _hooks(settings).items():
        if not isinstance(groups, list):
            hooks[event] = groups
            continue
        kept = [group for group in map(_without, groups) if group is not None]
        if kept or not groups:
            hooks[event] = kept
    # Each key stays in its place, and an object that was empty before stays empty.
    before = settings.get("hooks")
    rest = {
        name: hooks if name == "hooks" else value
        for name, value in settings.items()
        if name != "hooks" or hooks or before == {}
    }
    # Entries that only we would have added are removed too, so that connecting and disconnecting leaves nothing.
    return {} if rest == dialect(agent).settings_start else rest


def commands_in(settings: Mapping[str, Any]) -> list[str]:
    """Return the command lines of our hooks; of lines that differ only in their event, the first one."""
    found: dict[str, str] = {}
    for event, groups in _hooks(settings).items():
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks", [group]) if isinstance(group, dict) else ()
            for line in map(_line, filter(is_ours, handlers if isinstance(handlers, list) else ())):
                found.setdefault(line.removesuffix(f" {event}"), line)
    return list(found.values())


def _line(handler: Mapping[str, Any]) -> str:
    """Return a handler as a shell line; if a handler has separate arguments, its command is quoted as one word."""
    words = handler.get("args")
    return shlex.join([handler["command"], *map(str, words)]) if isinstance(words, list) else str(handler["command"])


def is_ours(handler: Any) -> bool:
    """Return whether a handler calls `tacit hook`, or `tacit-hook`."""
    if not isinstance(handler, dict) or not isinstance(handler.get("command"), str):
        return False
    given = handler.get("args")
    try:
        # With separate arguments, a command is the path of a program, including its spaces.
        own = [handler["command"]] if isinstance(given, list) else shlex.split(handler["command"])
    except ValueError:
        return False
    words = [*own, *(map(str, given) if isinstance(given, list) else ())]
    return bool(hook_words(words))


def hook_words(words: Sequence[str]) -> Sequence[str]:
    """Return what follows the program in a command of ours, the agent and the event; empty if it is not ours."""
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name == "tacit" and words[1:2] == ["hook"]:
        return words[2:] or [""]
    return words[1:] or [""] if name == "tacit-hook" else []


def _without(group: Any) -> Any:
    """Return a group without our handlers, or None if it contained nothing else."""
    if is_ours(group):
        return None
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    kept = [one for one in group["hooks"] if not is_ours(one)]
    if len(kept) == len(group["hooks"]):
        return group
    return {**group, "hooks": kept} if kept else None


def _groups(hooks: Mapping[str, Any], event: str) -> list[Any]:
    groups = hooks.get(event, [])
    if not isinstance(groups, list):
        raise UsageError(f"the hooks of {event} are not a list", "fix the file first; nothing was written")
    return groups


def _hooks(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise UsageError("`hooks` is not a JSON object", "fix the file first; nothing was written")
    return hooks
