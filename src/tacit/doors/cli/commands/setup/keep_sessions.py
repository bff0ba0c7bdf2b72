"""The question whether the turns of sessions are kept; only a person answers it, and once."""

from __future__ import annotations

import click

from tacit.app.config import CONFIG_FILE
from tacit.app.config_file import config_text, set_value
from tacit.app.open import current_settings
from tacit.doors.cli.command_call import CommandCall
from tacit.text.safe_toml import read_toml

KEEP = "sessions.keep"
_WHAT = (
    "what is asked, answered and run in sessions (on this machine, without secrets; of outputs only error lines and "
    "short results such as test counts)"
)
_QUESTION = f'keep {_WHAT}, so that you can ask "what did we do last time"?'
UNASKED = (
    f'at a terminal, keep {_WHAT}: [sessions] keep = "turns"; `tacit config set sessions.keep none` first keeps nothing'
)
"""What `--yes` does for a person who has not answered."""
_SAID = {
    "turns": "sessions  turns and recaps are kept (`tacit recap` shows them); prompts with #private are left out",
    "none": "sessions  turns and recaps are not kept; `tacit config set sessions.keep turns` changes that",
}


def is_answered(call: CommandCall) -> bool:
    """Return whether it is settled what is kept of sessions."""
    given = read_toml(config_text(call.settings.home), CONFIG_FILE).get("sessions", {})
    return isinstance(given, dict) and "keep" in given


def ask_to_keep_sessions(call: CommandCall, *, yes: bool = False) -> str:
    """Ask a person who has not answered yet, and return a line about what holds; empty if nobody can be asked."""
    if call.caller.origin.actor != "user" or call.as_json or is_answered(call):
        return ""
    try:
        wanted = "turns" if yes or click.confirm(_QUESTION, default=True) else "none"
    except click.Abort:
        return ""  # nobody answers; the question comes again
    set_value(call.settings, call.caller, KEEP, wanted)
    call.settings = current_settings()
    return _SAID[wanted]
