"""Packs: rules as data, each with its reason, a safer alternative, and examples that are tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from tacit.errors import ConfigError
from tacit.guard.verdict import WEIGHTS, Decision, GuardRule
from tacit.text.safe_toml import read_toml

MOST_KNOWN = 5_000


class RulePacks:
    """Rules by id, and by the programs they are about."""

    def __init__(self, rules: Iterable[GuardRule]) -> None:
        self.rules = {rule.id: rule for rule in rules}
        self._exact: dict[str, list[GuardRule]] = {}
        self._globs: list[tuple[str, GuardRule]] = []
        self._found: dict[str, list[GuardRule]] = {}
        for rule in self.rules.values():
            for program in rule.programs:
                if any(mark in program for mark in "*?["):
                    self._globs.append((program, rule))
                else:
                    self._exact.setdefault(program, []).append(rule)

    def and_(self, rules: Iterable[GuardRule]) -> RulePacks:
        """Return these rules with other rules added. An added rule replaces an existing rule with the same id."""
        more = {rule.id: rule for rule in rules}
        return RulePacks({**self.rules, **more}.values()) if more else self

    def adjusted(self, severities: Mapping[str, Decision], *, only_tighter: bool = False) -> RulePacks:
        """Return these rules with other severities. With `only_tighter`, changes that loosen a rule are left out."""
        changed = []
        for id, severity in severities.items():
            rule = self.rules.get(id)
            if rule is not None and not (only_tighter and WEIGHTS[severity] < WEIGHTS[rule.severity]):
                changed.append(rule._replace(severity=severity))
        return self.and_(changed)

    def of(self, program: str) -> list[GuardRule]:
        """Return the rules about a program."""
        known = self._found.get(program)
        if known is None:
            known = [*self._exact.get(program, ()), *(rule for glob, rule in self._globs if fnmatchcase(program, glob))]
            if len(self._found) < MOST_KNOWN:
                self._found[program] = known
        return known


def read_pack(text: str, name: str = "pack", *, tested: bool = False) -> list[GuardRule]:
    """Parse a pack. An invalid pack is an error, because ignoring it would allow the commands its rules forbid.

    The patterns of a `tested` pack are known to be valid; each is compiled when a command needs it.
    """
    content = read_toml(text, name)
    rules: dict[str, GuardRule] = {}
    try:
        for one in content.get("rule", []):
            rule = _rule(one, rules)
            rules[rule.id] = rule
            if not tested:
                re.compile(rule.text)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, re.error, RecursionError) as error:
        why = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"{name} cannot be read: {why:.200}", "docs/guard.md describes the format") from None
    return list(rules.values())


def _rule(one: dict[str, Any], before: Mapping[str, GuardRule]) -> GuardRule:
    if "like" in one and one["like"] not in before:
        raise ValueError(f"{one['id']}: `like` names {one['like']!r}, but no rule before it has that id")
    if any(not isinstance(one.get(name, ""), str) for name in _FIELDS - _LISTS):
        raise TypeError(f"{str(one['id'])[:60]}: one of {', '.join(sorted(_FIELDS - _LISTS))} is not a text")
    strange = one.keys() - _FIELDS
    if strange or one["severity"] not in WEIGHTS:
        raise ValueError(f"{one['id']}: {', '.join(sorted(strange)) or one['severity']} is unknown")
    return GuardRule(
        id=one["id"], family=one["family"], severity=one["severity"], reason=one["reason"],
        alternative=one.get("alternative", ""),
        programs=(*(before[one["like"]].programs if "like" in one else ()), *_texts(one, "programs")),
        verbs=tuple(tuple(verb.split()) for verb in _texts(one, "verbs")), flags=_texts(one, "flags"),
        without=_texts(one, "without"), unless=tuple(tuple(verb.split()) for verb in _texts(one, "unless")),
        text=one.get("text", ""), deny_examples=_texts(one, "for"), allow_examples=_texts(one, "against"),
    )  # fmt: skip


_LISTS = frozenset({"programs", "verbs", "flags", "without", "unless", "for", "against"})
_FIELDS = _LISTS | {"id", "family", "severity", "reason", "alternative", "like", "text"}


def _texts(one: dict[str, Any], name: str) -> tuple[str, ...]:
    values = one.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{one['id']}: {name} is not a list of strings")
    return tuple(values)


@lru_cache(1)
def built_in() -> RulePacks:
    """Return the rules that come with tacit."""
    from pathlib import Path

    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.toml")]
    return RulePacks(rule for text in sorted(texts) for rule in read_pack(text, tested=True))


def plain_rules(packs: RulePacks) -> list[tuple[Any, ...]]:
    """Return the rules as plain values without their examples, which can be read many times faster than the packs."""
    return [tuple(rule._replace(deny_examples=(), allow_examples=())) for rule in packs.rules.values()]


def packs_from(rules: Iterable[tuple[Any, ...]]) -> RulePacks:
    """Make packs from the values `plain_rules` returned."""
    return RulePacks(GuardRule(*rule) for rule in rules)
