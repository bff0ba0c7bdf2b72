"""Marks of secrets: one table, which the redactor, the judge of facts and the cold path of a hook use."""

from __future__ import annotations

import pytest

from tacit.doors.hooks.cold_memory import is_kept_as_it_is
from tacit.facts.rules.context_eligibility import is_context_eligible
from tacit.redact.token_formats import TOKENS
from tacit.text.secret_marks import NAME_PARTS, WELL_KNOWN
from tests.architecture.source import modules

BODY = "abcdefghijklmnop1234"


def test_the_redactor_has_a_rule_for_every_well_known_beginning() -> None:
    """What is kept out of prompts as a key is known to redaction too."""
    assert set() == set(WELL_KNOWN) - {anchor for rule in TOKENS for anchor in rule.anchors}


@pytest.mark.parametrize("beginning", WELL_KNOWN)
def test_a_fact_with_such_a_key_stays_out_of_every_prompt(beginning: str) -> None:
    """With each beginning; without one the same sentence may be told."""
    assert not is_context_eligible(f"The bot logs in with {beginning}{BODY} every night")
    assert is_context_eligible(f"The bot logs in with {BODY} every night")


@pytest.mark.parametrize("part", NAME_PARTS)
def test_the_cold_path_leaves_such_a_name_to_the_full_one(part: str) -> None:
    """Whatever redaction looks at, the quick way does not judge."""
    assert not is_kept_as_it_is(f"run x{part.upper()}")


def test_a_beginning_is_written_down_once() -> None:
    """Only the table itself holds those that several modules need."""
    rare = [one for one in WELL_KNOWN if len(one) > 3]

    found = {
        (one.path.name, mark)
        for one in modules()
        for mark in rare
        if f'"{mark}"' in one.path.read_text(encoding="utf-8")
    }

    assert {"secret_marks.py"} == {name for name, _mark in found}
