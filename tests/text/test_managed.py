"""The managed block: whatever stands around it stays byte for byte, and a hand in it is noticed."""

import pytest
from hypothesis import given, strategies as st

from tacit.text.managed_block import BlockDamaged, find_block, with_block
from tacit.text.markdown_sections import code_in, quoted, sections
from tacit.text.marked_file import PLACE, marked, scope_of, state_of

# Bytes of any file, often with line ends of both kinds; marks of ours are no part of it.
around = st.one_of(
    st.binary(max_size=200), st.text("ab#-` \r\n<!>é", max_size=200).map(lambda text: text.encode())
).filter(lambda data: b"tacit:lessons" not in data)
told = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=80).filter(
    lambda text: "tacit:lessons" not in text and text.strip()
)


@given(around, told, told)
def test_writing_changing_and_removing_touch_nothing_else(content, first, second):
    """The rest is the same bytes; a second time is no change; without anything to say the file is as it was."""
    once = with_block(content, first)
    changed = with_block(once, second)

    assert once.startswith(content)
    assert once == with_block(once, first)
    assert once == with_block(changed, first)
    assert content == with_block(changed, "")


@given(around, around, told, told)
def test_edits_around_the_block_are_kept(before, after, first, second):
    """What others put before and after it survives every change of the block, byte for byte."""
    made = with_block(b"", first)
    # A mark stands at the beginning of a line, so that is where somebody's text ends.
    edited = before + (b"" if not before or before.endswith(b"\n") else b"\n") + made + after
    block = find_block(edited)
    changed = with_block(edited, second)
    fresh = find_block(changed)

    assert not block.edited
    assert not fresh.edited
    assert (edited[: block.start], edited[block.end :]) == (changed[: fresh.start], changed[fresh.end :])


@given(told, told)
def test_a_hand_in_the_block_is_noticed(first, other):
    """Any other text than ours is an edit; other line ends are not."""
    made = with_block(b"x\n", first)
    edited = made.replace(b"\n" + first.encode() + b"\n", b"\n" + other.encode() + b"\n" + first.encode() + b"\n", 1)

    assert find_block(edited).edited
    assert not find_block(made.replace(b"\n", b"\r\n")).edited


@pytest.mark.parametrize("damage", ["no end", "no begin", "twice", "no hash", "turned"])
def test_marks_that_are_not_whole_are_damage(damage):
    """Half a block is nobody's to rewrite."""
    made = with_block(b"", "text")
    begin, inner, end = made.split(b"\n")[:3]
    content = {
        "no end": begin + b"\n" + inner, "no begin": inner + b"\n" + end, "twice": made + made,
        "no hash": made.replace(b"sha256=", b"sha="), "turned": end + b"\n" + inner + b"\n" + begin + b"\n",
    }[damage]  # fmt: skip

    with pytest.raises(BlockDamaged):
        find_block(content)


def test_marks_inside_a_line_are_text():
    """A page that speaks of the marks has no block."""
    assert None is find_block(b"see `<!-- tacit:lessons begin v1 -->` and <!-- tacit:lessons end -->\n")


@given(told)
def test_a_marked_file_knows_whether_it_was_changed(text):
    """Ours, edited or foreign; by a hash of everything but itself."""
    page = marked(f'---\nmetadata:\n  tacit-scope: "project:x"\n{PLACE}---\n\n{text}\n')

    assert ("ours", "project:x") == (state_of(page), scope_of(page))
    assert "ours" == state_of(page.replace("\n", "\r\n"))
    assert "edited" == state_of(page + "more")
    assert "edited" == state_of(page.replace("project:x", "project:y"))
    assert "foreign" == state_of(page.replace("tacit-hash", "other-hash"))


@given(st.text(st.characters(blacklist_categories=("Cs",)), max_size=60).filter(lambda text: "\r" not in text))
def test_code_that_is_quoted_is_read_back(text):
    """Backticks, fences, spaces and line ends: what goes in comes out, also below a heading."""
    wanted = text if text.strip() else ""
    page = f"# A\n\n## Command\n\n{quoted(text)}\n\n## Next\n\nx\n"

    assert wanted == (code_in(sections(page)["command"]) if text.strip() else "")
