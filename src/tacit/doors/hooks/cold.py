"""`tacit hook AGENT` from a cold start: on the standard library alone until it is clear that more is needed."""

from __future__ import annotations

import sys


def main(words: list[str]) -> int:
    """Answer the payload on standard input; the exit code is 0, always."""
    agent = words[0] if words else ""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    from tacit.doors.hooks.door import respond

    _say(respond(agent, data))
    return 0


def _say(answer: dict[str, object]) -> None:
    import json

    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


MOST_BYTES = 10 * 1024 * 1024
