"""Advice of the lexicon before a command: the word that its files prefer to the one a command begins with."""

from __future__ import annotations

from typing import NamedTuple

from tacit.failures.load_lexicon import LoadedLexicon
from tacit.failures.rules.corrections.vocabulary import is_tool
from tacit.text.lexicon import Concept, is_synonym
from tacit.text.patterns import lazy_pattern

# The name of a program as it is typed; a heading in prose begins with a capital.
_PROGRAM = lazy_pattern(r"(?:\./|/|~/)?[a-z0-9][\w.+/-]*(?:\s|$)")


class LexiconAdvice(NamedTuple):
    """A command that a file of the lexicon replaces by another."""

    original: str
    corrected: str
    key: str
    path: str
    own: bool
    """Whether the file is the user's own; a repository's files are written by whoever wrote the repository."""


def advice_before(loaded: LoadedLexicon, line: str) -> list[LexiconAdvice]:
    """Return what the lexicon prefers to the commands of a line, each once."""
    own = {id(concept) for origin, concept in loaded.entries if origin == "user"}
    found: dict[str, LexiconAdvice] = {}
    for match in loaded.lexicon.commands_in(line):
        concept = match.concept
        if is_synonym(match) and names_commands(concept, match.pattern):
            original = line[match.start : match.end]
            advice = LexiconAdvice(original, concept.title, concept.key, concept.path, id(concept) in own)
            found.setdefault(concept.key, advice)
    return list(found.values())


def names_commands(concept: Concept, synonym: str) -> bool:
    """Return whether a concept is about commands: its title is typed like one, and one of the two is a known tool."""
    typed = bool(_PROGRAM.match(concept.title))
    return concept.kind == "kg_entry" and typed and (is_tool(concept.title) or is_tool(synonym))


def first_words(loaded: LoadedLexicon) -> list[str]:
    """Return the words with which the commands begin that the user's own files replace, case folded."""
    concepts = [concept for origin, concept in loaded.entries if origin == "user"]
    pairs = ((concept, synonym) for concept in concepts for synonym in concept.synonyms)
    return sorted({synonym.split()[0].casefold() for concept, synonym in pairs if names_commands(concept, synonym)})
