"""The user's own `config.toml`: read every setting with where it comes from, and change one value in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from tacit.app.config import CONFIG_FILE, PROJECT_FILE, ConfigFile, Settings, check_config, given_variables
from tacit.errors import ConfigError, UsageError
from tacit.files.atomic import write_atomic
from tacit.files.settings_files import settings_file
from tacit.files.toml_edit import with_value
from tacit.model.settings import Severity
from tacit.store.server_url import shown
from tacit.text.safe_toml import read_toml

if TYPE_CHECKING:
    from tacit.app.open import Caller

DEFAULT, ENVIRONMENT = "default", "environment"
SEVERITY = "guard.severity"
SEVERITIES: tuple[Severity, ...] = ("allow", "ask", "deny")
# What is safer when it is lower, when it is true, when its list is shorter, and in which order words are stricter.
_LOWER = frozenset({
    "limits.title_chars", "limits.body_bytes", "limits.payload_bytes", "limits.tags", "limits.tag_chars",
    "context.facts", "context.budget_tokens", "hooks.budget_tokens", "recall.agent_limit", "replay.most_depth",
    "llm.tokens_per_day",
})  # fmt: skip
_TRUE = frozenset({"memdir.off", "memdir.ask"})
_SHORTER = frozenset({"person_scripts", "guard.off", "replay.env", "hooks.ignore", "sessions.hosts", "memdir.types"})
_BY_PROJECT = ("limits.", "context.", "memdir.", f"{SEVERITY}.")
_STRICTER = {
    "loop.speak": ("off", "context", "stop-once"), "llm.use": ("http", "off"),
    "sessions.keep": ("turns", "recap", "none"), "sessions.store": ("team", "local"),
}  # fmt: skip


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: its value, and where the value comes from."""

    key: str
    value: Any
    source: str
    """`default`, `config.toml`, `.tacit.toml` or `environment`."""
    variable: str = ""
    """The variable, if it comes from the environment."""


def config_text(home: Path) -> str:
    """Return the text of the file; empty if there is none."""
    file = settings_file(home, CONFIG_FILE, own=True)
    return file.content() if file else ""


def write_config(home: Path, text: str) -> Path:
    """Write the file, and return its path. A link to it stays one."""
    path = home / CONFIG_FILE
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(path.resolve() if path.is_symlink() else path, text.encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}", "check TACIT_HOME") from None
    return path


def all_settings(settings: Settings) -> list[Setting]:
    """Return every setting that `config.toml` may have, as it holds here."""
    content = read_toml(config_text(settings.home), CONFIG_FILE)
    here, given = dict(_effective(settings, content)), given_variables()
    file = dict(_flat(msgspec.to_builtins(check_config(content, settings.home / CONFIG_FILE, settings.cwd))))
    found = []
    for key, value in here.items():
        by_project = key.startswith(_BY_PROJECT) and plain_value(file.get(key)) != plain_value(value)
        source = ENVIRONMENT if key in given else PROJECT_FILE if by_project else _file_or_default(content, key)
        found.append(Setting(key=key, value=plain_value(value), source=source, variable=given.get(key, "")))
    return found


def setting(settings: Settings, key: str) -> list[Setting]:
    """Return the setting with this key, or all settings of a table."""
    found = [one for one in all_settings(settings) if one.key == key or one.key.startswith(f"{key}.")]
    if not found:
        raise _unknown(key)
    return found


def set_value(settings: Settings, caller: Caller, key: str, text: str) -> tuple[Path, Any, Any]:
    """Set a value in the file; return its path, the value before and the new one. Only a person may loosen."""
    path = settings.home / CONFIG_FILE
    before = config_text(settings.home)
    content = read_toml(before, CONFIG_FILE)
    old = _old_value(check_config(content, path, settings.cwd), key)
    value = _parsed(key, text)
    if value != old and caller.origin.actor != "user" and not is_tighter(key, old, value):
        from tacit.app.person_actions import person_only

        person_only(caller, f"set {key} to this: an agent may only make settings stricter")
    after = _with(before, key, value, content)
    try:
        check_config(read_toml(after, CONFIG_FILE), path, settings.cwd)
    except ConfigError as error:
        said = error.message.removeprefix(f"{path}: ")
        raise UsageError(f"{text[:80]!r} cannot be the value of {key}: {said}", error.hint) from None
    return write_config(settings.home, after), old, value


def is_tighter(key: str, old: Any, new: Any) -> bool:
    """Return whether a value is certainly stricter than another. What is not certain is for a person."""
    if key in _LOWER:
        return bool(new <= old)
    if key in _TRUE:
        return new is True
    if key in _SHORTER:
        return set(new) <= set(old)
    if key.startswith(f"{SEVERITY}."):
        # Without a setting of the user, the rule's own severity holds, which may be any.
        return bool(new == "deny" or (old == "allow" and new == "ask"))
    order = _STRICTER.get(key)
    return bool(order and old in order and new in order and order.index(new) >= order.index(old))


