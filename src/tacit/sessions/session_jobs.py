"""Sessions that wait to be imported and learned from: those that ended, and those that go on, again as they grow."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from tacit.files.spool import JOBS, SpoolEntry, spool
from tacit.model.hook import HookCall

PAUSE_S = 30.0
"""A session that goes on is not looked at again within this time, which its job notes as `due`."""
DONE = "done"
"""Where a job notes how many turns were learned from when its work was stopped."""
# What a prompt asks for begins soon after it.
_AFTER_PROMPT_S = 10.0
IMPORTED_EVERY_S = 600.0
"""How often one that goes on is imported and learned from; in between, only its new turns are kept."""
# A look may use this share of one processor.
_SHARE = 0.02
# One that does not grow is looked at less and less, until a hook comes again: for about an hour.
_MOST_LOOKS = 7
_FORGOTTEN_S = 86_400


def queue_session(home: Path, call: HookCall, store: str = "") -> None:
    """Queue a session for import when it ends. A session that is queued twice is imported once."""
    transcript = call.transcript or _noted(home / JOBS, call)
    if not transcript.startswith("/"):
        return
    spool(home / JOBS, _job(call, transcript, store))
    # What was to be learned in the meantime is learned with the rest.
    for ending in ("json", "seen"):
        (home / JOBS / f"{_name(call, transcript)}.{ending}").unlink(missing_ok=True)


def queue_meanwhile(home: Path, call: HookCall, now: datetime, store: str = "") -> None:
    """Queue a session that goes on: what was said so far is kept soon, and again as it grows."""
    if not call.transcript.startswith("/"):
        return
    folder, name = home / JOBS, _name(call, call.transcript)
    seen = folder / f"{name}.seen"
    is_waiting = (folder / f"{name}.json").exists()
    # At a prompt, what is new is still to be said.
    due = now.timestamp() + (_AFTER_PROMPT_S if call.moment == "prompt" else 0.0)
    with suppress(OSError):
        before = seen.stat().st_mtime
        due = min(due, before) if is_waiting else max(due, before + PAUSE_S)
    if not is_waiting:
        spool(folder, {**_job(call, call.transcript, store), "due": due}, name, durable=False)
    seen.write_text(f"{call.agent}:{call.session}\n{call.transcript}")
    _look_at(seen, due)
    _tidy(folder, now)


def _look_at(seen: Path, due: float) -> None:
    """Note when a session that goes on is looked at next, as the time of a file, which a hook changes at once."""
    with suppress(OSError):
        os.utime(seen, (due, due))


def goes_on(job: SpoolEntry) -> bool:
    """Return whether a queued session had not ended when it was queued."""
    return "due" in job.body


def waiting_sessions(folder: Path, now: float) -> int:
    """Count the queued sessions whose time has come; those that go on are looked at in their turn."""
    found = 0
    for path in folder.glob("*.json") if folder.is_dir() else ():
        with suppress(OSError):
            found -= path.with_suffix(".seen").stat().st_mtime > now
        found += 1
    return found


def ended(job: SpoolEntry) -> SpoolEntry:
    """Return a queued session as one that has ended."""
    return job._replace(body={name: value for name, value in job.body.items() if name != "due"})


def due_at(job: SpoolEntry) -> float:
    """Return the time before which a session is not looked at."""
    due = job.body.get("due")
    due = due if isinstance(due, float) else 0.0
    with suppress(OSError):
        return max(due, job.path.with_suffix(".seen").stat().st_mtime) if goes_on(job) else due
    return due


def was_seen(job: SpoolEntry) -> bool:
    """Return whether a session that goes on was looked at before."""
    return "mark" in job.body


def has_grown(job: SpoolEntry, path: Path) -> bool:
    """Return whether a transcript has changed since it was looked at."""
    return bool(job.body.get("mark") != transcript_mark(path))


def look_again(job: SpoolEntry, folder: Path, path_mark: list[int], now: float, cost_s: float) -> bool:
    """Queue a session that goes on for its next look, or return False if it has not grown for long.

    `path_mark` is that of the transcript before it was read, and `cost_s` the time that reading took.
    """
    looks = job.body.get("looks", 0) + 1 if job.body.get("mark") == path_mark else 0
    if looks > _MOST_LOOKS:
        return False
    pause = max(PAUSE_S, cost_s / _SHARE)
    body = {name: value for name, value in job.body.items() if name != DONE}
    spool(folder, {**body, "due": now + pause, "mark": path_mark, "looks": looks}, job.name, durable=False)
    _look_at(job.path.with_suffix(".seen"), now + pause * 2**looks)
    return True


def transcript_mark(path: Path) -> list[int]:
    """Return the size and the time of a transcript; a database that is written to grows in the log beside it."""
    states = [path.stat()]
    with suppress(FileNotFoundError):
        states.append(path.with_name(f"{path.name}-wal").stat())
    return [sum(one.st_size for one in states), max(one.st_mtime_ns for one in states)]


def _job(call: HookCall, transcript: str, store: str) -> dict[str, Any]:
    return {
        "agent": call.agent, "transcript": transcript, "cwd": call.cwd, "store": store, "session": call.session,
        "nested": call.nested, "started_by": list(call.started_by),
    }  # fmt: skip


def _name(call: HookCall, transcript: str) -> str:
    """Return the name under which a session waits. A subagent has the session of its parent, and its own transcript."""
    of = f"{call.agent}:{call.session}:{transcript}"
    return f"session-{hashlib.sha256(of.encode(errors='replace')).hexdigest()[:24]}"


def _noted(folder: Path, call: HookCall) -> str:
    """Return the transcript of a session whose agent does not name it at the end, but did before."""
    for path in folder.glob("*.seen"):
        with suppress(OSError, ValueError):
            whose, _, transcript = path.read_text().partition("\n")
            if call.session and whose == f"{call.agent}:{call.session}":
                return transcript
    return ""


def _tidy(folder: Path, now: datetime) -> None:
    """Remove the notes of sessions that never said that they ended."""
    for path in folder.glob("*.seen"):
        with suppress(OSError):
            if now.timestamp() - path.stat().st_mtime > _FORGOTTEN_S:
                path.unlink()
