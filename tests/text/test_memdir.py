"""Written memory: the index is cut where it should be, and the prompt says what hosts look for."""

import pytest
from hypothesis import given, strategies as st

from tacit.memdir.rules.index import MOST_BYTES, MOST_LINES, load_index
from tacit.memdir.rules.prompt import memory_prompt


def test_a_small_index_is_loaded_as_it_is():
    """No warning, and the counts of the whole."""
    assert ("- a\n- b", 2, 7, False, False) == tuple(load_index("\n- a\n- b\n\n"))


def test_the_byte_cap_caps():
    """180 lines of 300 bytes are cut before the cap, at a line's end, and the cap that fired is named."""
    index = load_index("\n".join("x" * 299 for _ in range(180)))
    kept, _, warning = index.content.partition("\n\n> WARNING: MEMORY.md is ")

    assert (180, 53_999, False, True) == index[1:]
    assert len(kept.encode()) <= MOST_BYTES
    assert all(len(line) == 299 for line in kept.split("\n"))
    assert "K bytes (limit: 25.0K bytes)" in warning


def test_the_line_cap_caps_and_both_are_named():
    """201 short lines lose one; long ones are over both."""
    short, both = (
        load_index("\n".join("x" * 3 for _ in range(201))),
        load_index("\n".join("y" * 200 for _ in range(300))),
    )

    assert (True, False, True, True) == (short.lines_cut, short.bytes_cut, both.lines_cut, both.bytes_cut)
    assert "201 lines (limit: 200)" in short.content
    assert "300 lines and" in both.content


@given(st.text(max_size=400), st.integers(1, 400))
def test_any_text_is_cut_whole(text, times):
    """Never over the caps, never half a character, and what is kept is a beginning of the whole."""
    index = load_index(text * times)
    kept = index.content.partition("\n\n> WARNING")[0] if index.lines_cut or index.bytes_cut else index.content

    assert len(kept.encode(errors="replace")) <= MOST_BYTES
    assert len(kept.splitlines()) <= MOST_LINES


HEADINGS = (
    "## Types of memory", "## What NOT to save in memory", "## How to save memories", "## When to access memories",
    "## Before recommending from memory", "## Searching past context", "## MEMORY.md", "Search topic files",
    "Session transcript logs", "narrow search terms",
)  # fmt: skip


@pytest.mark.parametrize("team", ["", "/m/team"])
@pytest.mark.parametrize("skip_index", [False, True])
def test_the_prompt_has_what_hosts_look_for(team, skip_index):
    """Headings and phrases are there; the two steps only where there is an index to keep."""
    text = memory_prompt("/m", "- [a](a.md): b", team=team, skip_index=skip_index, extra=["be brief"])

    assert [] == [heading for heading in HEADINGS if heading not in text]
    assert skip_index is ("**Step 1**" not in text and "**Step 2**" not in text)
    assert ("- [a](a.md): b" in text, "be brief" in text, "Scope:" in text) == (True, True, bool(team))


def test_the_search_speaks_the_hosts_tongue():
    """A shell's grep, or the host's own tool."""
    assert 'grep -rn "<words>" /m' in memory_prompt("/m", "")
    assert 'Grep with pattern="<words>" path="/m"' in memory_prompt("/m", "", embedded=True)
