"""One value of a TOML text is changed; whatever else stands there stays."""

import tomllib

import pytest
from hypothesis import given, strategies as st

from tacit.errors import UsageError
from tacit.files.toml_edit import literal, with_value

TEXT = """# top
a = 1  # one

[t]
# before
x = "y # no comment"  # a comment
long = [
  1,
  2, # two
]

# between
[t.inner]
"q.r" = 'z'
[other]
x = 3
"""


@pytest.mark.parametrize("path, value, old, new", [
    (["a"], 2, "a = 1  # one", "a = 2  # one"),
    (["t", "x"], "n", 'x = "y # no comment"  # a comment', 'x = "n"  # a comment'),
    (["t", "long"], [3], "long = [\n  1,\n  2, # two\n]", "long = [3]"),
    (["t", "inner", "q.r"], "w", "\"q.r\" = 'z'", '"q.r" = "w"'),
    (["other", "x"], None, "x = 3\n", ""),
    (["other", "new"], True, "x = 3\n", "x = 3\nnew = true\n"),
    (["t", "more"], 1.5, "]\n\n# between", "]\n\n# between\nmore = 1.5"),
    (["b"], "", "a = 1  # one\n", 'a = 1  # one\nb = ""\n'),
    (["fresh", "k"], [], "x = 3\n", "x = 3\n\n[fresh]\nk = []\n"),
])  # fmt: skip
def test_one_place_changes(path, value, old, new):
    """The rest is byte for byte the same."""
    assert TEXT.replace(old, new) == with_value(TEXT, path, value, "it")


@pytest.mark.parametrize("text, path", [
    ("t = { x = 1 }\n", ["t", "x"]), ("t.x = 1\n", ["t", "x"]), ("t = 3\n", ["t", "x"]), ("[[t]]\nx = 1\n", ["t", "x"]),
])  # fmt: skip
def test_what_cannot_be_changed_alone_is_refused(text, path):
    """A layout that would need more than one line to change is a person's to change."""
    with pytest.raises(UsageError):
        with_value(text, path, 2, "it")


names = st.text("ab.# \"'é", min_size=1, max_size=4)
values = st.one_of(st.booleans(), st.integers(-(2**40), 2**40), st.text(max_size=8), st.lists(st.text(max_size=3)))
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(names, values, max_size=4), names, st.one_of(values, texts))
def test_any_value_is_read_back(content, name, value):
    """Whatever stands in a file, a new value is there afterwards, and the others are as they were."""
    text = "# head\n[t]\n" + "".join(f"{literal(key)} = {literal(one)}\n" for key, one in content.items())
    fresh = with_value(text, ("t", name), value, "it")

    assert {"t": {**content, name: value}} == tomllib.loads(fresh)
    assert fresh.startswith("# head\n")
