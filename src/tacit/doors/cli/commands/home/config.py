"""config: read the settings and where each comes from, change one, name the file."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tacit.app.config import CONFIG_FILE
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.verb_commands import group
from tacit.files.toml_edit import literal
from tacit.model.payload import plain

_KEEPS = ("none", "recap", "turns")
_RAISED = (
    "sessions that were imported before get theirs by `tacit sessions import`, with the files you named then if you "
    "named some"
)
_LOWERED = "what is kept already stays and is still found; `tacit sessions drop` deletes it, in the project you are in"

config = group("config", "Settings: read them, change one, find the file.")


@config.command("get")
@click.argument("key", default="")
@whole_scope
def get(call: CommandCall, key: str) -> None:
    """Show the settings and where each comes from: default, config.toml, the project's .tacit.toml, environment.

    KEY is the name of one setting, such as loop.speak, or of a table, such as loop; without it, all are shown.
    """
    from tacit.app.config_file import all_settings, setting

    found = setting(call.settings, key) if key else all_settings(call.settings)
    document = {"settings": [plain(one) for one in found]}

    def show() -> None:
        from tacit.doors.cli.render import table

        rows = [(one.key, literal(one.value), one.variable or one.source) for one in found]
        table(["setting", "value", "from"], rows, empty="no settings")

    call.answer("config", document, show)


@config.command("set")
@click.argument("key")
@click.argument("value")
@whole_scope
def set_(call: CommandCall, key: str, value: str) -> None:
    """Set one value in config.toml; comments and everything else in the file stay.

    The value is checked as it is when the file is read. An agent may only make settings stricter. A list is given with
    commas, or as TOML: '["a", "b"]'. Names of guard rules follow guard.severity: guard.severity.git.restore.

    Settings with only some values: sessions.keep (turns, recap, none), sessions.store (local, team), loop.speak
    (stop-once, context, off), llm.use (off, http), recall.conversation (model, formula, off).
    """
    from tacit.app.config_file import plain_value, set_value

    path, old, new = set_value(call.settings, call.caller, key, value)
    old, new = plain_value(old), plain_value(new)
    then = _not_by_itself(key, old, new)
    document: dict[str, Any] = {"key": key, "value": new, "before": old, "path": str(path), "notices": then}

    def show() -> None:
        from tacit.doors.cli.render import say

        was = ", as before" if old == new else f"; it was {literal(old)}" if old != "" else ""
        say(f"{key} is {literal(new)} in {path}{was}", *then)

    call.answer("config_set", document, show)


def _not_by_itself(key: str, old: Any, new: Any) -> list[str]:
    """Return what a changed setting does not do by itself."""
    if key != "sessions.keep" or old == new:
        return []
    return [_RAISED if _KEEPS.index(new) > (_KEEPS.index(old) if old in _KEEPS else 0) else _LOWERED]


@config.command("path")
@partial(whole_scope, tolerate_errors=True)
def path(call: CommandCall) -> None:
    """Name the file with the settings; it need not exist."""
    file = call.settings.home / CONFIG_FILE
    document = {"path": str(file), "exists": file.exists()}

    def show() -> None:
        from tacit.doors.cli.render import say

        say(str(file))

    call.answer("config_path", document, show)
