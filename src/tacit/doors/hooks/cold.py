"""`tacit hook AGENT` from a cold start: a running `serve` answers, or it is plain that there is nothing to say.

On the standard library, and as little of it as can be: interpreters start once per hook. It never decides anything. It
only recognises, from a small file that the full path leaves behind, that the full path would say nothing; whatever is
not as plain as that goes there.
"""

from __future__ import annotations

import os

MOST_BYTES = 10 * 1024 * 1024
SOCKET = "run/serve.sock"
KNOWN = "cache/hooks.json"
RULES = "cache/rules.json"
# Agents give a hook 10 seconds (`capture/wiring.py`), and what is not answered by then is lost.
_WAIT_S = 4.0
_SLOW_S = 4.0
_QUIET_S = 0.3
# They change nothing that a hook does.
_IDLE_VARIABLES = ("TACIT_HOME", "TACIT_LOG", "TACIT_LOG_FORMAT", "TACIT_REPLAY_DEPTH")
_WHO = ("HOME", "USER", "LOGNAME")
_ASKED = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'signature' AND value = ? LIMIT 1"
_PREFERRED = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'instead' AND value = ? LIMIT 1"
# What a secret could be is kept in other words than these. The rest of a signature is kept as it stands.
_LONGEST_WORD = 15
_FLAGS = ("-u", "-p", "-w", "-k", "-a")
_TELLTALE = ("bearer", "login", "=", ":", "@", "%")


def main(words: list[str]) -> int:
    """Answer the payload on standard input; the exit code is 0, always."""
    try:
        answer = answered(words[0] if words else "", read_input())
    except Exception as error:
        # Whatever happens here, the agent goes on; status and doctor tell of it.
        answer = b"{}"
        _tell(error)
    try:
        _write(answer + b"\n")
    except OSError:
        return 0  # nobody listens
    return 0


def read_input(handle: int = 0) -> bytes:
    """Read what is sent: to its end, or as much as makes a whole payload when its sender forgets to end it.

    Bytes past the limit are read and dropped, so that the sender is not cut off. Who sends nothing is not waited for.
    """
    import select
    from time import monotonic

    until, size, parts = monotonic() + _SLOW_S, 0, list[bytes]()
    while monotonic() < until:
        try:
            ready = select.select([handle], [], [], _QUIET_S)[0]
            chunk = os.read(handle, 1 << 20) if ready else None
        except (OSError, ValueError):
            break  # closed before we were there
        if chunk == b"" or (chunk is None and parts and _is_whole(parts)):
            break
        if chunk and size <= MOST_BYTES:
            parts.append(chunk)
            size += len(chunk)
    return b"".join(parts)[: MOST_BYTES + 1]


def _is_whole(parts: list[bytes]) -> bool:
    import json

    try:
        json.loads(b"".join(parts))
    except (ValueError, RecursionError):
        return False
    return True


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def _tell(error: Exception) -> None:
    try:
        from datetime import UTC, datetime
        from pathlib import Path

        from tacit.files.hook_errors import JOURNAL, log_hook_error

        log_hook_error(
            Path(home_of(os.environ)) / JOURNAL, datetime.now(UTC), problem=f"a hook failed: {type(error).__name__}"
        )
    except Exception:  # the journal is for others; a hook answers without it
        return


def home_of(environ: os._Environ[str]) -> str:
    """Give the home, as the settings do, without reading any."""
    home = environ.get("TACIT_HOME") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".tacit")
    return os.path.abspath(os.path.expanduser(home))


def answered(agent: str, data: bytes) -> bytes:
    """Give the answer: a server's, or nothing where that is plain, else the full one."""
    home = home_of(os.environ)
    served = _served(os.path.join(home, SOCKET), agent, data)
    if served:
        return served
    try:
        plain = has_nothing_to_say(home, agent, data)
    except Exception:  # what was left behind is damaged: the full path knows, and leaves it anew
        plain = False
    if plain:
        return b"{}"
    import json

    from tacit.doors.hooks.answer import respond

    return json.dumps(respond(agent, data)).encode()


def _served(path: str, agent: str, data: bytes) -> bytes:
    """Ask a running server; empty when there is none, it is not for us, or it does not answer in time."""
    if not os.path.exists(path) or len(agent.split()) != 1:
        return b""
    import socket

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_WAIT_S)
            line.connect(path)
            line.sendall(f"hook {agent[:40]} {surroundings()} {here().encode().hex()}\n".encode() + data)
            line.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: line.recv(65536), b""))
    except (OSError, ValueError):
        return b""
    # An answer that breaks off is none.
    return answer.strip() if answer.startswith(b"{") and answer.endswith(b"}\n") else b""


def surroundings() -> str:
    """Spell what an answer depends on beside the payload: a server that was started otherwise must not answer."""
    names = sorted(n for n in os.environ if (n.startswith("TACIT_") and n not in _IDLE_VARIABLES) or n in _WHO)
    return "\0".join(f"{name}={os.environ[name]}" for name in names).encode(errors="surrogateescape").hex() or "00"


