"""Front matter: what stands there is read, what is wrong is said, and nothing crashes or runs."""

import random

import pytest
from hypothesis import given, strategies as st

from tacit.memdir.rules.front_matter import FrontMatter, _plain, read_front_matter
from tacit.text.safe_yaml import read_yaml

TOP = "---\nname: Deploys\ndescription: how we deploy\ntype: project\n---\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{('*' + chr(ord(name) - 1) + ',') * 9}]\n" for name in "bcdefghi"
)


def test_name_description_type_and_body_are_read():
    """Also with a mark at the start, other line ends and spaces after the fence."""
    expected = ("Deploys", "how we deploy", "project", "body", "")

    assert expected == read_front_matter(TOP + "body")
    assert expected == read_front_matter("\ufeff" + TOP + "body")
    assert expected == read_front_matter(TOP.replace("\n", "\r\n") + "body")
    assert expected == read_front_matter(TOP.replace("---\n", "---  \n") + "body")


def test_dashes_in_a_value_do_not_end_it():
    """Only a line of its own does; a later rule in the body is the body's."""
    read = read_front_matter("---\nname: a --- b\ndescription: '--- x ---'\n---\none\n---\ntwo")

    assert ("a --- b", "--- x ---", "", "one\n---\ntwo", "") == read


@pytest.mark.parametrize("kind", ["", "type: other\n", "type: [user]\n", "type: null\n", "type: 1\n"])
def test_an_unknown_type_is_none(kind):
    """Not the user's, which would make it private to nobody."""
    assert "" == read_front_matter(f"---\nname: a\n{kind}---\n").type


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("---\nname: a\nbody without an end", "not closed"), ("---\nname: a\nname: b\n---\n", "duplicate key"),
        ("---\nname: !!python/object/apply:os.system ['x']\n---\n", "not valid YAML"),
        ("---\n- a\n- b\n---\n", "not a list of names"), (f"---\n{BOMB}---\n", "alias"),
        ("---\nname: {a: b}\n---\n", "`name` is not text"), ("---\na:\tb:\tc\n---\n", "not valid YAML"),
        ("---\n" + "[" * 5000 + "\n---\n", ""),
        ("---\ndescription: " + "x" * 1_000_000 + "\n---\n", "not closed"),
        ("---\nname: !!bool x\n---\n", "not valid YAML"), ("---\nname: !!timestamp x\n---\n", "not valid YAML"),
        ("---\nname: !!int ''\n---\n", "not valid YAML"), ("---\n\0\x01\xff\n---\n", "not valid YAML"),
        ("---\ntype: nonsense\n---\n", "unknown type 'nonsense'"),
    ],
    ids=range(14),
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(text, wrong):
    """No end, twice, tags, lists, bombs, maps, tabs, depth, size, binary, unknown type."""
    said = read_front_matter(text).wrong

    assert said
    assert wrong in said
    assert len(said) < 400


def test_no_front_matter_is_all_body():
    """And nothing is wrong with that."""
    for text in ("", "text", "----\nname: a\n---\n", " ---\nname: a\n---\n", "--- a\n---\n"):
        assert FrontMatter(body=text) == read_front_matter(text)
    assert ("", "", "", "b", "") == read_front_matter("---\n---\nb")


@given(st.text("abyesnotrulf0123 :'\n-_,.#~", max_size=60))
def test_plain_lines_are_read_as_yaml_reads_them(top):
    """The short way never says anything else than the long one."""
    fields = _plain(top)

    if fields is not None:
        assert fields == (read_yaml(top, "it") or {})


def test_no_text_breaks_it(figures, budget):
    """Thousands of tops made of the signs that mean something."""
    rounds, chance = budget(5_000, soak=100_000), random.Random(9)
    pieces = ["---", "\n", "name", ":", " ", "\t", "description: ", "type: user", "&a", "*a", "!!", "!x", "[", "]", "{",
              "}", "|", ">", "'", '"', "#", "\0", "\ud800", "\ufeff", "\x85", "é", "<<: ", "? ", "- ", "%", "@", "`",
              "2020-01-01", "0x", "1e999", "\r", "\x1b", "~", "=", "x" * 50]  # fmt: skip
    for _ in range(rounds):
        text = "---\n" + "".join(chance.choices(pieces, k=chance.randrange(40))) + chance.choice(["\n---\n", ""])
        read = read_front_matter(text)
        assert all(isinstance(field, str) for field in read)
    figures("front matter fuzzed", rounds)


def test_the_type_is_where_claude_code_writes_it() -> None:
    """One level deeper, beside what else its memory says about a file; a type at the top counts first."""
    top = "---\nname: prefers-pnpm\ndescription: The user wants pnpm\n{}metadata: \n"
    text = f"{top}  node_type: memory\n  type: feedback\n  originSessionId: 25b7d8dc-3115\n---\n\nUse pnpm.\n"

    assert ("prefers-pnpm", "feedback", "") == (
        (found := read_front_matter(text.format(""))).name, found.type, found.wrong,
    )  # fmt: skip
    assert "project" == read_front_matter(text.format("type: project\n")).type
