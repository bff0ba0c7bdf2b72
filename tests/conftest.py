"""What every test gets: a home of its own, no agent around it, and a place to report figures.

At the end of a run a few lines tell what each area (top directory of `tests/`) cost, how many tests each store had, and
which figures the tests recorded. All travel in the test reports, so they work with any number of xdist workers.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import shutil
import signal
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.memory_folder import use_memory_folder
from tests.postgres import Database, Server, fresh_database, missing, shared_server, stop

FOLDS: dict[str, Callable[[list[float]], float]] = {"sum": sum, "max": max, "min": min}
# Variables that tell a program it runs under an agent, or that change where tacit looks.
FOREIGN = ("TACIT_", "CLAUDE", "CODEX_", "CURSOR_", "GEMINI_", "OPENCODE", "AIDER_", "COPILOT_", "CLINE_", "AI_AGENT")
FOREIGN_XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")

FOLDER, PASSED = pytest.StashKey[Path | None](), pytest.StashKey[bool]()

# Areas whose tests run on both stores.
STORES_IN = ("contracts", "verbs")
# Contracts hold both stores equal; of the verbs one test in so many runs on a server with every change, all in soak.
VERBS, VERBS_SAMPLE = "verbs on postgres", 6

# Too slow is never a reason to fail: machines differ. What failed is printed as a blob that reproduces it.
COMMON = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("test", max_examples=100, **COMMON)
settings.register_profile("soak", max_examples=20_000, **COMMON)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--soak`."""
    parser.addoption("--soak", action="store_true", help="give tests their long budgets")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the hypothesis profile of this run and start counting."""
    settings.load_profile("soak" if config.getoption("--soak") else "test")
    if not hasattr(config, "workerinput"):
        config.stash[FOLDER] = folder = use_memory_folder()
        if folder is not None and config.option.basetemp is None:
            # Short, because sockets lie in it.
            config.option.basetemp = str(folder / "p")
        # Workers and the many processes that tests start would compile all modules again, each of them.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # Whoever starts a run in the background may have told it to ignore these; what is tested must not inherit that.
    for number, otherwise in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, otherwise)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Ledger(config.rootpath), "tacit-ledger")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make what a test logged or printed fit to travel: tests here use texts that no encoding holds."""
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server of this run, if one was started."""
    factory = getattr(config, "_tmp_path_factory", None)
    if not hasattr(config, "workerinput") and factory is not None:
        stop(factory.getbasetemp() / "postgres")
    if (folder := config.stash.get(FOLDER, None)) is not None and config.stash.get(PASSED, False):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Note whether there is something to look at in the files of this run."""
    session.config.stash[PASSED] = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only `make soak` runs, before `-m` and `-k` choose among the rest."""
    long = {item for item in items if any(m.kwargs.get("only") for m in item.iter_markers("soak"))}
    served = [item for item in items if _is_flow_on_postgres(item)]
    for item in served:
        item.user_properties.append((VERBS, len(served)))
    if config.getoption("--soak"):
        for item in served:
            item.add_marker(pytest.mark.soak)
        return
    long.update(set(served) - _sample(served))
    if long:
        config.hook.pytest_deselected(items=[item for item in items if item in long])
        items[:] = [item for item in items if item not in long]


def pytest_collection_finish() -> None:
    """Take what was imported and collected out of the collector's sight: it stays, and each search costs a second.

    What tests leave in cycles is searched for less often, too.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 10)


def _is_flow_on_postgres(item: pytest.Item) -> bool:
    spec = getattr(item, "callspec", None)
    if spec is None or item.get_closest_marker("sqlite_only"):
        return False
    return "engine" in item.fixturenames and spec.params.get("engine") == "postgres"


def _sample(items: list[pytest.Item]) -> set[pytest.Item]:
    """Choose by the tests' names, so that everybody's run has the same ones: some of each module, at least one."""
    modules: dict[Path, list[tuple[int, pytest.Item]]] = defaultdict(list)
    for item in items:
        lot = int.from_bytes(hashlib.sha256(item.nodeid.encode()).digest()[:8])
        modules[item.path].append((lot, item))
    chosen = set()
    for drawn in modules.values():
        chosen.add(min(drawn, key=lambda one: one[0])[1])
        chosen.update(item for lot, item in drawn if lot % VERBS_SAMPLE == 0)
    return chosen


