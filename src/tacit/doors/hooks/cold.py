"""The cold path of a hook: recognise, with the standard library only, that there is nothing to answer or to record.

The cold path never answers with a decision. It reads a small file that the full path wrote, and recognises a plain
command that is not in the memory, before the command runs or after it succeeded. All other calls go to the full path.
"""

import os

from tacit.doors.hooks.surroundings import KNOWN, MOST_BYTES, folder_of, here, parse_json, stamp
from tacit.files.plain_file import read_plain

_SIGNATURE = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'signature' AND value = ? LIMIT 1"
_PROGRAM = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'program' AND value = ? LIMIT 1"
_PREFERRED = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'instead' AND value = ? LIMIT 1"
# As far back as the full path looks for what a success may fix or follow (`failures/failures.py`).
_HAPPENED = """SELECT 1 FROM (SELECT session, type FROM events WHERE tenant = ? ORDER BY seq DESC LIMIT 2000)
    WHERE session = ? AND type IN ('failure.seen', 'injected') LIMIT 1"""
# A secret is kept in other words than these. The rest of a signature is kept as it stands.
_LONGEST_WORD = 15
_LONGEST_SESSION = 200
_LONGEST_KEY = 900
# Words that begin a line whose program is another one.
_KEYWORDS = (
    *("if", "then", "else", "elif", "for", "while", "until", "do", "case", "select", "function", "time", "coproc"),
    *("declare", "export", "local", "readonly", "typeset"),
)
_FLAGS = ("-u", "-p", "-w", "-k", "-a")
_TELLTALE = ("bearer", "login", "=", ":", "@", "%")
# What Claude Code says of a command that ended well.
_SUCCESS = {"stdout", "stderr", "interrupted", "isImage", "noOutputExpected"}


def has_nothing_to_say(home: str, agent: str, data: bytes) -> bool:
    """Return whether the full path would answer and record nothing: the command is plain and not in the memory."""
    try:
        payload = parse_json(data)
        known = parse_json(read_plain(os.path.join(home, KNOWN), MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(payload, dict) or not (moment := _usual_moment(agent, payload)):
        return False
    if not isinstance(known, dict) or known.get("stamp") != stamp(home):
        return False
    command, cwd = _command_of(payload)
    folder = folder_of(cwd, here())
    if not command or "\0" in command or (cwd and folder != cwd) or _changed_by_tree(folder):
        return False
    from tacit.shell.plain_command import plain_signature, plain_words

    words = plain_words(command)
    if moment == "after":
        return _is_idle(home, known, payload, words if words and words[0] not in _KEYWORDS else [])
    if words and not _is_known(words, known):
        return is_unheard_of(known, [plain_signature(words)], words, _names(words))
    from tacit.doors.hooks.cold_guard import is_allowed_and_unknown

    return is_allowed_and_unknown(home, command, folder, known)


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


def _has_output(payload: dict[str, object]) -> bool:
    response = payload.get("tool_response")
    return isinstance(response, dict) and bool(response.get("stdout") or response.get("stderr"))


def _command_of(payload: dict[str, object]) -> tuple[str, object]:
    """Return the command of a payload, and where it runs."""
    given, roots = payload.get("tool_input"), payload.get("workspace_roots")
    command = given.get("command") if isinstance(given, dict) else ""
    first = roots[0] if isinstance(roots, list) and roots else ""
    cwd = payload.get("cwd")
    return (command if isinstance(command, str) else ""), (cwd if isinstance(cwd, str) and cwd else first)


def _names(words: list[str]) -> list[str]:
    """Return the words of a plain command that may be a program, with and without a version."""
    names = [word.rpartition("/")[2] for word in words]
    return [*names, *(name.rstrip("0123456789.") for name in names[:1])]


def _is_idle(home: str, known: dict[str, object], payload: dict[str, object], words: list[str]) -> bool:
    """Return whether a success teaches nothing: the command never failed, and its session has no failure or warning."""
    session = payload.get("session_id", "")
    try:
        waiting = any(name.endswith(".json") for name in os.listdir(os.path.join(home, "spool")))
    except OSError:
        waiting = False
    # The full path cuts and cleans names that are longer or odd.
    if not isinstance(session, str) or not session.isprintable() or len(session) > _LONGEST_SESSION:
        return False
    if waiting or "conversation_id" in payload:
        return False
    if words:
        return is_unheard_of(known, [], [], _names(words), session)
    command = _command_of(payload)[0]
    if _has_output(payload) and any(mark in command for mark in "|;\n"):
        return False  # a failure may hide behind a pipe, and the output tells of it
    from tacit.failures.rules.line_parts import program_names

    return is_unheard_of(known, [], [], program_names(command), session)


def _changed_by_tree(folder: str) -> bool:
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


def is_kept_as_it_is(signature: str) -> bool:
    """Return whether a signature certainly contains nothing that looks like a secret."""
    from tacit.text.secret_marks import NAME_PARTS

    folded = signature.lower()
    if any(mark in folded for mark in (*NAME_PARTS, *_TELLTALE)) or any(
        len(word) > _LONGEST_WORD for word in signature.split()
    ):
        return False
    # `-u me`, `-pS3cret`: what follows such a flag, or is stuck to it, may be one.
    return not any(word[:2].lower() in _FLAGS for word in signature.split())


def is_unheard_of(
    known: dict[str, object], signatures: list[str], words: list[str], names: list[str], session: str = ""
) -> bool:
    """Return whether no record has this signature, no correction these words, and no event this session."""
    path, tenant = known.get("store"), known.get("tenant")
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(tenant, str):
        return False
    if not os.path.exists(path):
        return True
    if not os.path.isfile(path):
        return False
    if not all(len(one) <= _LONGEST_KEY and is_kept_as_it_is(one) for one in signatures):
        return False
    import sqlite3

    try:
        with sqlite3.connect(f"file:{_as_uri(path)}?mode=ro", uri=True, timeout=0.2) as db:
            questions = [(_SIGNATURE, (tenant, signature)) for signature in signatures]
            questions += [(_PROGRAM, (tenant, name)) for name in dict.fromkeys(names)]
            questions += [(_PREFERRED, (tenant, word.rpartition("/")[2][:60])) for word in dict.fromkeys(words)]
            questions += [(_HAPPENED, (tenant, session))] if session else []
            return not any(db.execute(*question).fetchone() for question in questions)
    except sqlite3.Error:
        return False


def _as_uri(path: str) -> str:
    """Return a path as part of a URI, in which a `?` or `#` in a folder's name is escaped."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
