"""Classes of lines that run a command from an unusual place: the harmful ones stop, their neighbours stay quiet."""

from __future__ import annotations

import pytest

from tacit.guard.judge import judge
from tests.guard.shell_class_forms import BASH
from tests.guard.shell_class_languages import LANGUAGES
from tests.guard.shell_class_runners import RUNNERS
from tests.guard.shell_classes import Member, ShellClass, doubted, harmful, harmless

CLASSES = (*BASH, *LANGUAGES, *RUNNERS)
each_class = pytest.mark.parametrize("of", CLASSES, ids=lambda of: of.name)


def _verdicts(made: list[Member]) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = {"allow": [], "ask": [], "unsure": [], "deny": []}
    for member in made:
        found[judge(member.line).verdict].append(member)
    return found


def _by_form(found: list[Member]) -> dict[str, str]:
    """Return one line of each form, so that a failure shows what to mend."""
    return {member.form: member.line for member in found}


@each_class
def test_no_harmful_member_is_allowed(of: ShellClass) -> None:
    """Whatever the form: what destroys is denied, asked about or not understood.

    It is mostly denied, except in forms for which a question is right whatever they run.
    """
    made = harmful(of)
    found = _verdicts(made)
    denied = [member for member in found["deny"] if member.form in of.forms]

    assert 200 == len(made)
    assert {} == _by_form(found["allow"])
    assert len(denied) >= 0.8 * sum(member.form in of.forms for member in made)


@each_class
def test_harmless_neighbours_stay_quiet(of: ShellClass) -> None:
    """The form alone is no reason to deny, and seldom one to ask."""
    made = harmless(of)
    found = _verdicts(made)
    stopped = found["ask"] + found["unsure"]

    assert len(made) >= 100
    assert {} == _by_form(found["deny"])
    assert len(stopped) <= 0.1 * len(made), _by_form(stopped)


@each_class
def test_where_a_question_is_right_there_is_no_denial(of: ShellClass) -> None:
    """For some forms a question is right whatever they run; a harmless command in one is still not denied."""
    assert {} == _by_form(_verdicts(doubted(of))["deny"])
