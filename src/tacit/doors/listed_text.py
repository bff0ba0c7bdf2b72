"""Text in lists for people: a command of several lines on one, and the title of a session without set phrases."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

NEXT_LINE = " ⏎ "
_PLAN = lazy_pattern(r"(?i)implement (?:the following|this) plan:\s*(?:#+\s+)?(?:(?:implementation )?plan:\s*)?")
# In a title that is one line, a Markdown heading that follows begins the text of the plan.
_NEXT_HEADING = lazy_pattern(r"\s#{1,6}\s")


def on_one_line(command: str) -> str:
    """Return a command on one line. A line that goes on with a backslash is one with the next."""
    lines = (" ".join(line.split()) for line in command.replace("\\\n", " ").splitlines())
    return NEXT_LINE.join(line for line in lines if line)


def shown_title(title: str) -> str:
    """Return a title for a screen: "Implement the following plan: # Plan: X ## Context …" is "plan: X"."""
    begun = _PLAN.match(title)
    if begun is None:
        return title
    what = _NEXT_HEADING.split(title[begun.end() :], maxsplit=1)[0].strip()
    return f"plan: {what}" if what else title
