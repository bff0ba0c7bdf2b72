"""The cold path of a hook, without the helper: answer what can be answered without opening the memory.

It reads two small files that the full path wrote, and recognises a command in an agent's usual form, before the command
runs or after it succeeded. What the guard denies is denied here. If the memory has nothing to tell or to record, the
guard's verdict is the answer, usually an empty one. All other calls go to the full path. This module imports as little
of the standard library as possible.
"""

import os

from tacit.doors.hooks.surroundings import KNOWN, MOST_BYTES, folder_of, here, parse_json, stamp
from tacit.files.plain_file import read_plain

NOTHING = b"{}"
# Words that begin a line whose program is another one.
_KEYWORDS = (
    *("if", "then", "else", "elif", "for", "while", "until", "do", "case", "select", "function", "time", "coproc"),
    *("declare", "export", "local", "readonly", "typeset"),
)
# What Claude Code says of a command that ended well.
_SUCCESS = {"stdout", "stderr", "interrupted", "isImage", "noOutputExpected"}


def cold_answer(home: str, agent: str, data: bytes, event: str = "") -> bytes:
    """Return the answer of a hook; empty if the full path must answer."""
    try:
        payload = parse_json(data)
        known = parse_json(read_plain(os.path.join(home, KNOWN), MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return b""
    if not isinstance(payload, dict) or not (moment := _usual_moment(agent, payload)):
        return b""
    if not isinstance(known, dict) or known.get("stamp") != stamp(home):
        return b""
    command, cwd = _command_of(payload)
    folder = folder_of(cwd, here())
    if not command or "\0" in command or (cwd and folder != cwd) or is_changed_by_tree(folder):
        return b""
    from tacit.shell.plain_command import plain_words

    words = plain_words(command)
    if moment == "before" and _is_replaced(command, known):
        return b""  # the lexicon has a word about it
    if moment == "after":
        plain = words if words and words[0] not in _KEYWORDS else []
        return NOTHING if _is_idle(home, known, payload, command, plain) else b""
    if words and not _is_known(words, known):
        from tacit.doors.hooks.cold_memory import is_quiet_before

        return NOTHING if is_quiet_before(known, command, _session(payload), words) else b""
    from tacit.doors.hooks.cold_guard import guarded

    return guarded(home, known, agent, payload, event, command, folder, _session(payload))


def has_nothing_to_say(home: str, agent: str, data: bytes) -> bool:
    """Return whether the cold path gives an empty answer."""
    return cold_answer(home, agent, data) == NOTHING


def _usual_moment(agent: str, payload: dict[str, object]) -> str:
    """Return whether a payload in the usual form says that a shell command is about to run, or has succeeded."""
    usual = {"claude": ("PreToolUse", "Bash"), "codex": ("PreToolUse", "Bash"), "cursor": ("preToolUse", "Shell")}
    named = payload.get("hook_event_name"), payload.get("tool_name")
    if named == usual.get(agent):
        return "before"
    if agent == "claude" and named == ("PostToolUse", "Bash") and _is_plain_success(payload.get("tool_response")):
        return "after"
    return ""


def _is_plain_success(response: object) -> bool:
    """Return whether Claude Code says that a command ended well, and nothing else of interest."""
    if not isinstance(response, dict) or response.keys() - _SUCCESS:
        return False
    texts = response.get("stdout"), response.get("stderr", "")
    plain = all(isinstance(text, str) and "Output:" not in text[:1_000] for text in texts)
    return plain and not response.get("interrupted")


def _output(payload: dict[str, object]) -> str:
    """Return what a command printed."""
    response = payload.get("tool_response")
    texts = (response.get("stdout"), response.get("stderr")) if isinstance(response, dict) else ()
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _command_of(payload: dict[str, object]) -> tuple[str, object]:
    """Return the command of a payload, and where it runs."""
    given, roots = payload.get("tool_input"), payload.get("workspace_roots")
    command = given.get("command") if isinstance(given, dict) else ""
    first = roots[0] if isinstance(roots, list) and roots else ""
    cwd = payload.get("cwd")
    return (command if isinstance(command, str) else ""), (cwd if isinstance(cwd, str) and cwd else first)


def _session(payload: dict[str, object]) -> object:
    """Return the session of a payload, as the full path finds it."""
    named = (payload[name] for name in ("session_id", "conversation_id") if isinstance(payload.get(name), str))
    return next(named, "")


def _is_idle(
    home: str, known: dict[str, object], payload: dict[str, object], command: str, plain: list[str]
) -> bool:  # fmt: skip
    """Return whether a success teaches nothing: nothing waits, and the memory has nothing to record."""
    try:
        waiting = any(name.endswith(".json") for name in os.listdir(os.path.join(home, "spool")))
    except OSError:
        waiting = False
    if waiting or "conversation_id" in payload:
        return False
    from tacit.doors.hooks.cold_memory import is_quiet_after, is_usual_session

    session = payload.get("session_id", "")
    if not isinstance(session, str) or not is_usual_session(session):
        return False
    return is_quiet_after(known, command, session, _output(payload), plain)


def is_changed_by_tree(folder: str) -> bool:
    """Return whether the project has files that may change how its commands are judged."""
    # A link into a project is inside that project.
    folder = os.path.realpath(folder)
    while True:
        if os.path.isdir(os.path.join(folder, "docs/src/kg")) or os.path.exists(os.path.join(folder, ".tacit.toml")):
            return True
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above


def _is_replaced(command: str, known: dict[str, list[str]]) -> bool:
    """Return whether the user's own lexicon may replace a command of a line."""
    line = command.casefold()
    return any(word in line for word in known.get("replaced", ()))


def _is_known(words: list[str], known: dict[str, list[str]]) -> bool:
    """Return whether the guard knows the program, or an argument that could be one."""
    name = words[0].rsplit("/", 1)[-1]
    names, heads = set(known["names"]), set(known["heads"])
    if name in names or name.split(".")[0] in names or name.startswith(("py", "ipython", "uvpython")):
        return True
    if any(_fits(name, glob) for glob in known["globs"]):
        return True
    return any(word in heads or word.rsplit("/", 1)[-1] in heads for word in words[1:])


def _fits(name: str, glob: str) -> bool:
    """Return whether a name matches a pattern; a pattern with one star is compared without a regular expression."""
    begins, star, ends = glob.partition("*")
    if not any(mark in begins + ends for mark in "*?["):
        return (
            name.startswith(begins) and name.endswith(ends) and len(name) >= len(begins + ends)
            if star
            else name == glob
        )
    from fnmatch import fnmatchcase

    return fnmatchcase(name, glob)
