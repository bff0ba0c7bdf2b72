"""Decide from a few stored values that nothing learned concerns a command: neither to tell before it nor to note after.

The full path decides with whole records. What is said to be quiet here, the full path finds quiet too, never the other
way round; a test compares the two. This module imports as little as possible, because the cold path of a hook loads it.
"""

from __future__ import annotations

from tacit.failures.rules.cause_keys import NAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SEEN = "failure.seen"
PASSED = "failure.passed"
"""What failed worked: the cause is gone until it fails again."""
SETTLED = "failure.settled"
"""The same program and subcommand worked with other words."""
LOOK_BACK = 2_000
"""How many events a hook searches backwards for what a command fixes or follows."""
# What is only guessed from a sequence of commands, or doubtful, does not interrupt.
SURE = 0.6
# Named by nothing in the command: told as long as the program and subcommand did not work since.
_UNNAMED = frozenset({"syntax", "network", "auth", "permission", "remote", "state", "usage"})
LOOSE_KINDS = _UNNAMED | {"module"}
"""The kinds of causes that another command of the same program and subcommand may meet."""
# With these a rule begins ("never …"), in any case.
_ORDERS = ("we", "never", "don", "do", "stop", "avoid", "always")


def may_be_loose(kind: str, subject: str) -> bool:
    """Return whether a failure is matched by its program alone, because what its error names is in no command."""
    if kind == "module":
        return "py" in subject.split(" ")[0]
    return kind in _UNNAMED and (kind != "syntax" or " -" in subject)


def may_settle(kind: str) -> bool:
    """Return whether a cause is settled when the same program and subcommand work with other words."""
    return kind == "path" or kind not in NAMED


def kind_in(key: str) -> str:
    """Return the kind of a cause, with which its key begins."""
    return key.partition(" ")[0]


def is_untold(key: str, subject: str, newest: str, *, exact: bool, in_session: bool) -> bool:
    """Return whether a failure is certainly not told before a command that has its key (`exact`) or its subject.

    `newest` is the type of the newest event about its cause; `in_session` says that it was in the same session.
    """
    if exact:
        return newest == PASSED
    if newest in (PASSED, SETTLED):
        return True
    kind = kind_in(key)
    return not in_session if kind == "path" else not may_be_loose(kind, subject)


def is_unchanged(key: str, newest: str, *, exact: bool) -> bool:
    """Return whether the success of a command with its key or its subject certainly shows nothing new about a cause."""
    return newest == PASSED or (not exact and (newest == SETTLED or not may_settle(kind_in(key))))


def is_unsaid(correction: Mapping[str, Any], words: list[str], command: str) -> bool:
    """Return whether a correction, given as the fields that are stored, is certainly not told before a command."""
    if correction.get("source") == "fix" or correction.get("confidence", 1.0) < SURE:
        return True
    original, corrected = correction["original"].split(), correction["corrected"].strip()
    count = len(original)
    if count and any(words[at : at + count] == original for at in range(len(words) - count + 1)):
        return False
    from tacit.failures.rules.chosen_tools import chosen_tool

    chooses = not original and bool(chosen_tool(corrected))
    if not chooses and not corrected.lower().startswith(_ORDERS):
        return True
    from tacit.failures.rules.person_rules import chosen_instead, speaks_of

    return not speaks_of(corrected, command) and not (chooses and chosen_instead(corrected, command))
