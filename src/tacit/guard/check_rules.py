"""Checking rules: each must be able to fire, must fire on its examples, and leave the examples against it alone."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.guard.judge import explain, gravest
from tacit.guard.packs import RulePacks, built_in
from tacit.guard.rule_matching import MOST_VERBS
from tacit.guard.verdict import CommandLocation, GuardRule


def check_rules(packs: RulePacks) -> Iterator[tuple[str, str]]:
    """Give (rule, what is wrong with it)."""
    place = CommandLocation()
    for rule in packs.rules.values():
        yield from ((rule.id, why) for why in _dead(rule))
        if not rule.deny_examples and rule.severity != "allow":
            yield rule.id, "has no example, so nobody knows whether it can fire"
        yield from ((rule.id, f"does not fire on its example: {one}") for one in _silent(rule, place, packs))
        for one in rule.allow_examples:
            if rule.severity != "allow" and gravest(explain(one, place, packs)).verdict != "allow":
                yield rule.id, f"the example against it is not allowed: {one}"


def _dead(rule: GuardRule) -> Iterator[str]:
    """Give why a rule, or a part of it, can never fire, whatever the command."""
    # Without programs a rule is what a judge in Python says, and those are the built-in ones.
    if not rule.programs and rule.id not in built_in().rules:
        yield "has no programs, and no judge speaks of it: it cannot fire"
    for program in rule.programs:
        if "/" in program or " " in program or not program:
            yield f"program {program!r} cannot match: a program is looked up by its name alone"
    for verb in rule.verbs:
        if not verb or len(verb) > MOST_VERBS or " ".join(verb) != " ".join(verb).lower():
            yield f"verb {' '.join(verb)!r} cannot match: verbs are compared in lower case, {MOST_VERBS} words at most"
    if rule.flags and set(rule.flags) <= set(rule.without):
        yield "wants a flag that it also excludes: it cannot fire"


def _silent(rule: GuardRule, place: CommandLocation, packs: RulePacks) -> Iterator[str]:
    for one in rule.deny_examples:
        if rule.id not in {verdict.rule for step in explain(one, place, packs) for verdict in step.verdicts}:
            yield one
