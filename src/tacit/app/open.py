"""Open a memory: build adapters from settings and a Memory from adapters. No other module connects adapters."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import structs

from tacit.app.advice_setup import advice_judges, lexicon_advice, look_from, what_worked
from tacit.app.agent_sessions import NO_SESSION, session_of
from tacit.app.config import Settings, default_settings, home_of, host_roots, load_settings, settings_or_defaults
from tacit.app.local_file import LocalFile
from tacit.app.model_loading import load_embedder, load_llm, semantic_off
from tacit.app.nouns import MemoryNouns
from tacit.app.open_store import SealHeadsFile, choose_vectors, is_server, kept_in_home, locate, open_store
from tacit.app.project_scope import project_wiring, settle_scope
from tacit.app.redactor_setup import Cleaner, finder, load_redactor
from tacit.app.start_helper import LOG, bare_environ, helper_words
from tacit.clock import SystemClock
from tacit.errors import ConfigError, TacitError
from tacit.files.known_stores import KnownStores
from tacit.files.off_switch import off_reason
from tacit.files.project_id import git_root, head_commit
from tacit.memdir.folder import memdir_path
from tacit.model.origin import UNATTENDED, Actor, Origin, on_server
from tacit.model.person import AGENT_MARKERS, actor
from tacit.model.record import Record, replace
from tacit.model.results import DrainReport
from tacit.model.scope import Scope, also_readable, parse_scope, readable
from tacit.model.settings import RedactSettings
from tacit.ports.clock import Clock
from tacit.ports.embedder import Embedder
from tacit.ports.llm import Llm
from tacit.records.connection import Connection, Gone
from tacit.records.scopes import MOST_IN_HOOK
from tacit.records.semantic import SemanticIndex

if TYPE_CHECKING:
    from tacit.app.deferred_work import SpoolTarget
    from tacit.app.memory import Memory
    from tacit.guard.packs import RulePacks
    from tacit.procedures.replay_environment import ReplayEnvironment
    from tacit.run.detached import StartedProcess
    from tacit.sessions.transcript import Transcript

# Agents give a hook 10 seconds. A store that is busy for longer than this gets what there is to keep later.
PATIENCE_S = 2.0


class Caller(msgspec.Struct, frozen=True):
    """Who is calling, as the door determined. A test may pass its own clock, embedder and model."""

    origin: Origin
    clock: Clock
    embedder: Callable[[], Embedder | None] | None = None
    llm: Callable[[], Llm | None] | None = None


class Opened(NamedTuple):
    """A store with everything that a memory needs, and what is to be said about opening it."""

    connection: Connection
    heads: SealHeadsFile
    notices: tuple[str, ...]


def settings_in(folder: Path, *, tolerate_errors: bool = False) -> Settings:
    """Read the settings for another folder. With `tolerate_errors`, broken settings give the defaults."""
    return (settings_or_defaults if tolerate_errors else load_settings)(os.environ, folder)


def home_folder() -> Path:
    """Return the home without reading any settings, because these may be broken."""
    return home_of(os.environ)


def hook_caller(cwd: str = "") -> Caller:
    """Return the caller of a hook: always an agent."""
    return Caller(Origin(actor="agent", session=UNATTENDED, host=_host(), cwd=cwd), SystemClock())


def _host() -> str:
    """Return the name of this machine; `socket` would return the same, and takes longer to import."""
    return os.uname().nodename


def open_memory(
    store: str | Path | None = None, *, scope: str | None = None, also: Sequence[str] = (), create: bool = False
) -> Memory:  # fmt: skip
    """Open a memory by the path or URL of its store; default: the store in the settings.

    A new path becomes a new store, in a folder that exists. The default scope is the project of the working directory,
    or else the user. `also` names teams and skills to read. With `create`, the namespace of the scope may be a new one.
    """
    from tacit import logs
    from tacit.files.home_folder import tighten_home

    settings = current_settings()
    if said := tighten_home(settings.home):
        logs.get(__name__).warning(said)
    caller = current_caller(settings)
    return connect(settings, caller, store=store, scope=scope or "", also=also, new_namespace=create)


def current_settings(*, tolerate_errors: bool = False) -> Settings:
    """Read the settings of this process. With `tolerate_errors`, broken settings give the defaults."""
    if sys.platform == "win32":
        raise ConfigError("tacit runs on Linux and macOS only, for now", "use it inside WSL")
    try:
        found = settings_in(Path.cwd(), tolerate_errors=tolerate_errors)
        return _usable(found) if tolerate_errors else found
    except FileNotFoundError:
        raise ConfigError("the working directory does not exist any more", "change to a folder that exists") from None


def _usable(settings: Settings) -> Settings:
    """Return the settings, or the defaults if a pattern in the settings does not compile."""
    try:
        if settings.redact != RedactSettings():
            Cleaner(settings)("x")
    except ConfigError as error:
        return default_settings(os.environ, settings.cwd, error.message)
    return settings


def current_caller(settings: Settings) -> Caller:
    """Determine who is calling."""
    who = _actor(os.environ, settings)
    agent = next((name for name in os.environ if name.startswith(AGENT_MARKERS)), "") if who == "agent" else ""
    known = session_of(settings.home, os.getppid()) if who == "agent" else NO_SESSION
    origin = Origin(
        actor=who, agent=known.agent or agent, session=known.id or UNATTENDED, host=_host(), cwd=str(settings.cwd)
    )  # fmt: skip
    return Caller(origin, SystemClock())


def _actor(env: Mapping[str, str], settings: Settings) -> Actor:
    ttys = (_is_terminal(sys.stdin), _is_terminal(sys.stderr))
    if actor(env, ttys, ()) == "agent" and not settings.person_scripts:
        return "agent"
    from tacit.run.ancestors import ancestors, program_names

    above = ancestors()
    names = program_names(above)
    granted = {os.path.realpath(Path(script).expanduser()) for script in settings.person_scripts}
    # A grant is for the script an interpreter runs, and never reaches through an agent: with terminals taken for given,
    # only an agent above can still say no.
    scripts = {os.path.realpath(line[1]) for line in above if len(line) > 1 and line[1].startswith("/")}
    if granted & scripts and actor(env, (True, True), names) == "user":
        return "user"
    return actor(env, ttys, names)


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except (ValueError, OSError):
        return False


def connect(
    settings: Settings, caller: Caller, *, store: str | Path | None = None, scope: str = "", also: Sequence[str] = (),
    create: bool = True, at_door: bool = False, patience_s: float = 0.0, new_namespace: bool = True,
) -> Memory:  # fmt: skip
    """Build a memory. Without `create`, a store that does not exist yet reads as empty and nothing is created.

    An agent gets no more hits than the settings allow; `patience_s` is how long a write waits for other writers.
    Without `new_namespace`, a scope that is a namespace must exist.
    """
    from tacit.app.memory import Memory

    opened = _connected(
        settings, caller, store=store, scope=scope, also=also, create=create, at_door=at_door, patience_s=patience_s
    )
    try:
        if not new_namespace:
            opened.connection.require_namespace()
    except BaseException:
        opened.connection.store.close()
        raise
    elsewhere = locate(store, settings) != locate(None, settings)
    drain = partial(_drained, settings, opened.connection, elsewhere)
    return Memory(opened.connection, opened.heads, lambda: replay_environment(settings), opened.notices, drain)


def connect_for_hook(
    settings: Settings, *, create: bool, packs: Callable[[], RulePacks] | None = None
) -> MemoryNouns:  # fmt: skip
    """Build a memory for one hook call. `packs` returns the guard's rules, where the caller has them already."""
    caller = hook_caller(str(settings.cwd))
    opened = _connected(settings, caller, create=create, at_door=True, patience_s=PATIENCE_S, packs=packs)
    return MemoryNouns(opened.connection, opened.heads, lambda: replay_environment(settings), opened.notices)


