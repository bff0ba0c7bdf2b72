"""The quickstart has a part for every agent that can be connected."""

import re

from tacit.agents.registry import HOOKED
from tests.docs.pages import DOCS, anchors


def test_every_agent_has_its_part():
    """Its line to connect, and under its name a part of its own."""
    page = DOCS / "quickstart.md"
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[[^\]]+\]\(#([\w-]+)\) \| `tacit connect (\w+)` \|", text, re.M)

    assert sorted(HOOKED) == sorted(name for _, name in rows)
    assert {anchor for anchor, _ in rows} <= anchors(page)
