"""A small process that forks writers, kills them and looks at what they left. Run by `tests.crash.run`.

Forking is cheap here: there are no threads, and everything is imported before the first child.
"""

from __future__ import annotations

import json
import os
import random
import resource
import select
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tacit.errors import StoreFull, TacitError
from tacit.model.link import Link
from tacit.model.record import Record
from tacit.store.sqlite import store as store_module
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import AGENT, HERE, at, happened, here, id_of, record, revised

OUR_LIMIT = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class Child:
    """A forked process that says things through a pipe."""

    def __init__(self, work: Callable[[Callable[[str], None]], None]) -> None:
        self._pipe, write = os.pipe()
        self._said = b""
        self._ended = False
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._pipe)
            _live(work, write)
        os.close(write)

    def kill(self) -> None:
        """Kill it, as a power switch would."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> list[str]:
        """Wait for its end and give all it said."""
        while not self._ended:
            self._hear()
        os.close(self._pipe)
        os.waitpid(self.pid, 0)
        return self._said.decode().splitlines()

    def fileno(self) -> int:
        """Give what to wait on until it says something."""
        return self._pipe

    def _hear(self) -> None:
        chunk = os.read(self._pipe, 1 << 16)
        self._said += chunk
        self._ended = not chunk

    @staticmethod
    def hear(children: Sequence[Child], enough: Callable[[list[int]], bool], word: str = "") -> None:
        """Listen until the numbers of lines they said, of those that begin with a word, are enough, or all have ended.

        However slow the machine is, they have come that far then.
        """
        while not enough([child._count(word) for child in children]):
            talking = [child for child in children if not child._ended]
            if not talking:
                return
            for child in select.select(talking, [], [])[0]:
                child._hear()

    def _count(self, word: str) -> int:
        return sum(line.startswith(word) for line in self._said.decode().splitlines())


def _live(work: Callable[[Callable[[str], None]], None], pipe: int) -> None:
    # One write call of a short line is never torn.
    try:
        work(lambda line: os.write(pipe, f"{line}\n".encode()) and None)
    except BaseException as error:  # noqa: BLE001 - told to the parent, which decides
        os.write(pipe, f"error {type(error).__name__}: {traceback.format_exc()[-1500:]!r}\n".encode()[:4000])
    finally:
        os._exit(0)


# -- kill -9 ----------------------------------------------------------------------------------------------------


def kill_rounds(folder: str, rounds: int, writers: int, seed: int) -> dict[str, Any]:
    """Let writers write, kill them at random moments, look; fifty times on the same store, then on a new one."""
    dice = random.Random(seed)
    outcome: dict[str, Any] = {"acknowledged": 0, "lost": [], "doubled": [], "torn": [], "errors": [], "unsound": []}
    for first in range(0, rounds, 50):
        path = str(Path(folder) / f"{first}.db")
        _kill_rounds(path, min(50, rounds - first), writers, dice, outcome)
    return outcome


def _kill_rounds(path: str, rounds: int, writers: int, dice: random.Random, outcome: dict[str, Any]) -> None:
    acked = dict.fromkeys(range(writers), 0)
    for number in range(rounds):
        children = {w: Child(_writer(path, w, acked[w])) for w in acked}
        # The first rounds meet the making of the store. The pause lets the end come anywhere within a write.
        wanted = 0 if number < 4 else dice.randint(2, 60)
        Child.hear([*children.values()], lambda said, wanted=wanted: sum(said) >= wanted)
        time.sleep(dice.uniform(0.0, 0.03))
        for writer in dice.sample(sorted(children), len(children)):
            children[writer].kill()
        for writer, child in children.items():
            for line in child.wait():
                if line.startswith("ack "):
                    acked[writer] = int(line[4:])
                else:
                    outcome["errors"].append(line)
        _look(path, acked, outcome, number)
    outcome["acknowledged"] += sum(acked.values())


def _writer(path: str, writer: int, done: int) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        store_module.CHECKPOINT_BYTES = 200_000
        store = SqliteStore(path)
        number = done
        while True:
            number += 1
            one = numbered(writer, number)
            with store.transaction(AGENT, one.updated_at) as tx:
                # What was committed but not acknowledged before the kill must not be done twice.
                if tx.once(f"{writer}/{number}"):
                    tx.put(one)
                    if number > 1:
                        before = numbered(writer, number - 1)
                        tx.put(revised(before, body=f"{before.body} done"), expected=1)
                        tx.link(Link(source=one.id, relation="after", target=before.id, scope=HERE, since=at(0)))
                    happened(tx, "fact.memorized", one.id)
            say(f"ack {number}")

    return work


def numbered(writer: int, number: int) -> Record:
    """Give a writer's record of a number: enough text to fill pages."""
    return record(
        writer * 1_000_000 + number, f"writer {writer} number {number} " + "filler " * 40, key=f"{writer}/{number}"
    )


