"""Settings: the only reader of the environment and of TOML. A project's own file may tighten, never loosen."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from tacit.errors import ConfigError, TacitError
from tacit.files.off_switch import project_switch
from tacit.files.possible_values import possible_values
from tacit.files.project_id import git_root, project_ids
from tacit.files.settings_files import settings_file
from tacit.memdir.folder import OFF, is_off, memdir_path
from tacit.model.settings import (
    REPLAY_DEPTH,
    ContextRules,
    EmbedderSettings,
    GuardSettings,
    HookRules,
    Limits,
    LlmSettings,
    LoopRules,
    MemdirRules,
    RecallRules,
    RedactSettings,
    ReplayRules,
    SessionRules,
    Severity,
    UpkeepRules,
)
from tacit.text.safe_toml import read_toml

if TYPE_CHECKING:
    from tacit.agents.transcript_locations import TranscriptLocation

CONFIG_FILE = "config.toml"
PROJECT_FILE = ".tacit.toml"
_MOST_NOTICES = 20
_MOST_SHOWN = 300
LOCAL = "local"
"""The tenant of whoever names none."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set, after environment, files and defaults were combined."""

    home: Path
    store: str
    user: str
    cwd: Path
    project: str = ""
    place: str = ""
    """The id of the project by its folder; the project's own id if it has no git remote."""
    scope: str = ""
    tenant: str = LOCAL
    log_level: str = "warning"
    log_format: str = "human"
    off: str = ""
    off_by_project: bool = False
    """Whether only the project says so: that ends capture and injection, never the guard."""
    broken: str = ""
    """What is wrong with `config.toml`, where the rest stands as if it were not there."""
    notices: tuple[str, ...] = ()
    person_scripts: tuple[str, ...] = ()
    limits: Limits = Limits()
    recall: RecallRules = RecallRules()
    context: ContextRules = ContextRules()
    maintain: UpkeepRules = UpkeepRules()
    embedder: EmbedderSettings = EmbedderSettings()
    thinking: LlmSettings = LlmSettings()
    redact: RedactSettings = RedactSettings()
    guard: GuardSettings = GuardSettings()
    replay: ReplayRules = ReplayRules()
    hooks: HookRules = HookRules()
    loop: LoopRules = LoopRules()
    memdir: str = ""
    """Where the written memory of this project lies."""
    memdir_off: bool = False
    memdir_rules: MemdirRules = MemdirRules()
    sessions: SessionRules = SessionRules()
    hosts: tuple[str, ...] = ()
    """Further folders in which agents keep their transcripts, as a person says."""
    replay_depth: int = 0
    """How many replays this process runs inside of."""


VARIABLES = {
    "store": "TACIT_STORE", "tenant": "TACIT_TENANT", "user": "TACIT_USER", "log": "TACIT_LOG",
    "log_format": "TACIT_LOG_FORMAT", "embedder.use": "TACIT_EMBEDDER",
}  # fmt: skip
"""The settings that the environment can give, and its variables."""


class _Guard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[guard]`: the severity of rules, by their id."""

    severity: dict[str, Severity] = {}


class _OwnGuard(_Guard, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[guard]` of a person's own file, which may also switch the guard off in hooks."""

    off: tuple[str, ...] = ()
    """The projects in which hooks do not guard, by their ids; `all` means everywhere."""


