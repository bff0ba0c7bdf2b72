"""What a page is given and gives: a question with its fields, and a template with values or the next address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tacit.app.memory import Memory
from tacit.errors import UsageError


class PageRequest(NamedTuple):
    """A request as a page sees it: the parts of its path, its fields, and whether a person asks."""

    path: Mapping[str, str]
    fields: Mapping[str, str]
    is_person: bool = False

    def text(self, name: str) -> str:
        """Return a field, or an empty text."""
        return self.fields.get(name, "")

    def number(self, name: str, otherwise: int) -> int:
        """Return a field that is a whole number."""
        text = self.text(name) or str(otherwise)
        if not (text.isascii() and text.isdigit() and len(text) < 7):
            raise UsageError(f"{name} is not a number: {text[:20]!r}", "use the forms of the page")
        return int(text)


class PageView(NamedTuple):
    """A template, and the values for it."""

    template: str
    values: dict[str, Any]


class Values(NamedTuple):
    """Values for a script, sent as JSON."""

    values: dict[str, Any]


class Done(NamedTuple):
    """An action was done: the page to show next, below the folder of the dashboard, and what to say on it."""

    next: str
    notice: str


Page = Callable[[Memory, PageRequest], PageView | Values]
Action = Callable[[Memory, PageRequest], Done | PageView]
