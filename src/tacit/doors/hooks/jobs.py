"""Jobs that hooks leave behind: a session that ended is taken in and learned from when there is time for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tacit.errors import ConfigError, NotFound, StoreError, SwitchedOff, TacitError
from tacit.files.spool import MOST_FILES, Spooled, Took, drain, spool, waiting
from tacit.flows.sessions import Found
from tacit.memory.memory import Memory
from tacit.model.hook import HookCall

JOBS = "jobs"
# What a hook may do for another one: about 50 ms of reading.
QUICK_BYTES = 20_000
Open = Callable[[str], Memory]
"""Opens the memory of a folder."""
Tell = Callable[[str], None]
"""Notes what went wrong."""


def queue_session(home: Path, call: HookCall, store: str = "") -> None:
    """Leave a session to be taken in; a session that is left twice is taken in once, with all that is in it then."""
    if call.transcript.startswith("/"):
        spool(home / JOBS, {"agent": call.agent, "transcript": call.transcript, "cwd": call.cwd, "store": store})


def work(
    home: Path, open_memory: Open, tell: Tell, store: str = "", *, quick: bool = False,
    enough: Callable[[], bool] = lambda: False,
) -> int:  # fmt: skip
    """Work off what waits; quick does one small job and leaves what is large. Gives how many are left."""

    def take(job: Spooled) -> Took:
        path = Path(str(job.body.get("transcript", "")))
        try:
            if job.body.get("store", store) != store or (quick and path.stat().st_size > QUICK_BYTES):
                return "later"
            _learn(path, str(job.body.get("agent", "")), str(job.body.get("cwd", "")), open_memory)
        except FileNotFoundError:
            tell(f"a session could not be taken in: {path} is gone")
        except (StoreError, ConfigError, SwitchedOff, OSError) as error:
            tell(f"a session waits: {error}")
            return "later"
        except Exception as error:
            # Whatever is wrong with one transcript, the others are not to wait for it.
            said = error.message if isinstance(error, TacitError) else f"{type(error).__name__}: {error}"
            tell(f"a session could not be taken in: {path}: {said}")
            return "refused"
        return "taken"

    for aside in drain(home / JOBS, take, 1 if quick else MOST_FILES, enough=enough):
        tell(f"{aside.path.name} is {aside.why} and was set aside")
    return waiting(home / JOBS)


def _learn(path: Path, agent: str, cwd: str, open_memory: Open) -> None:
    """Take in the sessions of a transcript, each into the memory of the folder it began in, and learn from them."""
    path.stat()
    with open_memory(cwd) as memory:
        found = memory.sessions.survey([(path, agent)], named=True)
        elsewhere = {one.head.cwd for one in found if one.scope != str(memory.scope)}
        _learn_in(memory, found)
    for folder in sorted(elsewhere):
        with open_memory(folder) as memory:
            _learn_in(memory, memory.sessions.survey([(path, agent)], named=True))


def _learn_in(memory: Memory, found: Sequence[Found]) -> None:
    brought = memory.sessions.bring_in(found)
    records = {record.id: record for record in (*brought.new, *brought.grown)}
    for name in {one.head.id for one in found if one.scope == str(memory.scope)}:
        # Also what was taken in before: perhaps by somebody who did not learn from it, or did not get that far.
        with suppress(NotFound):
            known = memory.sessions.get(name)
            records.setdefault(known.id, known)
    memory.sessions.learn(list(records.values()))