def plain_value(value: Any) -> Any:
    """Return a value as the file writes it; the address of a server without its password."""
    if isinstance(value, str) and value.startswith(("postgresql://", "postgres://")):
        return shown(value)
    return list(value) if isinstance(value, tuple) else value


def _with(text: str, key: str, value: Any, content: Mapping[str, Any]) -> str:
    if not key.startswith(f"{SEVERITY}."):
        return with_value(text, key.split("."), value, CONFIG_FILE)
    rule, known = key.removeprefix(f"{SEVERITY}."), content.get("guard", {}).get("severity", {})
    try:
        return with_value(text, ("guard", "severity", rule), value, CONFIG_FILE)
    except UsageError:
        # The rules stand in one line.
        return with_value(text, ("guard", "severity"), {**known, rule: value}, CONFIG_FILE)


def _old_value(file: ConfigFile, key: str) -> Any:
    known = dict(_flat(msgspec.to_builtins(file)))
    if key.startswith(f"{SEVERITY}.") and key != f"{SEVERITY}.":
        return known.get(key, "")
    if key not in _types():
        raise _unknown(key)
    return known[key]


def _parsed(key: str, text: str) -> Any:
    """Return a value from the command line with the type of its setting."""
    kind = Severity if key.startswith(f"{SEVERITY}.") else _types()[key]
    if get_origin(kind) is Literal and text not in (choices := get_args(kind)):
        values = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise UsageError(f"{text[:80]!r} cannot be the value of {key}", f"it may be {values}; see docs/formats.md")
    if get_origin(kind) is tuple and not _is_list_of_texts(kind):
        raise UsageError(f"{key} is a list of tables", "write it into the file by hand: `tacit config path` names it")
    try:
        if get_origin(kind) is tuple:
            return _list(text)
        if kind is str or (get_origin(kind) is not None and all(isinstance(one, str) for one in get_args(kind))):
            return text
        return msgspec.convert(text.strip(), type=kind, strict=False)
    except (msgspec.ValidationError, ConfigError, KeyError) as error:
        raise UsageError(f"{text[:80]!r} cannot be the value of {key}: {error}", "see docs/formats.md") from None


def _list(text: str) -> list[str]:
    """Return a list given as TOML, or as words with commas between them."""
    if text.strip().startswith("["):
        return [str(one) for one in read_toml(f"list = {text}", "the value")["list"]]
    return [one.strip() for one in text.split(",") if one.strip()]


def _is_list_of_texts(kind: Any) -> bool:
    inner = get_args(kind)[0]
    return inner is str or all(isinstance(one, str) for one in get_args(inner) or (None,))


def _types() -> dict[str, Any]:
    """Return the type of every key that can be set, in the order of the file."""
    found: dict[str, Any] = {}
    for name, kind in get_type_hints(ConfigFile, include_extras=True).items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            inner = get_type_hints(kind, include_extras=True)
            found |= {f"{name}.{field}": one for field, one in inner.items() if f"{name}.{field}" != SEVERITY}
        else:
            found[name] = kind
    return found


def _flat(content: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _effective(settings: Settings, content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return every setting as it holds, by its key in the file."""
    whole = msgspec.to_builtins(settings, enc_hook=str)
    guard = {**dict(settings.guard.severity), **dict(settings.guard.project_severity)}
    places = {"llm": "thinking", "memdir": "memdir_rules", "log": "log_level"}
    for key in _types():
        table, _dot, name = key.partition(".")
        if key == "guard.off":
            yield key, content.get("guard", {}).get("off", [])
        elif key == "sessions.hosts":
            yield key, settings.hosts
        elif key == "memdir.off":
            yield key, settings.memdir_off
        else:
            value = whole[places.get(table, table)]
            yield key, value[name] if name else value
    yield from ((f"{SEVERITY}.{rule}", severity) for rule, severity in guard.items())


def _file_or_default(content: Mapping[str, Any], key: str) -> str:
    return CONFIG_FILE if key in dict(_flat(content)) else DEFAULT


def _unknown(key: str) -> UsageError:
    from difflib import get_close_matches

    names = [*_types(), SEVERITY]
    tails = {name.rpartition(".")[2]: name for name in names}
    nearest = get_close_matches(key, names, 1, 0.5) or [tails[one] for one in get_close_matches(key, tails, 1)]
    hint = f"did you mean {nearest[0]}? " if nearest else ""
    return UsageError(f"there is no setting {key[:80]!r}", f"{hint}`tacit config get` lists all settings")
