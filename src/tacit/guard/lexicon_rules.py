"""Rules from the lexicon: a concept of type `guard-ask` or `guard-deny` adds a rule for each of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.guard.verdict import Decision, GuardRule
from tacit.text.lexicon import Concept

# The pattern of each is compiled when a command names its program, while an agent waits.
MOST_RULES = 500
MOST_WORDS = 32
KINDS: dict[str, Decision] = {"guard-ask": "ask", "guard-deny": "deny"}


def warnings_of(concept: Concept) -> Iterator[str]:
    """Return why a guard concept adds no rule, or fewer rules than it has synonyms."""
    if not concept.kind.startswith("guard"):
        return
    if concept.kind not in KINDS:
        yield f"type {concept.kind[:40]!r} adds no rule: use {' or '.join(KINDS)}"
    elif not concept.synonyms:
        yield "it has no synonyms, so it adds no rule"
    else:
        yield from (f"synonym {one[:40]!r} is too short to be a command" for one in concept.synonyms if len(one) < 2)
        longs = (one for one in concept.synonyms if len(one.split()) > MOST_WORDS)
        yield from (f"synonym {one[:40]!r} has over {MOST_WORDS} words and adds no rule" for one in longs)


def rules_of(concepts: Iterable[Concept]) -> list[GuardRule]:
    """Return a rule for each synonym, and at most one more than `MOST_RULES`.

    No kind allows commands, so a repository's files can only tighten.
    """
    made: list[GuardRule] = []
    for concept in concepts:
        severity = KINDS.get(concept.kind)
        for number, words in enumerate(dict.fromkeys(concept.synonyms) if severity else ()):
            program, *rest = words.split()
            if len(made) > MOST_RULES:
                return made
            # Each word matches at its first occurrence only: trying other places would take too long.
            steps = "".join(rf"(?>(?:\s+\S+)*?\s+{re.escape(word)}(?!\w))" for word in rest)
            pattern = rf"^\S*{re.escape(program)}(?!\w){steps}"
            slug = re.sub(r"\W+", "-", concept.key.lower()).strip("-")
            if severity is not None and len(words) > 1 and len(rest) < MOST_WORDS:
                made.append(GuardRule(
                    f"lexicon.{slug}.{number}", "lexicon", severity, f"the lexicon lists it ({concept.title})",
                    programs=(program,), text=pattern, deny_examples=(words,),
                ))  # fmt: skip
    return made