def _look(path: str, acked: dict[int, int], outcome: dict[str, Any], number: int) -> None:
    store = SqliteStore(path)
    try:
        report = store.verify()
        if not report.ok:
            outcome["unsound"].append([number, [finding.message for finding in report.findings[:5]]])
        versions: dict[str, int] = {}
        for one in every(store):
            versions[one.key] = versions.get(one.key, 0) + (1000 if one.key in versions else one.version)
        made = Counter(event.subject for event in store.events(types=("fact.memorized",), limit=10**9))
        for writer, last in acked.items():
            have = sorted(int(key.split("/")[1]) for key in versions if key.startswith(f"{writer}/"))
            outcome["lost"] += [f"{writer}/{n}" for n in range(1, last + 1) if f"{writer}/{n}" not in versions]
            # At most the one write that was under way may be there without having been acknowledged.
            if have and (have != list(range(1, len(have) + 1)) or len(have) > last + 1):
                outcome["torn"].append([writer, last, have[-3:]])
            wanted = {f"{writer}/{n}": 2 if n < len(have) else 1 for n in have}
            outcome["torn"] += [key for key, version in wanted.items() if versions[key] != version]
        outcome["doubled"] += [subject for subject, count in made.items() if count != 1]
    finally:
        store.close()


def every(store: SqliteStore) -> Iterator[Record]:
    """Give every record, page by page."""
    after = ""
    while True:
        page = store.find(here(statuses=()), limit=1000, after=after)
        yield from page.records
        after = page.next
        if not after:
            return


# -- many writers -----------------------------------------------------------------------------------------------


def contention(path: str, processes: int, writes: int, readers: int) -> dict[str, Any]:
    """Let many processes write at once, with readers alongside; all say what they met."""
    SqliteStore(path).close()
    stop = Path(f"{path}.stop")
    watching = [Child(_watch(path, stop)) for _ in range(readers)]
    Child.hear(watching, all)
    start = time.monotonic()
    children = [Child(_contender(path, number, writes)) for number in range(processes)]
    said = [line for child in children for line in child.wait()]
    took = time.monotonic() - start
    stop.touch()
    read = [line for child in watching for line in child.wait()]
    store = SqliteStore(path)
    report = store.verify()
    rows = store.count(here())
    whose = {id_of(number * 100_000 + write + 1): number for number in range(processes) for write in range(writes)}
    turns = [whose[subject] for (subject,) in store._all("SELECT subject FROM events ORDER BY seq") if subject in whose]
    store.close()
    waits = sorted(float(line.split()[1]) for line in said if line.startswith("wait"))
    return {
        "errors": [line for line in said + read if line.startswith("error")], "rows": rows, "ok": report.ok,
        "overtaken": _overtaken(turns), "seconds": took, "worst_wait": waits[-1],
        "p99_wait": waits[int(len(waits) * 0.99)],
        "reads": sum(int(line.split()[1]) for line in read if line.startswith("reads")),
        "worst_read": max(float(line.split()[2]) for line in read if line.startswith("reads")),
    }  # fmt: skip


def _overtaken(turns: list[int]) -> int:
    """Give how many turns of others came at most between two of one process."""
    last: dict[int, int] = {}
    worst = 0
    for place, whose in enumerate(turns):
        worst = max(worst, place - last.get(whose, place - 1) - 1)
        last[whose] = place
    return worst


def _contender(path: str, number: int, writes: int) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        # Nobody gives up because the machine is slow; whoever starved would wait until all others are done.
        store = SqliteStore(path, lock_budget_s=600)
        for write in range(writes):
            one = record(number * 100_000 + write + 1, f"process {number} write {write}")
            start = time.monotonic()
            with store.transaction(AGENT, one.updated_at) as tx:
                waited = time.monotonic() - start
                tx.put(one)
                happened(tx, "fact.memorized", one.id)
            say(f"wait {waited}")
        store.close()

    return work


