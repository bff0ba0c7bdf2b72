"""What a user says in a prompt that is worth keeping: rules, facts to remember, and what is refused."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from tacit.facts.rules.remember_requests import remember_requests
from tacit.failures.rules.corrections.find import PromptCorrection, corrections_in
from tacit.records.connection import Connection
from tacit.text.frame import echoes
from tacit.text.prompt_sentences import sentences


class SaidInPrompt(NamedTuple):
    """What a prompt says: rules, statements to remember, and what is not kept because it is unsafe as advice."""

    rules: list[PromptCorrection]
    facts: list[str]
    refused: list[str]


def said_in(c: Connection, prompt: str) -> SaidInPrompt:
    """Return what is to be kept of a prompt. A rule that somebody asks to have remembered is kept as a rule."""
    asked = [one for one in remember_requests(prompt) if not echoes(one)]
    rules = {(one.original, one.corrected): one for one in corrections_in(prompt)}
    facts, refused = list[str](), list[str]()
    for one in asked:
        rule = rule_in(one)
        if not c.is_safe_advice(one):
            refused.append(one)
        elif rule is not None:
            rules.setdefault((rule.original, rule.corrected), rule)
        else:
            facts.append(one)
    safe = {key: c.is_safe_advice(one.corrected) for key, one in rules.items()}
    refused += [one.sentence for key, one in rules.items() if not safe[key]]
    return SaidInPrompt([one for key, one in rules.items() if safe[key]], facts, list(dict.fromkeys(refused)))


def rule_in(text: str) -> PromptCorrection | None:
    """Return the rule that a text is: one sentence with always, never, a preference, or "X not Y"."""
    found = corrections_in(text)
    return found[0] if len(found) == 1 and len(list(sentences(text))) == 1 else None


def prompt_key(session: str, text: str, found: PromptCorrection) -> str:
    """Return the idempotency key of a rule in a prompt, which a hook reports and the transcript repeats."""
    said = f"{session}\n{text.strip()}\n{found.original}\n{found.corrected}"
    return f"prompt:{hashlib.sha256(said.encode(errors='replace')).hexdigest()[:32]}"
