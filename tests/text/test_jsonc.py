"""Settings with comments: changed where they change, the rest as it stands."""

import json

import pytest
from hypothesis import given, strategies as st

from tacit.text.jsonc import edited, parsed

KEPT = """// mine
{
    "model": "x", // the good one
    /* all of
       them */
    "hooks": {
        "Stop": [{ "command": "a" }],   // when it stops
        "Pre": [
            // first
            {"command": "b"}, // second
        ],
    },
    "last": [1,2,  3]
}
// end
"""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4), max_leaves=12,
)  # fmt: skip


def test_comments_commas_and_layout_stay():
    """Only the lines that change do."""
    value = parsed(KEPT)
    wanted = {**value, "hooks": {**value["hooks"], "Pre": [{"command": "b"}, {"command": "ours"}], "New": [1]}}
    fresh = edited(KEPT, wanted, "    ")

    assert wanted == parsed(fresh)
    assert KEPT == edited(KEPT, value, "    ")
    for line in ("// mine", '    "model": "x", // the good one', "       them */", "            // first", "// second",
                 '    "last": [1,2,  3]', "// end", "// when it stops"):  # fmt: skip
        assert line in fresh
    assert value == parsed(edited(fresh, value, "    "))


@pytest.mark.parametrize(
    "text", ["", "{", "[1 2]", '{"a" 1}', '{"a": 1} x', "{1: 2}", "/* open", '{"a": 1, "a": 2}', "[,]", "{,}", "nope"]
)
def test_what_is_no_json_is_refused(text):
    """Guessing would lose something."""
    with pytest.raises(ValueError):
        parsed(text)


def test_signs_in_texts_are_no_comments():
    """Nor is a comment a text."""
    assert {"a": "http://x /* y */", "b": ","} == parsed('{"a": "http://x /* y */", /* "c": 1, */ "b": ","}')


@given(VALUES, VALUES)
def test_any_value_becomes_any_other(before, after):
    """And the same value leaves the text as it is."""
    for indent in (None, 2, "\t"):
        text = json.dumps(before, indent=indent)

        assert after == parsed(edited(text, after))
        assert text == edited(text, before)