def _watch(path: str, stop: Path) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        store = SqliteStore(path)
        count, worst = 0, 0.0
        seen = 0
        while not stop.exists():
            start = time.monotonic()
            now = store.count(here())
            store.find(here(), limit=5)
            store.match(["process"], here(), 5)
            worst = max(worst, time.monotonic() - start)
            assert now >= seen, "a reader saw the store shrink"
            seen, count = now, count + 1
            if count == 1:
                say("watching")
            time.sleep(0.005)
        store.close()
        say(f"reads {count} {worst}")

    return work


def memorizers(path: str, processes: int, writes: int, busy: int) -> dict[str, Any]:
    """Let many processes memorize at once through the façade, beside busy processes; say how long each call took."""
    import tacit
    from tacit.store.sqlite import store as opened

    # As a user meets it: the default budget, the embedder, the judges of duplicates and contradictions.
    with tacit.open_memory(path, scope="project:here") as memory:
        memorized(memory, 0, 0)
        semantic = memory.status()["semantic"]["on"]
    children = [Child(_spin) for _ in range(busy)]
    budget_s = opened.LOCK_BUDGET_S

    def work(say: Callable[[str], None], number: int) -> None:
        with tacit.open_memory(path, scope="project:here") as memory:
            lock = memory._c.store._lock
            acquire = lock.acquire

            def timed(*budget: float) -> float:
                begin = time.monotonic()
                try:
                    return acquire(*budget)
                finally:
                    say(f"wait {begin} {time.monotonic()} {number}")

            lock.acquire = timed
            for write in range(writes):
                begin = time.monotonic()
                memorized(memory, number, write)
                say(f"call {time.monotonic() - begin}")

    start = time.monotonic()
    writers = [Child(lambda say, number=number: work(say, number)) for number in range(1, processes + 1)]
    said = [line for child in writers for line in child.wait()]
    took = time.monotonic() - start
    for child in children:
        child.kill()
        child.wait()
    waits = [(float(begin), float(end), int(who)) for begin, end, who in _fields(said, "wait")]
    calls = sorted(float(took) for (took,) in _fields(said, "call"))
    with tacit.open_memory(path, scope="project:here") as memory:
        report = memory.verify()
        rows = memory._c.store.count(here(scopes=("project:here",), kinds=("fact",)))
    return {
        "errors": [line for line in said if line.startswith("error")], "rows": rows, "ok": report.ok, "seconds": took,
        "semantic": semantic, "budget_s": budget_s, "worst_call": calls[-1], "median_call": calls[len(calls) // 2],
        "worst_wait": max(end - begin for begin, end, _ in waits), "turns": _turns_meanwhile(waits),
        "calls": len(calls),
    }  # fmt: skip


def memorized(memory: Any, number: int, write: int) -> None:
    """Memorize a fact that resembles others and repeats none."""
    memory.memorize(f"Host h{number}x{write} of the staging cluster listens on port {1_000 + 200 * number + write}")


def _spin(_say: Callable[[str], None]) -> None:
    while True:
        pass


def _fields(said: list[str], word: str) -> Iterator[list[str]]:
    return (line.split()[1:] for line in said if line.startswith(f"{word} "))


def _turns_meanwhile(waits: list[tuple[float, float, int]]) -> int:
    """Give how many turns one process got at most while another waited for one."""
    from bisect import bisect_left

    turns: dict[int, list[float]] = {}
    for _, end, who in sorted(waits):
        turns.setdefault(who, []).append(end)
    return max(
        bisect_left(ends, end) - bisect_left(ends, begin)
        for begin, end, who in waits
        for other, ends in turns.items()
        if other != who
    )


# -- dying at a write -------------------------------------------------------------------------------------------


def die_at_writes(folder: str, scenario: str, points: list[int]) -> dict[str, Any]:
    """Let a process die at the very write that takes a file beyond a size, for many sizes; look at what it left.

    The kernel kills whoever writes past the limit, which makes the size of a file a switch that dies at write N.
    """
    outcome: dict[str, Any] = {"died": 0, "lived": 0, "wrong": []}
    for number, point in enumerate(points):
        path = str(Path(folder) / f"{scenario}-{number}.db")
        before = 0
        if scenario != "making":
            store = SqliteStore(path)
            before = _fill(store, 0, 6)
            store.close()
        child = Child(_doomed(path, scenario, before, point))
        said = child.wait()
        outcome["died" if "end" not in said else "lived"] += 1
        done = max([before, *(int(line[4:]) for line in said if line.startswith("ack "))])
        outcome["wrong"] += [[point, line] for line in said if line.startswith("error")]
        outcome["wrong"] += [[point, problem] for problem in _problems(path, done)]
    return outcome


def _doomed(path: str, scenario: str, done: int, point: int) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        size = Path(path).stat().st_size if Path(path).exists() else 0
        if scenario == "checkpoint":
            # Each write is copied into the file at once: the file itself reaches the limit, not the log.
            store_module.CHECKPOINT_BYTES = 0
        limit = size + point if scenario == "checkpoint" else point
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        store = SqliteStore(path)
        if scenario == "forgetting":
            with store.transaction(AGENT, at(50)) as tx:
                tx.forget([numbered(0, 1).id])
            store.finish_forgetting()
        for number in range(done + 1, done + 12):
            _put(store, number)
            say(f"ack {number}")
        store.close()
        say("end")

    return work


def _put(store: SqliteStore, number: int) -> None:
    with store.transaction(AGENT, at(number)) as tx:
        tx.put(numbered(0, number))
        happened(tx, "fact.memorized", numbered(0, number).id)


def _fill(store: SqliteStore, start: int, count: int) -> int:
    for number in range(start + 1, start + count + 1):
        _put(store, number)
    return start + count


def _problems(path: str, done: int) -> list[str]:
    """Open what was left, look for what was acknowledged, and write on."""
    try:
        store = SqliteStore(path)
        found = {int(one.key.split("/")[1]) for one in every(store)}
        # The first record may have been forgotten by the scenario; all others have to be there, and at most one more.
        problems = [f"{n} lost" for n in range(2, done + 1) if n not in found]
        if max(found, default=0) > done + 1:
            problems.append(f"{max(found)} was never written")
        report = store.verify()
        problems += [finding.message for finding in report.findings]
        _put(store, 500_000)
        problems += [] if store.verify().ok else ["unsound after going on"]
        store.close()
    except TacitError as error:
        return [f"{type(error).__name__}: {error}"]
    return problems


# -- making a store ---------------------------------------------------------------------------------------------


def making_killed(folder: str, rounds: int, seed: int) -> dict[str, Any]:
    """Kill processes while they make a new store; the next to come makes it whole."""
    dice = random.Random(seed)
    problems = []
    for number in range(rounds):
        path = str(Path(folder) / f"new-{number}.db")
        children = [Child(lambda _say, path=path: SqliteStore(path).close()) for _ in range(2)]
        time.sleep(dice.uniform(0, 0.02))
        for child in children:
            child.kill()
        problems += [line for child in children for line in child.wait()]
        problems += _problems(path, 0)
    return {"rounds": rounds, "problems": problems}


def opened_together(folder: str, rounds: int, processes: int) -> dict[str, Any]:
    """Let processes open one new path at the same moment; each says which store it got."""
    answers = []
    for number in range(rounds):
        path = str(Path(folder) / f"together-{number}.db")

        def work(say: Callable[[str], None], path: str = path) -> None:
            store = SqliteStore(path)
            say(store.id)
            store.close()

        children = [Child(work) for _ in range(processes)]
        answers.append([line for child in children for line in child.wait()])
    return {"answers": answers}


# -- no space ---------------------------------------------------------------------------------------------------


def no_space(path: str, points: list[int], checkpoints: bool) -> dict[str, Any]:
    """Write until there is no room, for several amounts of room; then give room back and go on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if checkpoints:
        store_module.CHECKPOINT_BYTES = 20_000
    store = SqliteStore(path)
    done = _fill(store, 0, 3)
    wrong: list[Any] = []
    full = 0
    for point in points:
        resource.setrlimit(resource.RLIMIT_FSIZE, (_largest(path) + point, OUR_LIMIT[1]))
        try:
            while True:
                _put(store, done + 1)
                done += 1
        except StoreFull:
            full += 1
        except TacitError as error:
            wrong.append([point, f"{type(error).__name__}: {error}"])
        wrong += [[point, problem] for problem in _state(store, done)]
        resource.setrlimit(resource.RLIMIT_FSIZE, OUR_LIMIT)
        done = _fill(store, done, 2)
        wrong += [[point, f"afterwards: {problem}"] for problem in _state(store, done)]
    store.close()
    again = SqliteStore(path)
    wrong += [["reopened", problem] for problem in _state(again, done)]
    again.close()
    return {"full": full, "written": done, "wrong": wrong}


def _largest(path: str) -> int:
    return max(Path(path + suffix).stat().st_size for suffix in ("", "-wal") if Path(path + suffix).exists())


def _state(store: SqliteStore, done: int) -> list[str]:
    found = sorted(int(one.key.split("/")[1]) for one in every(store))
    report = store.verify()
    right = found == list(range(1, done + 1))
    return ([] if right else [f"{len(found)} records, {done} acknowledged"]) + [f.message for f in report.findings]


def no_space_to_make(folder: str, points: list[int]) -> dict[str, Any]:
    """Make new stores where there is too little room; then, with room, the same paths must work."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    wrong: list[Any] = []
    full = 0
    for point in points:
        path = str(Path(folder) / f"full-{point}.db")
        resource.setrlimit(resource.RLIMIT_FSIZE, (point, OUR_LIMIT[1]))
        try:
            SqliteStore(path).close()
        except StoreFull:
            full += 1
        except TacitError as error:
            wrong.append([point, f"{type(error).__name__}: {error}"])
        resource.setrlimit(resource.RLIMIT_FSIZE, OUR_LIMIT)
        wrong += [[point, problem] for problem in _problems(path, 0)]
    return {"full": full, "wrong": wrong}


def upkeep_without_space(path: str) -> dict[str, Any]:
    """Ask for upkeep and a backup where nothing can grow; then go on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store_module.CHECKPOINT_BYTES = 1 << 30
    store = SqliteStore(path)
    done = _fill(store, 0, 40)
    # The log is larger than the file may become.
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(path).stat().st_size + 8192, OUR_LIMIT[1]))
    said = {}
    for name, call in {
        "optimise": store.optimise, "rebuild": store.rebuild, "backup": lambda: store.backup(Path(f"{path}.backup")),
    }.items():  # fmt: skip
        try:
            call()
            said[name] = "ok"
        except TacitError as error:
            said[name] = type(error).__name__
    wrong = _state(store, done)
    resource.setrlimit(resource.RLIMIT_FSIZE, OUR_LIMIT)
    store.optimise()
    store.rebuild()
    done = _fill(store, done, 3)
    wrong += _state(store, done)
    store.close()
    return {"said": said, "wrong": wrong, "left": sorted(p.name for p in Path(path).parent.glob("*.backup*"))}


# -- permissions ------------------------------------------------------------------------------------------------


def unprivileged(path: str) -> dict[str, str]:
    """Read and write a store as somebody whom permissions bind; root becomes nobody first."""
    scratch = SqliteStore(":memory:")
    _put(scratch, 1)
    scratch.verify()
    list(every(scratch))
    with suppress(TacitError):
        SqliteStore(f"{path}.absent", expected_id="x")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    said = {}
    start = time.monotonic()

    def read() -> None:
        store = SqliteStore(path)
        assert len(list(every(store)))
        store.close()

    def write() -> None:
        store = SqliteStore(path)
        try:
            _put(store, 999)
        finally:
            store.close()

    for name, call in {"read": read, "write": write}.items():
        try:
            call()
            said[name] = "ok"
        except TacitError as error:
            said[name] = type(error).__name__
    said["seconds"] = f"{time.monotonic() - start:.3f}"
    return said


# -- backups ----------------------------------------------------------------------------------------------------


def backups_under_load(path: str, folder: str, count: int) -> dict[str, Any]:
    """Back a store up while two processes write to it; give how many were acknowledged before each backup."""
    SqliteStore(path).close()
    children = [Child(_writer(path, writer, 0)) for writer in range(2)]
    store = SqliteStore(path)
    known = []
    for number in range(count):
        Child.hear(children, lambda said, wanted=2 * number + 2: min(said) >= wanted)
        seen = sorted(one.key for one in every(store))
        store.backup(Path(folder) / f"backup-{number}.db")
        known.append(seen)
    for child in children:
        child.kill()
    errors = [line for child in children for line in child.wait() if line.startswith("error")]
    ok = store.verify().ok
    store.close()
    return {"known": known, "ok": ok, "errors": errors}


def hold(path: str, seconds: float) -> None:
    """Hold the writer's lock of a store and say so; for a test that waits."""
    from tacit.files.lock import WriterLock

    lock = WriterLock(Path(path))
    lock.acquire(5)
    os.write(sys.stdout.fileno(), b"held\n")
    time.sleep(seconds)


def main() -> None:
    """Run the task named on the command line and print its outcome."""
    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    outcome = globals()[name](**arguments)
    if outcome is not None:
        sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main()
