"""The cold path with the guard: parse and judge a command by the rules that the full path left in a file.

A denial is answered at once, as the full path would: it neither asks the memory nor records anything.
"""

from __future__ import annotations

import os

from tacit.doors.hooks.cold_memory import is_quiet_before
from tacit.doors.hooks.surroundings import MOST_BYTES, RULES, import_msgspec
from tacit.files.gitignore import ignored_names
from tacit.files.plain_file import read_plain
from tacit.guard.judge import judge
from tacit.guard.packs import RulePacks, packs_from, plain_rules
from tacit.guard.verdict import CommandLocation, Verdict, decide

# While one of these exists tacit may be paused or switched off, and the full path looks into it.
_SWITCHES = ("pause.json", "off")


def guarded(
    home: str, known: dict[str, object], agent: str, payload: dict[str, object], event: str, command: str, folder: str,
    session: object,
) -> bytes:  # fmt: skip
    """Return the guard's answer before a command, if the memory has nothing to add; empty for the full path."""
    packs = cached_packs(home, known.get("stamp"))
    if packs is None:
        return b""
    root = _root(folder)
    user = (os.environ.get("HOME") or os.path.expanduser("~")).rstrip("/") or "/"
    place = CommandLocation(folder, user, root, home, ignored_names(root or folder))
    verdict = judge(command, place, packs)
    decision = decide(verdict.verdict, "hook")
    if decision != "deny" and not is_quiet_before(known, command, session, ()):
        return b""
    return b"{}" if decision == "allow" else _said(home, agent, payload, event, command, verdict)


def cached_packs(home: str, stamp: object) -> RulePacks | None:
    """Return the guard's rules from the cache; None if it is missing, damaged, or was made from other settings."""
    import marshal
    from zlib import crc32

    try:
        mark, _, data = read_plain(os.path.join(home, RULES), MOST_BYTES).partition(b"\n")
        # As with the interpreter's own cached code, only what was written by us and is whole is read.
        kept = marshal.loads(data) if mark == b"%08x" % crc32(data) else None  # noqa: S302
        return packs_from(kept[1]) if kept and kept[0] == stamp else None
    except (OSError, ValueError, TypeError, EOFError):
        return None


def rules_cache(packs: RulePacks, stamp: list[object]) -> bytes:
    """Return the content of the cache: a checksum, then the stamp and the rules."""
    import marshal
    from zlib import crc32

    data = marshal.dumps((stamp, plain_rules(packs)))
    return b"%08x\n" % crc32(data) + data


def _said(home: str, agent: str, payload: dict[str, object], event: str, command: str, verdict: Verdict) -> bytes:
    """Return a denial or a question in the agent's dialect; empty where tacit may be switched off."""
    off = os.environ.get("TACIT_OFF", "0") not in ("", "0")
    if off or any(os.path.exists(os.path.join(home, name)) for name in _SWITCHES):
        return b""
    import_msgspec()
    import json

    from tacit.agents.hook_dialects import read_hook, write_answer
    from tacit.loop.judge_call import judged

    call = read_hook(agent, payload, event)
    if call is None or call.moment != "before_tool" or call.tool is None or call.tool.command != command:
        return b""
    if call.tool.kind == "edit":
        return b""
    answer = judged(lambda _command, _cwd: verdict, lambda _path, _cwd: Verdict("ask"), call)
    return json.dumps(write_answer(call, answer)).encode()


def _root(folder: str) -> str:
    """Return the top of the working tree that contains a folder; empty outside a working tree."""
    place = os.path.realpath(folder)
    while not os.path.exists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return ""
        place = above
    return place