class _ProjectMemdir(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[memdir]` of a project, which may set `ask` and `off` only."""

    off: bool = False
    ask: bool = False


class _ProjectSessions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[sessions]` of a project, which may lower what is kept, never raise it."""

    keep: Literal["turns", "recap", "none"] = "turns"


class _Sessions(SessionRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[sessions]`: what is kept, and further folders in which agents keep their transcripts."""

    hosts: tuple[str, ...] = ()


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `config.toml` may contain."""

    store: str = ""
    tenant: str = ""
    user: str = ""
    log: str = ""
    log_format: str = ""
    person_scripts: tuple[str, ...] = ()
    limits: Limits = Limits()
    recall: RecallRules = RecallRules()
    context: ContextRules = ContextRules()
    maintain: UpkeepRules = UpkeepRules()
    embedder: EmbedderSettings = EmbedderSettings()
    llm: LlmSettings = LlmSettings()
    redact: RedactSettings = RedactSettings()
    guard: _OwnGuard = _OwnGuard()
    replay: ReplayRules = ReplayRules()
    hooks: HookRules = HookRules()
    loop: LoopRules = LoopRules()
    memdir: MemdirRules = MemdirRules()
    sessions: _Sessions = _Sessions()


class _ProjectFile(msgspec.Struct, frozen=True, kw_only=True):
    """What `.tacit.toml` in a project may contain: it can only restrict.

    Anything else in the file is reported and ignored.
    """

    off: bool = False
    limits: dict[str, int] = {}
    context: dict[str, int] = {}
    guard: _Guard = _Guard()
    memdir: _ProjectMemdir = _ProjectMemdir()
    sessions: _ProjectSessions = _ProjectSessions()


def home_of(env: Mapping[str, str]) -> Path:
    """Return the data root. Works without settings, because the settings file is inside it."""
    return Path(env.get("TACIT_HOME") or Path(env.get("HOME") or Path.home()) / ".tacit").expanduser().absolute()


def load_settings(env: Mapping[str, str], cwd: Path) -> Settings:
    """Read everything that can be set: environment over file over default, then the project's own limits."""
    file = _shaped(home_of(env) / CONFIG_FILE, _parsed(home_of(env), CONFIG_FILE, own=True), ConfigFile)
    settings = _settled(env, cwd, file)
    memdir = str(memdir_path(settings.home, settings.project, env))
    return _tightened(msgspec.structs.replace(settings, memdir=memdir))


def settings_or_defaults(env: Mapping[str, str], cwd: Path) -> Settings:
    """Read the settings; if `config.toml` is broken, return the defaults, with what is wrong.

    This is for callers that must work with broken settings: the guard in a hook, `tacit status` and `tacit doctor`.
    """
    try:
        return load_settings(env, cwd)
    except TacitError as error:
        return default_settings(env, cwd, error.message)


def default_settings(env: Mapping[str, str], cwd: Path, broken: str) -> Settings:
    """Return the settings as if `config.toml` did not exist, with what is wrong with that file."""
    calm = {name: value for name, value in env.items() if name != "TACIT_EMBEDDER"}
    return msgspec.structs.replace(_tightened(_settled(calm, cwd, ConfigFile())), broken=broken)


def _settled(env: Mapping[str, str], cwd: Path, file: ConfigFile) -> Settings:
    home = home_of(env)
    remote, place = project_ids(cwd)
    project = remote or place
    user = env.get("TACIT_USER") or file.user or _login(env)
    return Settings(
        home=home, store=env.get("TACIT_STORE") or file.store or str(home / "memory.db"), user=user, cwd=cwd,
        project=project, place=place, scope=env.get("TACIT_SCOPE", ""),
        tenant=env.get("TACIT_TENANT") or file.tenant or LOCAL, log_level=_level(env, file),
        log_format=env.get("TACIT_LOG_FORMAT") or file.log_format or "human",
        off=_off(env, home, project, place),
        person_scripts=file.person_scripts if home == account_home() / ".tacit" else (),
        limits=file.limits, recall=file.recall, context=file.context,
        maintain=file.maintain, embedder=_embedder(env, file.embedder), thinking=_thinking(file.llm),
        redact=file.redact,
        guard=GuardSettings(
            severity=tuple(file.guard.severity.items()), off=_unguarded(file.guard, project),
            off_somewhere=bool(file.guard.off),
        ),
        replay=file.replay,
        hooks=file.hooks, loop=file.loop,
        memdir_off=is_off(env) or file.memdir.off,
        memdir_rules=file.memdir,
        hosts=file.sessions.hosts, sessions=_session_rules(file.sessions),
        replay_depth=_depth(env.get(REPLAY_DEPTH, "")),
    )  # fmt: skip


def _session_rules(given: _Sessions) -> SessionRules:
    return SessionRules(**{name: getattr(given, name) for name in SessionRules.__struct_fields__})


def _off(env: Mapping[str, str], home: Path, project: str, place: str) -> str:
    if env.get("TACIT_OFF", "0") not in ("", "0"):
        return "TACIT_OFF is set"
    # A project that was switched off stays off when it gets a git remote, and with it another id.
    return "switched off for this folder" if place != project and project_switch(home, place).exists() else ""


def _unguarded(guard: _OwnGuard, project: str) -> str:
    named = next((name for name in guard.off if name == "all" or (project and name == project)), "")
    return f"[guard] off in {CONFIG_FILE} names {named}" if named else ""


def given_variables() -> dict[str, str]:
    """Return the settings that the environment gives now, and the variable of each."""
    off = next((name for name in OFF if is_off({name: os.environ.get(name, "")})), "")
    given = {key: name for key, name in VARIABLES.items() if os.environ.get(name)}
    return given | ({"memdir.off": off} if off else {})


def check_config(content: dict[str, Any], path: Path, cwd: Path) -> ConfigFile:
    """Check the content of a `config.toml` as loading it does, and return it."""
    file: ConfigFile = _shaped(path, content, ConfigFile)
    _settled({"HOME": str(path.parent), "TACIT_HOME": str(path.parent)}, cwd, file)
    return file


def settings_of(folder: Path) -> Settings:
    """Read the settings that hold in another folder: its project may have switched capture off."""
    return load_settings(os.environ, folder)


def agent_sources(cwd: Path) -> list[TranscriptLocation]:
    """List the folders in which agents keep transcripts, honouring the variables by which an agent moves its folder."""
    from tacit.agents.transcript_locations import sources

    return sources(Path(os.environ.get("HOME") or Path.home()), os.environ, cwd)


def host_roots(settings: Settings, store: str) -> tuple[str, ...]:
    """List the folders in which agents keep transcripts that count as evidence; transcripts elsewhere do not count.

    The folders are below the home directory that contains the store, or below the account's home directory. Environment
    variables that move folders do not count, because any process can set them.
    """
    from tacit.agents.transcript_locations import sources

    own = account_home()
    named, home = Path(os.environ.get("HOME") or own).absolute(), settings.home.resolve()
    inside = Path(store).is_relative_to(home)
    base = named if inside and home.parent == named.resolve() else own
    more = settings.hosts if inside or home == own.resolve() / ".tacit" else ()
    return (*(one.root for one in sources(base, {})), *(str(Path(root).expanduser()) for root in more))


def account_home() -> Path:
    """Return the home directory of the account from the system's user database, because any process can set $HOME."""
    return Path(pwd.getpwuid(os.getuid()).pw_dir)


def _depth(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


def _level(env: Mapping[str, str], file: ConfigFile) -> str:
    return (env.get("TACIT_LOG") or file.log or "warning").lower()


def _embedder(env: Mapping[str, str], settings: EmbedderSettings) -> EmbedderSettings:
    use = env.get("TACIT_EMBEDDER") or settings.use
    if use not in ("auto", "static", "http", "off"):
        raise ConfigError(f"embedder {use[:40]!r} is unknown", "use auto, static, http or off")
    if use == "http" and not (settings.url and settings.model):
        raise ConfigError("the http embedder needs a url and a model", "set [embedder] url and model in config.toml")
    return msgspec.structs.replace(settings, use=use)


def _thinking(settings: LlmSettings) -> LlmSettings:
    if settings.use == "http" and not (settings.url and settings.model):
        raise ConfigError("the language model needs a url and a model", "set [llm] url and model in config.toml")
    return settings


def _login(env: Mapping[str, str]) -> str:
    try:
        # Not from the environment: the helper has another one than its callers, and writes into the same scopes.
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = env.get("USER") or env.get("LOGNAME") or "me"
    return "".join(char if char.isalnum() or char in "-_.@" else "_" for char in name)[:100] or "me"


def _parsed(folder: Path, name: str, *, own: bool) -> dict[str, Any]:
    file = settings_file(folder, name, own=own)
    return read_toml(file.content(), file.path) if file else {}


def _shaped(path: Path, content: dict[str, Any], shape: type[Any]) -> Any:
    try:
        return msgspec.convert(content, type=shape)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {str(error)[:_MOST_SHOWN]}", possible_values(shape, str(error))) from None


def _tightened(settings: Settings) -> Settings:
    """Apply the project's own file: lower limits and off switches count, everything else is reported and ignored."""
    root = git_root(settings.cwd)
    if root is None:
        return settings
    try:
        content = _parsed(root, PROJECT_FILE, own=False)
        file: _ProjectFile = _shaped(root / PROJECT_FILE, content, _ProjectFile)
    except ConfigError as error:
        # A broken file of somebody's repository must not switch the memory off.
        return msgspec.structs.replace(settings, notices=(*settings.notices, f"ignored: {error.message}"))
    foreign = sorted(set(content) - set(_ProjectFile.__struct_fields__))
    notices = [*settings.notices, *(f"ignored: {PROJECT_FILE} may not set {name[:60]}" for name in foreign)]
    limits, context = (
        _lowered(part, wanted, notices)
        for part, wanted in ((settings.limits, file.limits), (settings.context, file.context))
    )
    off = settings.off or (f"{PROJECT_FILE} of this project says so" if file.off else "")
    by_project = file.off and not settings.off
    guard = msgspec.structs.replace(settings.guard, project_severity=tuple(file.guard.severity.items()))
    return msgspec.structs.replace(
        settings,
        limits=limits,
        context=context,
        off=off,
        off_by_project=by_project,
        guard=guard,
        memdir_off=settings.memdir_off or file.memdir.off,
        memdir_rules=msgspec.structs.replace(settings.memdir_rules, ask=settings.memdir_rules.ask or file.memdir.ask),
        sessions=settings.sessions.at_most(file.sessions.keep),
        notices=first_few(notices),
    )


def first_few(notices: Sequence[str]) -> tuple[str, ...]:
    """Return the first notices and how many more there are: a file may cause thousands."""
    more = len(notices) - _MOST_NOTICES
    return (*notices[:_MOST_NOTICES], *([f"and {more:,} more like these"] if more > 0 else []))


_LOWERED = frozenset({*Limits.__struct_fields__, "facts", "budget_tokens"})


def _lowered(part: Any, wanted: dict[str, int], notices: list[str]) -> Any:
    kept = {}
    for name, value in wanted.items():
        current = getattr(part, name, None)
        if name in _LOWERED and isinstance(current, int) and 1 <= value <= current:
            kept[name] = value
        else:
            notices.append(f"ignored: {PROJECT_FILE} may only lower {name[:60]}")
    return msgspec.structs.replace(part, **kept)