def _connected(
    settings: Settings, caller: Caller, *, store: str | Path | None = None, scope: str = "", also: Sequence[str] = (),
    create: bool, at_door: bool, patience_s: float, packs: Callable[[], RulePacks] | None = None,
) -> Opened:  # fmt: skip
    """Open the store, and connect to it everything that a memory needs."""
    known = KnownStores(settings.home)
    truth = open_store(locate(store, settings), known, settings.tenant, create=create, patience_s=patience_s)
    try:
        # On a server a person is who they logged in as.
        role = getattr(truth, "user", "")
        user = role or settings.user
        own = parse_scope(scope or settings.scope or _default_scope(settings, user), user)
        extra = also_readable(parse_scope(name, user) for name in also)
    except BaseException:
        truth.close()
        raise
    load = caller.embedder or (lambda: load_embedder(settings.embedder))
    meaning = SemanticIndex(load, choose_vectors(truth, settings), off=semantic_off(settings.embedder))
    connection = Connection(
        store=truth, clock=caller.clock, meaning=meaning, scope=own,
        origin=on_server(caller.origin, role, settings.user), reads=readable(own, user, extra),
        redact=Cleaner(settings), find=finder(settings),
        **advice_judges(settings, packs), **project_wiring(settings, caller.clock), loop=settings.loop,
        sessions=settings.sessions, look=partial(look_from, settings, os.environ),
        lexicon=partial(lexicon_advice, settings), what_worked=what_worked,
        limits=settings.limits, recall=settings.recall, context=settings.context, upkeep=settings.maintain,
        **kept_in_home(settings.home, truth),
        hooks=settings.hooks, thinking=settings.thinking, hosts=lambda: host_roots(settings, locate(store, settings)),
        llm=caller.llm or (lambda: load_llm(settings.thinking)),
        memdir=Path(settings.memdir) if settings.memdir else None,
        memdir_rules=replace(settings.memdir_rules, off=settings.memdir_off or settings.memdir_rules.off),
        gone=_gone(settings), transcripts=_transcripts, remove_topic=_remove_topic,
        most_hits=settings.recall.agent_limit if at_door and caller.origin.actor != "user" else 0,
        switch=lambda: settings.off or off_reason(settings.home, settings.project, caller.clock.now()),
        local=_local_file(settings, caller, locate(store, settings), str(own)),
    )  # fmt: skip
    said = ""
    if truth.lasting and settings.project and not (scope or settings.scope):
        said = settle_scope(connection, settings, most=MOST_IN_HOOK if patience_s else 0)
    if said:
        # The memory directory moved with the rest.
        connection = replace(connection, memdir=memdir_path(settings.home, settings.project, os.environ))
    notices = (*settings.notices, *([said] if said else []))
    return Opened(connection, SealHeadsFile(known, truth), notices)


