"""Admit: every limit named, nothing written before the redactor, and no other error than a refusal."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from tacit import NotAdmitted, TacitError, UsageError
from tacit.admission.admit import admit
from tacit.app.memory import Memory
from tacit.model.kinds import KINDS
from tacit.model.payload import Entity, Fact, Note, Term
from tacit.model.record import Draft, replace
from tacit.model.settings import Limits
from tacit.testing import temporary_memory

SMALL = Limits(title_chars=10, body_bytes=20, payload_bytes=60, tags=2, tag_chars=5)


def draft(**changes):
    return Draft(**{"kind": "fact", "scope": "global", "payload": Fact(), "body": "x"} | changes)


def as_it_is(text):
    return text


@pytest.mark.parametrize(
    ("changes", "field", "limit"),
    [
        ({"title": "x" * 11}, "title", 10),
        ({"key": "x" * 11}, "key", 10),
        ({"body": "x" * 21}, "body", 20),
        ({"body": "ü" * 11}, "body", 20),
        ({"body": "x" * 10_000_000}, "body", 20),
        ({"tags": ("a", "b", "c")}, "tags", 2),
        ({"tags": ("abcdef",)}, "tags", 5),
        ({"payload": Fact(source="x" * 61)}, "source", 60),
        ({"payload": Fact(source="x" * 59)}, "payload", 60),
        ({"importance": 1.5}, "importance", 1),
        ({"importance": 10**5000}, "importance", 1),
        ({"importance": float("nan")}, "importance", 1),
        ({"status": "happy"}, "status", None),
        ({"body": "a\x00b"}, "body", None),
        ({"body": "\ud800"}, "body", None),
        ({"title": "\udfff"}, "title", None),
        ({"tags": ("\x00",)}, "tags", None),
        ({"payload": Fact(source="\ud800")}, "source", None),
        ({"payload": Note()}, "payload", None),
        ({"body": b"bytes"}, "body", None),
    ],
)
def test_each_refusal_names_its_field_and_its_limit(changes, field, limit):
    """What is too long, not text or not of its kind is refused, saying which field it was and what the limit is."""
    with pytest.raises(NotAdmitted) as caught:
        admit(draft(**changes), SMALL, as_it_is)

    assert (field, limit) == (caught.value.details["field"], caught.value.details.get("limit"))
    assert limit is None or f"{limit:,}" in caught.value.message
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("text", ["x" * 20, "ü" * 10, "\x1b[31m\x07", "é e\u0301", "'; DROP TABLE x; --"])
def test_what_keeps_the_limits_is_verbatim(text):
    """Up to the limit, control characters and both Unicode forms included, a text is stored as it is."""
    assert text == admit(draft(body=text), SMALL, as_it_is).body


def test_equal_tags_are_one():
    """Tags that fold equal are one, in the first spelling and place; empty ones go."""
    assert ("Net", "b") == admit(draft(tags=("Net", " ", "b", "NET", "net ")), Limits(), as_it_is).tags


def test_the_default_limits_are_those_documented():
    """Title 1,000 characters, body and payload 1 MB, 1,000 tags."""
    limits = Limits()

    assert (1_000, 1_000_000, 1_000_000, 1_000) == (
        limits.title_chars,
        limits.body_bytes,
        limits.payload_bytes,
        limits.tags,
    )


ANY = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.lists(st.text(), max_size=2)
)
PAYLOADS = (
    st.builds(Fact, source=st.text())
    | st.builds(Fact, valid_from=st.datetimes(timezones=st.just(UTC)), valid_to=st.datetimes(timezones=st.just(UTC)))
    | st.builds(Note, author=st.text(alphabet=st.characters()), source=st.text())
    | st.builds(Entity, kind=st.text(), name=st.text())
    | st.builds(Term, term=st.text())
)


@given(
    st.sampled_from(sorted(KINDS)) | ANY, PAYLOADS, ANY | st.text(alphabet=st.characters()), ANY, ANY, ANY,
    ANY | st.lists(ANY, max_size=3).map(tuple), ANY,
)  # fmt: skip
def test_admit_raises_nothing_but_refusals(kind, payload, title, body, key, status, tags, importance):
    """Whatever a draft holds, it is admitted or refused; nothing else ever comes out."""
    try:
        admitted = admit(
            draft(
                kind=kind,
                payload=payload,
                title=title,
                body=body,
                key=key,
                status=status,
                tags=tags,
                importance=importance,
            ),
            SMALL,
            as_it_is,
        )
    except (NotAdmitted, UsageError):
        return

    assert len(admitted.title) <= 10
    assert len(admitted.body.encode()) <= 20
    assert 0 <= admitted.importance <= 1


ITEMS = st.dictionaries(
    st.sampled_from(
        [
            "kind",
            "title",
            "body",
            "key",
            "status",
            "tags",
            "importance",
            "at",
            "scope",
            "namespace",
            "name",
            "term",
            "entity_kind",
            "author",
            "source",
            "valid_from",
            "category",
            "nonsense",
        ]
    ),
    ANY | st.sampled_from(["fact", "note", "term", "entity", "namespace", "active", "global", "2026-01-01"]),
    max_size=6,
)


def test_add_many_takes_any_values_or_refuses_them_typed():
    """Loose values of any type give records or an error of ours, all or nothing."""
    with temporary_memory() as memory:

        @given(ITEMS, st.sampled_from(["fact", "note", "term", "entity", "namespace"]))
        def attempt(item, kind):
            before = memory.stats().records
            try:
                memory.add_many([{"kind": "note", "body": "first"}, {"kind": kind} | item])
            except TacitError:
                assert before == memory.stats().records

        attempt()
        assert memory.verify().ok


def test_a_refusal_leaves_an_event_without_content():
    """The log tells that something of a kind broke a limit; it never holds the text."""
    with temporary_memory(limits=SMALL) as memory:
        with pytest.raises(NotAdmitted):
            memory.memorize("a secret that is far too long", tags=["confidential"])
        [event] = memory.events()

        assert ("not_admitted", "fact", "body", 20) == (
            event.type,
            *(event.payload[k] for k in ("kind", "field", "limit")),
        )
        assert "secret" not in str(event)
        assert {} == memory.stats().records


def test_the_redactor_runs_before_anything_is_written(tmp_path):
    """A secret in any field is in no byte of any file, in no case: not in the store, its log, an event or a key."""
    secret = "sk-THISISASECRET"
    with temporary_memory(folder=tmp_path) as opened:
        redacting = replace(opened._c, redact=lambda text: text.replace(secret, "[redacted]"))
        guarded = Memory(redacting, opened._heads, opened._replay_environment)
        kept = guarded.memorize(f"the key is {secret}", tags=[secret], source=secret, entity=("key", secret))
        guarded.terms.add(f"term {secret}", f"definition {secret}", category=secret)
        guarded.add_many([{"kind": "note", "title": secret, "body": secret, "author": secret, "key": secret}])
        with pytest.raises(NotAdmitted):
            guarded.memorize(f"{secret}\x00")

        assert "the key is [redacted]" == guarded.get(kept.id).body
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret.lower().encode() not in path.read_bytes().lower(), path


def test_dates_have_to_make_sense():
    """A fact cannot end before it begins; beginning and end at once is allowed."""
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)

    assert late == admit(draft(payload=Fact(valid_from=late, valid_to=late)), Limits(), as_it_is).payload.valid_to
    with pytest.raises(NotAdmitted):
        admit(draft(payload=Fact(valid_from=late, valid_to=early)), Limits(), as_it_is)
