"""Checking rules: each must have an example that it fires on, and must leave the examples against it alone."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.judge.guard.engine import explain, gravest
from tacit.judge.guard.model import Place, Rule
from tacit.judge.guard.packs import Packs


def check_rules(packs: Packs) -> Iterator[tuple[str, str]]:
    """Give (rule, what is wrong with it)."""
    place = Place()
    for rule in packs.rules.values():
        if not rule.deny_examples and rule.severity != "allow":
            yield rule.id, "has no example, so nobody knows whether it can fire"
        yield from ((rule.id, f"does not fire on its example: {one}") for one in _silent(rule, place, packs))
        for one in rule.allow_examples:
            if rule.severity != "allow" and gravest(explain(one, place, packs)).verdict != "allow":
                yield rule.id, f"the example against it is not allowed: {one}"


def _silent(rule: Rule, place: Place, packs: Packs) -> Iterator[str]:
    for one in rule.deny_examples:
        if rule.id not in {verdict.rule for step in explain(one, place, packs) for verdict in step.verdicts}:
            yield one
