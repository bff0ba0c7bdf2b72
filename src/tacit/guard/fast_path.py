"""The fast path: recognise a line that is clearly one harmless command, without parsing.

The fast path is safe because of its conditions: no character is special to a shell, no rule, judge or wrapper knows the
program, and no argument names a program that could be run. The full judgement of such a line is `allow`; a test
compares the two.
"""

from __future__ import annotations

from tacit.guard.code.one_liners import is_interpreter
from tacit.guard.hidden_commands import HEADS
from tacit.guard.packs import RulePacks
from tacit.guard.program_judges import JUDGES
from tacit.guard.uncertain_commands import RESERVED
from tacit.shell.plain_command import plain_words
from tacit.shell.powershell.hint import may_be_powershell
from tacit.shell.unwrap import WRAPPERS


def is_plain(command: str, packs: RulePacks) -> bool:
    """Return whether a line is one command that no rule or judge applies to."""
    found = plain_words(command)
    if not found or may_be_powershell(command):
        return False
    name, *words = found
    known = name in JUDGES or name.split(".")[0] in JUDGES or name in WRAPPERS or name in RESERVED
    if known or is_interpreter(name) or packs.of(name):
        return False
    return not any(word in HEADS or word.rsplit("/", 1)[-1] in HEADS for word in words)
