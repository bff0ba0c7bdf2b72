"""FTS5 queries: every token is quoted, so that no text is read as syntax."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def search_query(groups: Iterable[Iterable[str]], tokens: Sequence[str]) -> str:
    """Return the match that needs one filter token of each group, and any of the tokens."""
    gates = " AND ".join(f"gate : {_either(group)}" for group in groups)
    return f"{gates} AND - gate : {_either(tokens)}"


def prefix_query(groups: Iterable[Iterable[str]], prefix: str) -> str:
    """Return the match that needs one filter token of each group, and a token that begins with the prefix."""
    gates = " AND ".join(f"gate : {_either(group)}" for group in groups)
    return f'{gates} AND - gate : ("{_quoted(prefix)}" *)'


def _either(words: Iterable[str]) -> str:
    return "(" + " OR ".join(f'"{_quoted(word)}"' for word in words) + ")"


def _quoted(word: str) -> str:
    return word.replace('"', '""').replace("\0", " ")