@pytest.fixture(autouse=True)
def quiet_logs() -> Iterator[None]:
    """Put the loggers back as the library leaves them: a command that runs in this process sets them up for itself."""
    root = logging.getLogger("tacit")
    before = root.handlers[:], root.level, root.propagate
    yield
    root.handlers[:], root.level, root.propagate = before


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test its own HOME and TACIT_HOME and hide any agent that started the test run.

    Its path is short whatever pytest calls the folder of this run: the path of a socket holds about 100 characters.
    """
    for name in list(os.environ):
        if name.startswith(FOREIGN) or name in FOREIGN_XDG:
            monkeypatch.delenv(name)
    with tempfile.TemporaryDirectory(prefix="t-", ignore_cleanup_errors=True) as name:
        home = Path(name).resolve()
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("TACIT_HOME", str(home / "tacit"))
        monkeypatch.setenv("NO_COLOR", "1")
        yield home / "tacit"


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Server]:
    """The PostgreSQL of this run, shared by all its workers."""
    if why := missing():
        pytest.skip(why)
    root = tmp_path_factory.getbasetemp()
    # A worker's folder lies inside the run's.
    yield shared_server((root.parent if hasattr(request.config, "workerinput") else root) / "postgres")


@pytest.fixture
def database(postgres_server: Server) -> Iterator[Database]:
    """An empty database."""
    with fresh_database(postgres_server) as made:
        yield made


@pytest.fixture
def budget(request: pytest.FixtureRequest) -> Callable[..., int]:
    """Return `budget(short, soak=long)`: how much of something this run can afford."""

    def choose(short: int, *, soak: int) -> int:
        return soak if request.config.getoption("--soak") else short

    return choose


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return `figures(name, value, fold="sum")`: record a figure that is printed at the end of the run.

    Numbers of one name are folded over all tests (sum, max or min); texts, such as seeds, are listed.
    """

    def record(name: str, value: float | str, *, fold: str = "sum") -> None:
        if fold not in FOLDS:
            raise ValueError(f"fold {fold!r} is unknown; choose one of {', '.join(FOLDS)}")
        request.node.user_properties.append(("figure", [name, fold, value]))

    return record


class _Ledger:
    """Add up cost and figures from the reports that reach the controlling process."""

    def __init__(self, root: Path) -> None:
        self._tests = root / "tests"
        self._seconds: dict[str, float] = defaultdict(float)
        self._count: dict[str, int] = defaultdict(int)
        self._stores: dict[str, int] = defaultdict(int)
        self._figures: dict[tuple[str, str], list[float | str]] = defaultdict(list)
        self._verbs, self._all_verbs = 0, 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Book one phase of one test."""
        parts = Path(report.nodeid.split("::", 1)[0]).parts
        inside = parts[1:] if parts and parts[0] == "tests" else parts
        area = inside[0] if len(inside) > 1 else "top"
        self._seconds[area] += report.duration
        if report.when == "call" and (store := _store_of(area, report.nodeid)):
            self._stores[store] += 1
        for key, value in report.user_properties:
            if key == VERBS:
                self._all_verbs = value
                self._verbs += report.when == "call" and not report.skipped
        if report.when != "teardown":
            return
        self._count[area] += 1
        for key, value in report.user_properties:
            if key == "figure":
                name, fold, amount = value
                self._figures[name, fold].append(amount)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the lines."""
        costs = sorted(self._seconds.items(), key=lambda cost: -cost[1])
        line = ", ".join(f"{area} {seconds:.1f} s ({self._count[area]})" for area, seconds in costs)
        terminalreporter.write_line(f"areas: {line or 'none ran'}")
        if self._stores:
            counts = (f"{store} {count} tests" for store, count in sorted(self._stores.items()))
            terminalreporter.write_line(f"stores: {', '.join(counts)}")
        if self._all_verbs:
            terminalreporter.write_line(f"{VERBS}: {self._verbs} of {self._all_verbs}; all with make soak")
        if self._figures:
            shown = [f"{name} {_fold(fold, values)}" for (name, fold), values in sorted(self._figures.items())]
            terminalreporter.write_line(f"figures: {', '.join(shown)}")


def _store_of(area: str, nodeid: str) -> str:
    """Name the store a test runs on, as far as it tells: by its area, the name of its contract, or its parameter."""
    if area == "server":
        return "postgres"
    name = nodeid.rpartition("::")[0].rpartition("::")[2] if "::Test" in nodeid else nodeid.partition("[")[2]
    return next((store for store in ("sqlite", "postgres") if area in STORES_IN and store in name.lower()), "")


def _fold(fold: str, values: list[float | str]) -> str:
    numbers = [v for v in values if not isinstance(v, str)]
    texts = [v for v in values if isinstance(v, str)]
    return " ".join(([f"{FOLDS[fold](numbers):,.10g}"] if numbers else []) + texts)
