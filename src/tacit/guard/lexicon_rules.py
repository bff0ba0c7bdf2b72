"""Rules from the lexicon: a concept of type `guard-ask` or `guard-deny` holds back commands that are its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.guard.verdict import Decision, GuardRule
from tacit.text.lexicon import Concept

KINDS: dict[str, Decision] = {"guard-ask": "ask", "guard-deny": "deny"}


def warnings_of(concept: Concept) -> Iterator[str]:
    """Give why a concept that speaks to the guard holds back nothing, or less than it says."""
    if not concept.kind.startswith("guard"):
        return
    if concept.kind not in KINDS:
        yield f"type {concept.kind[:40]!r} adds no rule: it is {' or '.join(KINDS)}"
    elif not concept.synonyms:
        yield "it has no synonyms, so it holds back nothing"
    else:
        yield from (f"synonym {one[:40]!r} is too short to be a command" for one in concept.synonyms if len(one) < 2)


def rules_of(concepts: Iterable[Concept]) -> list[GuardRule]:
    """Give a rule for each synonym. There is no kind that allows, so a repository's files can only tighten."""
    made = []
    for concept in concepts:
        severity = KINDS.get(concept.kind)
        for number, words in enumerate(dict.fromkeys(concept.synonyms) if severity else ()):
            program, *rest = words.split()
            # Each word is taken where it comes first, for good: to look for another place would not end soon.
            steps = "".join(rf"(?>(?:\s+\S+)*?\s+{re.escape(word)}(?!\w))" for word in rest)
            pattern = rf"^\S*{re.escape(program)}(?!\w){steps}"
            slug = re.sub(r"\W+", "-", concept.key.lower()).strip("-")
            if severity is not None and len(words) > 1:
                made.append(GuardRule(
                    f"lexicon.{slug}.{number}", "lexicon", severity, f"the lexicon says so ({concept.title})",
                    programs=(program,), text=pattern, deny_examples=(words,),
                ))  # fmt: skip
    return made