def _local_file(settings: Settings, caller: Caller, place: str, scope: str) -> LocalFile | None:
    """Return the file for turns and recaps, if the store is a server and they stay in this home."""
    if not is_server(place) or settings.sessions.store != "local":
        return None
    here = settings.home / "sessions.db"
    return LocalFile(
        lambda: (
            _connected(settings, caller, store=here, scope=scope, create=True, at_door=False, patience_s=0.0).connection
        )
    )


def _drained(settings: Settings, connection: Connection, elsewhere: bool) -> DrainReport:
    """Process deferred hook work of this home, and report what failed."""
    from tacit.app.deferred_work import drain_all

    problems = [f"tacit is off here: {connection.off}"] if connection.off else []
    if elsewhere:
        return DrainReport(problems=("queued hook data was not stored: it belongs to the store of the home",))
    drained = drain_all(spool_target(settings, problems.append), early=True)
    return structs.replace(drained, problems=tuple(connection.redact(said[:2_000])[:500] for said in problems))


def spool_target(settings: Settings, tell: Callable[[str], None]) -> SpoolTarget:
    """Return where the deferred hook work of this home is kept, and how its store is opened."""
    from tacit.app.deferred_work import SpoolTarget

    mark = store_mark(settings)

    def opened(cwd: str, scope: str) -> Memory:
        named = Path(cwd) if cwd.startswith("/") and "\0" not in cwd else Path("/")
        there = settings_in(named if named.is_dir() else Path("/"))
        if store_mark(there) != mark:
            raise ConfigError("the settings name another store there", "queued work is kept until they name this store")
        # What waited under the name that the project had before it got a git remote goes where its memory went.
        own = "" if there.place != there.project and scope == f"project:{there.place}" else scope
        return connect(there, hook_caller(str(there.cwd)), scope=own, at_door=True, patience_s=PATIENCE_S)

    return SpoolTarget(settings.home, mark, opened, tell, SystemClock().now)


def store_mark(settings: Settings) -> str:
    """Return a name for a store that does not reveal its address, which may contain a password."""
    return hashlib.sha256(f"{settings.store}\n{settings.tenant}".encode(errors="replace")).hexdigest()[:16]


