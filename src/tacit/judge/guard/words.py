"""Rules from the lexicon: a concept of type `guard-ask` or `guard-deny` holds back commands that are its words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.judge.guard.model import Decision, Rule
from tacit.text.lexicon import Concept

KINDS: dict[str, Decision] = {"guard-ask": "ask", "guard-deny": "deny"}


def rules_of(concepts: Iterable[Concept]) -> list[Rule]:
    """Give a rule for each synonym. There is no kind that allows, so a repository's files can only tighten."""
    made = []
    for concept in concepts:
        severity = KINDS.get(concept.kind)
        for number, words in enumerate(dict.fromkeys(concept.synonyms) if severity else ()):
            program, *rest = words.split()
            pattern = r"^\S*" + r"\s+(?:\S+\s+)*?".join(map(re.escape, (program, *rest))) + r"(?!\w)"
            slug = re.sub(r"\W+", "-", concept.key.lower()).strip("-")
            if severity is not None and len(words) > 1:
                made.append(Rule(
                    f"lexicon.{slug}.{number}", "lexicon", severity, f"the lexicon says so ({concept.title})",
                    programs=(program,), text=pattern, deny_examples=(words,),
                ))  # fmt: skip
    return made
