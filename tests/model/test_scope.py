"""Scopes are walls: how they are written, what they hold, what a connection reads."""

import pytest
from hypothesis import given, strategies as st

from tacit import UsageError
from tacit.model.scope import Scope, parse_scope, readable

IDS = st.from_regex(r"[a-zA-Z0-9./_:-]{1,20}", fullmatch=True).filter(lambda text: "/namespace:" not in text)
NAMESPACES = st.just("") | st.from_regex(r"[a-z0-9._:-]{1,20}", fullmatch=True)
SCOPES = st.builds(Scope, st.sampled_from(["user", "project", "team", "skill"]), IDS, NAMESPACES) | st.builds(
    Scope, st.just("global"), st.just(""), NAMESPACES
)


@given(SCOPES)
def test_a_scope_reads_back_as_it_was_written(scope):
    """Text and scope are one to one."""
    assert scope == parse_scope(str(scope))


@given(st.text(max_size=60))
def test_any_text_is_a_scope_or_a_usage_error(text):
    """Nothing is guessed, and what is accepted names itself."""
    try:
        scope = parse_scope(text, "me")
    except UsageError:
        return

    assert str(scope) == ("user:me" + text[4:] if text.partition("/namespace:")[0] == "user" else text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "everything",
        "project",
        "project:",
        "project:a b",
        "global:x",
        "project:a/namespace:",
        "user:\x00",
        "team:\ud800",
        "project:a/namespace:b/namespace:c",
        "project:a/namespace:b/c",
        "PROJECT:a",
        "project:" + "x" * 401,
    ],
)
def test_what_is_no_scope_is_refused(text):
    """An unknown or malformed scope is an error, never `everything`."""
    with pytest.raises(UsageError, match="is not a scope"):
        parse_scope(text, "me")


@given(SCOPES, SCOPES)
def test_a_scope_holds_itself_and_its_namespaces_only(one, other):
    """Reading shows the scope and the rooms inside it; a room shows only itself."""
    inside = not one.namespace and (one.kind, one.id) == (other.kind, other.id)

    assert (one == other or inside) == one.holds(other)


def test_namespaces_do_not_nest():
    """A namespace has no namespaces."""
    with pytest.raises(UsageError, match="do not nest"):
        parse_scope("project:a/namespace:b").within("c")


@given(SCOPES, st.lists(SCOPES, max_size=3))
def test_a_connection_reads_its_scope_its_user_global_and_what_was_named(scope, extra):
    """Nothing else is ever in reach, and nothing twice."""
    reads = readable(scope, "me", tuple(extra))

    assert {scope, Scope("user", "me"), Scope("global"), *extra} == set(reads)
    assert len(reads) == len(set(reads))