def replay_environment(settings: Settings, *, tolerate_errors: bool = False) -> ReplayEnvironment:
    """Return what replays need: the shell, the guard, the project's folder.

    With `tolerate_errors`, files of the user's own rules that cannot be read are left out; all other rules hold.
    """
    from tacit.app.guard_setup import guard_judges, sound_packs
    from tacit.procedures.replay_environment import ReplayEnvironment
    from tacit.run.runner import ShellRunner

    judges = guard_judges(settings, sound_packs(settings, tolerate_errors=tolerate_errors))
    return ReplayEnvironment(
        runner=ShellRunner(), guard=judges.guard, guard_write=judges.guard_write,
        root=str(git_root(settings.cwd) or settings.cwd), environ=dict(os.environ),
        commit=head_commit(settings.cwd), depth=settings.replay_depth, rules=settings.replay,
    )  # fmt: skip


def start_server(home: Path, words: list[str]) -> StartedProcess:
    """Start a helper with some arguments in the background; its output goes to a file."""
    from tacit.run.detached import start_detached

    return start_detached(helper_words(*words), home / LOG, bare_environ(str(home), os.environ))


def start_dashboard(settings: Settings, words: list[str], store: str | None, log: Path) -> StartedProcess:
    """Start `tacit open` with some arguments in the background, in the present folder; its errors go to a file."""
    from tacit.run.detached import start_detached

    own = {name: value for name, value in os.environ.items() if name.startswith("TACIT_")}
    # The address of a store may contain a password, and others can read command lines.
    named = {"TACIT_STORE": store} if store else {}
    environ = own | named | bare_environ(str(settings.home), os.environ)
    return start_detached([*helper_words()[:-1], "open", *words], log, environ, str(settings.cwd))


def _gone(settings: Settings) -> Gone:
    """Return a function that lists the names in a text that no longer exist in the working tree."""

    def gone(texts: Sequence[str], most_files: int) -> list[tuple[str, ...]]:
        from tacit.files.working_tree import WorkingTree
        from tacit.text.file_claims import claims_of

        claims = [claims_of(text) for text in texts]
        beside = (Path(settings.memdir),) if settings.memdir else ()
        every = dict.fromkeys(claim for found in claims for claim in found)
        missing = set(WorkingTree(settings.cwd, beside, most_files=most_files).gone(every)) if every else set()
        return [tuple(claim.text for claim in found if claim in missing) for found in claims]

    return gone


def _transcripts(path: Path, agent: str) -> Iterable[Transcript]:
    """Read the sessions of a transcript file; the readers of every agent are loaded when one is read."""
    from tacit.agents.transcripts import transcripts

    return transcripts(path, agent)


def _remove_topic(c: Connection, note: Record) -> bool:
    """Remove the topic file of a note that is being forgotten; return False if the file changed since the last sync."""
    from tacit.memdir.topic_notes import remove_file

    return remove_file(c, note)


def _default_scope(settings: Settings, user: str) -> str:
    return f"project:{settings.project}" if settings.project else str(Scope("user", user))


def adopt_memdir(settings: Settings, caller: Caller, folder: Path | None) -> Path:
    """Set this project's memory directory to a folder, or to Claude Code's own, and return it. Only a person may."""
    from tacit.app.person_actions import person_only
    from tacit.memdir.adopted import adopt, claude_folder

    person_only(caller, "choose the memory directory")
    own = claude_folder(Path(os.environ.get("HOME") or Path.home()), git_root(settings.cwd) or settings.cwd)
    chosen = Path(os.path.normpath(settings.cwd / folder.expanduser())) if folder else own
    return adopt(settings.home, settings.project, chosen)


def release_memdir(settings: Settings, caller: Caller) -> Path:
    """Move this project's memory directory back to tacit's home, and return its path. Only a person may do this."""
    from tacit.app.person_actions import person_only
    from tacit.memdir.adopted import release

    person_only(caller, "choose the memory directory")
    release(settings.home, settings.project)
    return memdir_path(settings.home, settings.project, os.environ)


def redact_error(text: str, ids: frozenset[str] = frozenset()) -> str:
    """Redact an error message, but for ids that its reader has typed. This works with broken settings too."""
    try:
        return load_redactor(current_settings(), ids).clean(text)
    except TacitError:
        from tacit.redact import Redactor

        return Redactor(lambda _secret: "0" * 8, allow=ids).clean(text)
