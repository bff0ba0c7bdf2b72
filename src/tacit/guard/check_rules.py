"""Check rules: each must be able to fire, must fire on its examples, and must not fire on its counter-examples."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.guard.judge import explain, gravest
from tacit.guard.packs import RulePacks, built_in
from tacit.guard.rule_matching import MOST_VERBS
from tacit.guard.verdict import CommandLocation, GuardRule


def check_rules(packs: RulePacks) -> Iterator[tuple[str, str]]:
    """Return pairs of a rule and what is wrong with the rule."""
    place = CommandLocation()
    for rule in packs.rules.values():
        yield from ((rule.id, why) for why in _dead(rule))
        if not rule.deny_examples and rule.severity != "allow":
            yield rule.id, "has no example, so it is unknown whether it can fire"
        yield from ((rule.id, f"does not fire on its example: {one}") for one in _silent(rule, place, packs))
        for one in rule.allow_examples:
            if rule.severity != "allow" and gravest(explain(one, place, packs)).verdict != "allow":
                yield rule.id, f"its counter-example is not allowed: {one}"


def _dead(rule: GuardRule) -> Iterator[str]:
    """Return why a rule, or a part of it, can never fire, whatever the command."""
    # A rule without programs must come from a judge in Python, and those are the built-in ones.
    if not rule.programs and rule.id not in built_in().rules:
        yield "has no programs, and no built-in judge uses it: it cannot fire"
    for program in rule.programs:
        if "/" in program or " " in program or not program:
            yield f"program {program!r} cannot match: programs are looked up by name, without folders"
    for verb in rule.verbs:
        if not verb or len(verb) > MOST_VERBS or " ".join(verb) != " ".join(verb).lower():
            yield f"verb {' '.join(verb)!r} cannot match: verbs are compared in lower case, {MOST_VERBS} words at most"
    if rule.flags and set(rule.flags) <= set(rule.without):
        yield "requires a flag that it also excludes: it cannot fire"


def _silent(rule: GuardRule, place: CommandLocation, packs: RulePacks) -> Iterator[str]:
    for one in rule.deny_examples:
        if rule.id not in {verdict.rule for step in explain(one, place, packs) for verdict in step.verdicts}:
            yield one