def here() -> str:
    """Give the working directory; the root where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return "/"


def folder_of(cwd: object, otherwise: str) -> str:
    """Give the folder a call speaks of; where it says none, or one that is gone, another one."""
    if isinstance(cwd, str) and cwd.startswith("/") and "\0" not in cwd and os.path.isdir(cwd):
        return cwd
    return otherwise if os.path.isdir(otherwise) else "/"


def has_nothing_to_say(home: str, agent: str, data: bytes) -> bool:
    """Say whether the full path would answer with nothing and keep nothing: a plain command nobody knows of."""
    import json

    try:
        payload = json.loads(data)
        with open(os.path.join(home, KNOWN), encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError, RecursionError):
        return False
    command, cwd = _plain_command(agent, payload)
    if not command or not isinstance(known, dict) or known.get("stamp") != stamp(home):
        return False
    folder = folder_of(cwd, here())
    if (cwd and folder != cwd) or _changed_by_tree(folder):
        return False
    from tacit.shell.plain_command import plain_signature, plain_words

    words = plain_words(command)
    if words and not _is_known(words, known):
        return is_unheard_of(known, plain_signature(words), words)
    from tacit.doors.hooks.cold_guard import is_allowed_and_unknown

    return is_allowed_and_unknown(home, command, folder, known)


def _plain_command(agent: str, payload: object) -> tuple[str, object]:
    """Give the command a tool is about to run, and where, if the payload says so in the one usual way."""
    if not isinstance(payload, dict):
        return "", ""
    usual = {"claude": ("PreToolUse", "Bash"), "codex": ("PreToolUse", "Bash"), "cursor": ("preToolUse", "Shell")}
    if (payload.get("hook_event_name"), payload.get("tool_name")) != usual.get(agent):
        return "", ""
    given, roots = payload.get("tool_input"), payload.get("workspace_roots")
    command = given.get("command") if isinstance(given, dict) else ""
    first = roots[0] if isinstance(roots, list) and roots else ""
    cwd = payload.get("cwd")
    return (command if isinstance(command, str) else ""), (cwd if isinstance(cwd, str) and cwd else first)


def stamp(home: str) -> list[object]:
    """Give what the file that was left behind depends on: the version, and the settings as they lie there."""
    from tacit.version import __version__

    found: list[object] = [__version__, _mark("TACIT_STORE"), _mark("TACIT_TENANT")]
    for name in ("config.toml", "stores.json", "guard", "lexicon"):
        found += marks(os.path.join(home, name))
    return found


def _mark(name: str) -> int:
    """Give what changes with a variable, and not what it says: a store's address may hold a password."""
    value = os.environ.get(name, "")
    if not value:
        return 0
    from zlib import crc32

    return crc32(value.encode(errors="surrogateescape"))


def marks(path: str) -> list[object]:
    """Give what changes when a file does, or any file of a folder: a folder alone does not tell of its files."""
    try:
        inside = sorted(os.listdir(path))
    except NotADirectoryError:
        inside = []
    except OSError:
        return [[path, 0, 0, 0]]
    found: list[object] = []
    for place in (path, *(os.path.join(path, name) for name in inside)):
        try:
            status = os.stat(place)
            found.append([place, status.st_mtime_ns, status.st_size, status.st_ino])
        except OSError:
            found.append([place, 0, 0, 0])
    return found


def _changed_by_tree(folder: str) -> bool:
    """Say whether a file of the project may say something of its own about commands."""
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
    """Say whether the guard knows the program, or an argument that could be one."""
    name = words[0].rsplit("/", 1)[-1]
    names, heads = set(known["names"]), set(known["heads"])
    if name in names or name.split(".")[0] in names or name.startswith(("py", "ipython", "uvpython")):
        return True
    from fnmatch import fnmatchcase

    if any(fnmatchcase(name, glob) for glob in known["globs"]):
        return True
    return any(word in heads or word.rsplit("/", 1)[-1] in heads for word in words[1:])


def is_kept_as_it_is(signature: str) -> bool:
    """Say whether a signature surely holds nothing that could be taken for a secret."""
    from tacit.text.secret_marks import NAME_PARTS

    folded = signature.lower()
    if any(mark in folded for mark in (*NAME_PARTS, *_TELLTALE)) or any(
        len(word) > _LONGEST_WORD for word in signature.split()
    ):
        return False
    # `-u me`, `-pS3cret`: what follows such a flag, or is stuck to it, may be one.
    return not any(word[:2].lower() in _FLAGS for word in signature.split())


def is_unheard_of(known: dict[str, object], signature: str, words: list[str]) -> bool:
    """Say whether no failure has this signature and no correction speaks of these words, in any scope."""
    path, tenant = known.get("store"), known.get("tenant")
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(tenant, str):
        return False
    if not os.path.exists(path):
        return True
    if not is_kept_as_it_is(signature):
        return False
    import sqlite3

    try:
        with sqlite3.connect(f"file:{_as_uri(path)}?mode=ro", uri=True, timeout=0.2) as db:
            if db.execute(_ASKED, (tenant, signature)).fetchone():
                return False
            return not any(
                db.execute(_PREFERRED, (tenant, word.rpartition("/")[2][:60])).fetchone()
                for word in dict.fromkeys(words)
            )
    except sqlite3.Error:
        return False


def _as_uri(path: str) -> str:
    """Give a path as a URI has it: a `?` or `#` in a folder's name must not end it."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
