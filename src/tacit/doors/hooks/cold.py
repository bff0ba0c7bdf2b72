"""`tacit hook AGENT` from a cold start: a running `serve` answers, or it is plain that there is nothing to say.

On the standard library, and as little of it as can be: interpreters start once per hook. It never decides anything. It
only recognises, from a small file that the full path leaves behind, that the full path would say nothing; whatever is
not as plain as that goes there.
"""

from __future__ import annotations

import os
import sys

MOST_BYTES = 10 * 1024 * 1024
SOCKET = "run/serve.sock"
KNOWN = "cache/hooks.json"
RULES = "cache/rules.json"
_WAIT_S = 5.0
_ASKED = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'signature' AND value = ? LIMIT 1"
_PREFERRED = "SELECT 1 FROM facets WHERE tenant = ? AND name = 'instead' AND value = ? LIMIT 1"


def main(words: list[str]) -> int:
    """Answer the payload on standard input; the exit code is 0, always."""
    agent = words[0] if words else ""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    answer = answered(agent, data)
    sys.stdout.buffer.write(answer + b"\n")
    sys.stdout.buffer.flush()
    return 0


def answered(agent: str, data: bytes) -> bytes:
    """Give the answer: a server's, or nothing where that is plain, else the full one."""
    home = os.environ.get("TACIT_HOME") or os.path.join(os.environ.get("HOME") or os.path.expanduser("~"), ".tacit")
    served = _served(os.path.join(home, SOCKET), agent, data)
    if served:
        return served
    if has_nothing_to_say(home, agent, data):
        return b"{}"
    import json

    from tacit.doors.hooks.door import respond

    return json.dumps(respond(agent, data)).encode()


def _served(path: str, agent: str, data: bytes) -> bytes:
    """Ask a running server; empty when there is none, or it does not answer in time."""
    if not os.path.exists(path):
        return b""
    import socket

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_WAIT_S)
            line.connect(path)
            line.sendall(f"hook {agent}\n".encode() + data)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b"")).strip()
    except OSError:
        return b""


def has_nothing_to_say(home: str, agent: str, data: bytes) -> bool:
    """Say whether the full path would answer with nothing and keep nothing: a plain command nobody knows of."""
    import json

    try:
        payload = json.loads(data)
        with open(os.path.join(home, KNOWN), encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError, RecursionError):
        return False
    command = _plain_command(agent, payload)
    if not command or known.get("stamp") != stamp(home) or _changed_by_tree(payload.get("cwd")):
        return False
    from tacit.shell.plain import plain_signature, plain_words

    words = plain_words(command)
    if words and not _is_known(words, known):
        return is_unheard_of(known, plain_signature(words), words)
    from tacit.doors.hooks.lean import is_allowed_and_unknown

    return is_allowed_and_unknown(home, command, str(payload.get("cwd") or ""), known)


def _plain_command(agent: str, payload: object) -> str:
    """Give the command a tool is about to run, where the payload says so in the one usual way."""
    if agent not in ("claude", "codex") or not isinstance(payload, dict):
        return ""
    if payload.get("hook_event_name") != "PreToolUse" or payload.get("tool_name") != "Bash":
        return ""
    given = payload.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else ""
    return command if isinstance(command, str) else ""


def stamp(home: str) -> list[object]:
    """Give what the file that was left behind depends on: the version, and the settings as they lie there."""
    from tacit.version import __version__

    found: list[object] = [__version__, os.environ.get("TACIT_STORE", ""), os.environ.get("TACIT_TENANT", "")]
    for name in ("config.toml", "guard", "lexicon", "stores.json"):
        try:
            status = os.stat(os.path.join(home, name))
            found.append([name, status.st_mtime_ns, status.st_size])
        except OSError:
            found.append([name, 0, 0])
    return found


def _changed_by_tree(cwd: object) -> bool:
    """Say whether a file of the project may say something of its own about commands."""
    folder = cwd if isinstance(cwd, str) and cwd.startswith("/") else os.getcwd()
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


def is_unheard_of(known: dict[str, object], signature: str, words: list[str]) -> bool:
    """Say whether no failure has this signature and no correction speaks of these words, in any scope."""
    path, tenant = known.get("store"), known.get("tenant")
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(tenant, str):
        return False
    if not os.path.exists(path):
        return True
    import sqlite3

    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0.2) as db:
            if db.execute(_ASKED, (tenant, signature)).fetchone():
                return False
            return not any(
                db.execute(_PREFERRED, (tenant, word.rpartition("/")[2][:60])).fetchone()
                for word in dict.fromkeys(words)
            )
    except sqlite3.Error:
        return False
