"""What a session is called on screens: its title without the words that every plan begins with."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

_PLAN = lazy_pattern(r"(?i)implement (?:the following|this) plan:\s*(?:#+\s+)?(?:(?:implementation )?plan:\s*)?")
# In a title that is one line, a Markdown heading that follows begins the text of the plan.
_NEXT_HEADING = lazy_pattern(r"\s#{1,6}\s")


def shown_title(title: str) -> str:
    """Return a title for a screen: "Implement the following plan: # Plan: X ## Context …" is "plan: X"."""
    begun = _PLAN.match(title)
    if begun is None:
        return title
    what = _NEXT_HEADING.split(title[begun.end() :], maxsplit=1)[0].strip()
    return f"plan: {what}" if what else title
