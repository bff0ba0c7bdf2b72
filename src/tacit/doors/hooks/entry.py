"""`tacit hook AGENT [EVENT]`: the entry point of every hook.

A running server answers; without a server, the cold path answers if there is clearly nothing to report, and otherwise
the full path. Each is loaded when it is needed.
"""

import os

from tacit.doors.hooks.surroundings import MOST_BYTES, SOCKET, has_own_settings, here, home_of, import_msgspec

ASKED = "--asked"
"""Said by a client that has asked the helper already."""

# Agents give a hook 10 seconds (`agents/hook_settings.py`), and what is not answered by then is lost.
# A helper that says nothing for so long, or takes longer in all, is not waited for: the hook does the work itself.
_SILENT_S = 0.2
_WHOLE_S = 0.3
_SLOW_S = 4.0
_QUIET_S = 0.3


def main(words: list[str]) -> int:
    """Answer the payload on standard input, and always return exit code 0."""
    agent, event = (*(word for word in words if word != ASKED), "", "")[:2]
    data = b""
    try:
        data = read_input()
        answer = answered(agent, data, event, asks_helper=ASKED not in words)
    except Exception as error:
        # Whatever happens here, the agent goes on; status and doctor tell of it.
        answer = _doubt(agent, event, data)
        _tell(error)
    try:
        _write(answer + b"\n")
    except OSError:
        return 0  # nobody listens
    finally:
        _start_helper()
    return 0


def _start_helper() -> None:
    """Start the helper, where `tacit connect` asked for one and none runs: the next hook is answered by it."""
    try:
        from tacit.files.helper_wanted import HELPER

        home = home_of(os.environ)
        if not os.path.exists(os.path.join(home, HELPER)) or has_own_settings(os.environ):
            return
        from tacit.app.start_helper import start_helper

        start_helper(home, os.environ)
    except Exception as error:
        _tell(error)


def _doubt(agent: str, event: str, data: bytes) -> bytes:
    """Return the answer when nothing else works: a question before a command, however broken the installation is."""
    known = ("PreToolUse", "preToolUse", "beforeShellExecution", "BeforeTool")
    before = [name for name in known if name in (event, *_words(data))]
    if not before:
        return b"{}"
    why = "tacit could not judge this command: `tacit doctor` says why"
    if agent == "cursor":
        return b'{"permission": "ask", "user_message": "%s", "agent_message": "%s"}' % (why.encode(), why.encode())
    if agent in ("gemini", "gemini-cli"):
        return b'{"decision": "deny", "reason": "%s"}' % why.encode()
    if agent == "cline":
        return b'{"cancel": true, "errorMessage": "%s"}' % why.encode()
    decision = "deny" if agent in ("codex", "opencode") else "ask"
    said = f'"hookEventName": "{before[0]}", "permissionDecision": "{decision}", "permissionDecisionReason": "{why}"'
    return b'{"hookSpecificOutput": {%s}}' % said.encode()


def _words(data: bytes) -> list[str]:
    return data[:100_000].decode(errors="replace").split('"')


def read_input(handle: int = 0) -> bytes:
    """Read standard input to its end, or until the payload is complete, because some senders do not close it.

    Bytes past the limit are read and dropped, so that the sender is not cut off. If nothing is sent, reading stops
    soon.
    """
    import select
    from time import monotonic

    until, size, parts = monotonic() + _SLOW_S, 0, list[bytes]()
    over = False
    # What is there already is read, however late this process came to it.
    while not (over and size > MOST_BYTES):
        over = monotonic() >= until
        try:
            ready = select.select([handle], [], [], 0 if over else _QUIET_S)[0]
            chunk = os.read(handle, 1 << 20) if ready else None
        except (OSError, ValueError):
            break  # closed before we were there
        if chunk == b"" or (chunk is None and (over or (parts and _is_whole(parts)))):
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


def answered(agent: str, data: bytes, event: str = "", *, asks_helper: bool = True) -> bytes:
    """Return the answer of the helper, of the cold path if that is enough, or of the full path."""
    home = home_of(os.environ)
    served = _served(os.path.join(home, SOCKET), agent, data, event) if asks_helper else b""
    if served:
        return served
    try:
        from tacit.doors.hooks.cold import cold_answer

        cold = cold_answer(home, agent, data, event)
    except Exception:  # the cache is damaged: the full path notices, and writes it anew
        cold = b""
    if cold:
        return cold
    import_msgspec()
    import json

    from tacit.doors.hooks.answer import respond

    return json.dumps(respond(agent, data, event)).encode()


def _served(path: str, agent: str, data: bytes, event: str) -> bytes:
    """Return the helper's answer; empty if none answers in time, or if this caller has settings of its own."""
    if not os.path.exists(path) or len(agent.split()) != 1 or len(event.split()) > 1 or has_own_settings(os.environ):
        return b""
    import socket
    from time import monotonic
    from urllib.parse import quote

    from tacit.files.peer import peer_of

    off = ["off=1"] if os.environ.get("TACIT_OFF", "0") not in ("", "0") else []
    words = ["hook", agent[:40], event[:40], *off, f"cwd={quote(here(), errors='surrogateescape')}"]
    until, parts = monotonic() + _WHOLE_S, list[bytes]()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_SILENT_S)
            line.connect(path)
            if peer_of(line).uid != os.geteuid():
                return b""
            line.sendall(" ".join(filter(None, words)).encode() + b"\n" + data)
            line.shutdown(socket.SHUT_WR)
            while (left := until - monotonic()) > 0:
                line.settimeout(min(left, _SILENT_S))
                if not (part := line.recv(65536)):
                    break
                parts.append(part)
    except (OSError, ValueError):
        return b""
    # An answer that breaks off is none.
    answer = b"".join(parts)
    return answer.strip() if answer.startswith(b"{") and answer.endswith(b"}\n") else b""
