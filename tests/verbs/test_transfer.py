"""Transfer: everything goes out and comes back equal; what is foreign is a claim; what is hostile is refused."""

import contextlib
import json

import pytest
from hypothesis import given, strategies as st

from tacit import Conflict, KeyTaken, NotAdmitted, TacitError, UsageError
from tacit.testing import FakeClock, temporary_memory


def story(memory, clock):
    """Fill a memory with one of everything."""
    memory.memorize(
        "the api listens on 8443", entity=("service", "api"), tags=["net"], at="2026-01-01", source="README"
    )
    clock.advance(minutes=1)
    memory.memorize("the api listens on 8443", importance=0.9, valid_to="2027-01-01")
    memory.namespaces.add("lab", "for trials")
    memory.memorize("the api listens on 9000", entity=("service", "api"), namespace="lab")
    memory.memorize("the api listens on 9001", entity=("service", "api"))
    memory.entities.add("service", "db", "keeps things")
    memory.relations.add("service/api", "calls", "db", strength=0.5)
    clock.advance(minutes=1)
    memory.relations.add("service/api", "calls", "db", strength=0.7)
    memory.terms.add("SLO", "objective", category="ops")
    [note] = memory.add_many([{"kind": "note", "title": "ünï", "body": "日本語 🤷 </script>", "author": "ann"}])
    memory.retire(note)


def exported(memory):
    return [json.loads(line) for line in memory.export_lines()]


def comparable(lines):
    """Give what an import keeps: everything but the log, the authors, and what follows from them."""
    kept = [line for line in lines if line["type"] in ("record", "version", "link")]
    return sorted(
        json.dumps({k: v for k, v in line.items() if k not in ("origin", "trust")}, sort_keys=True) for line in kept
    )


@pytest.fixture(scope="module")
def parcel():
    clock = FakeClock()
    with temporary_memory(clock=clock, actor="user") as memory:
        story(memory, clock)
        return list(memory.export_lines())


def test_a_round_trip_keeps_records_versions_links_and_times(parcel):
    """What was exported, imported and exported again is equal, but for its author, who is a claim now."""
    with temporary_memory() as memory:
        done = memory.import_lines(parcel)
        before, after = [json.loads(line) for line in parcel], exported(memory)

        assert comparable(before) == comparable(after)
        count = {type: sum(line["type"] == type for line in before) for type in ("record", "version", "link", "event")}
        assert list(count.values()) == [done.records, done.versions, done.links, done.events_ignored]
        assert memory.verify().ok
        assert "the api listens on 8443" == memory.recall("api 8443")[0].record.body


def test_what_is_imported_is_trusted_little_whatever_it_claims(parcel):
    """A record that says a person wrote it has trust 1, its old origin under `claimed`, and stays out of context."""
    assert any('"actor":"user"' in line.decode() for line in parcel)
    with temporary_memory(actor="user") as memory:
        memory.import_lines(parcel)
        records = memory.list(statuses=(), limit=1000).records

        assert {1} == {record.trust for record in records}
        assert {"import"} == {record.origin.actor for record in records}
        assert {"user"} == {record.origin.claimed["actor"] for record in records}
        assert "" == memory.context().text


def test_an_equal_record_is_skipped(parcel):
    """Importing again writes no record; a later import adds only what is new."""
    with temporary_memory() as memory:
        first = memory.import_lines(parcel[: len(parcel) // 2 + 4])
        second = memory.import_lines(parcel)
        third = memory.import_lines(parcel)

        assert second.skipped == first.records
        assert (0, second.records + second.skipped) == (third.records, third.skipped)
        assert (0, 0) == (third.links, third.versions)
        assert memory.verify().ok


def test_a_conflicting_record_is_reported_and_nothing_is_written(parcel):
    """An id that exists with other content names the ids, and not even the other records come in."""
    with temporary_memory() as memory:
        memory.import_lines(parcel)
        changed = [json.loads(line) for line in parcel]
        for line in changed:
            if line["type"] == "record" and line["kind"] == "term":
                line["body"] = "something else"
                id = line["id"]
        fresh = json.loads(next(line for line in parcel if b'"type":"record"' in line and b"entity" in line))
        fresh |= {"id": fresh["id"][:-4] + "ZZZZ", "key": "other/thing"}
        before = memory.stats()
        with pytest.raises(Conflict) as caught:
            memory.import_lines([json.dumps(line).encode() for line in (*changed, fresh)])

        assert [id] == caught.value.details["ids"]
        assert before == memory.stats()


def test_a_taken_key_is_a_conflict_and_nothing_is_written(parcel):
    """Another record that holds the key here stops the whole import."""
    with temporary_memory() as memory:
        memory.terms.add("SLO", "something else")
        before = memory.stats()
        with pytest.raises(KeyTaken):
            memory.import_lines(parcel)

        assert before == memory.stats()


def record_line(parcel, **changes):
    """Give a good line of a fact with some fields changed; `...` removes one."""
    line = json.loads(next(x for x in parcel if b'"type":"record"' in x and b'"kind":"fact"' in x)) | changes
    return json.dumps({name: value for name, value in line.items() if value is not ...}).encode()


BAD_FIELDS = [
    {"id": "fact_\n0000"},
    {"id": "note_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"id": 5},
    {"id": "fact_" + "x" * 200},
    {"id": "fact_\u202e0000"},
    {"kind": "spell"},
    {"kind": 5},
    {"scope": "everything"},
    {"scope": 5},
    {"scope": "project:a b"},
    {"version": 0},
    {"version": True},
    {"version": "1"},
    {"version": 2**70},
    {"status": "happy"},
    {"status": 5},
    {"status": ["x"]},
    {"tags": "net"},
    {"tags": [5]},
    {"tags": 5},
    {"tags": ["x" * 500]},
    {"importance": 2},
    {"importance": "high"},
    {"importance": None},
    {"created_at": "yesterday"},
    {"created_at": 5},
    {"updated_at": None},
    {"at": "soon"},
    {"at": 5},
    {"origin": "me"},
    {"origin": ["x"]},
    {"payload": 5},
    {"payload": {"valid_from": "soon"}},
    {"payload_v": 99},
    {"payload_v": "1"},
    {"payload_v": 0},
    {"title": 5},
    {"title": "x" * 1001},
    {"body": "x" * 1_000_001},
    {"body": "\x00"},
    {"body": ["x"]},
    {"key": 5},
    {"body": ...},
    {"id": ...},
    {"origin": ...},
    {"payload": ...},
    {"type": "spell"},
    {"type": ...},
    {"type": ["x"]},
]


@pytest.mark.parametrize("bad", BAD_FIELDS, ids=lambda bad: "-".join(map(str, next(iter(bad.items()))))[:30])
def test_a_bad_field_is_typed_and_named_by_its_line(parcel, bad):
    """Whatever a field holds, the error is ours, names the line, and nothing was written."""
    with temporary_memory() as memory:
        with pytest.raises((UsageError, NotAdmitted), match="line 2") as caught:
            memory.import_lines([parcel[0], record_line(parcel, **bad), parcel[1]])

        assert "line 2" in caught.value.message
        assert {} == memory.stats().records


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"[]",
        b"5",
        b'"x"',
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"type": "header", "schema": "other/9"}',
        b'{"type": "header"}',
        b"[" * 100_000,
        b'{"type": "link"}',
        b'{"type": "link", "source": 5}',
        b"x" * 8_000_001,
        b'{"type": "link", "source": "a", "relation": "b", "target": "c", "scope": "x", "since": "2026-01-01T00:00Z"}',
    ],
    ids=lambda line: repr(line[:20]),
)
def test_a_bad_line_is_typed_and_named(parcel, line):
    """What is not a line of an export is refused with its number."""
    with temporary_memory() as memory:
        with pytest.raises(UsageError, match="line 3"):
            memory.import_lines([parcel[0], b"", line])

        assert {} == memory.stats().records


def test_versions_have_to_fit_their_record(parcel):
    """Versions without their record, twice the same, or newer than the record are refused."""
    past = next(line for line in parcel if b'"type":"version"' in line and b'"kind":"fact"' in line)
    id = json.loads(past)["id"]
    now = next(line for line in parcel if b'"type":"record"' in line and id.encode() in line)
    newer = json.dumps(json.loads(past) | {"version": 7}).encode()
    with temporary_memory() as memory:
        for lines in ([past], [past, past, now], [newer, now], [now, now]):
            with pytest.raises(UsageError):
                memory.import_lines(lines)

        assert 2 == len([memory.import_lines([now, past]), memory.history(id)])
        assert [1, 2] == [version.version for version in memory.history(id)]
        assert memory.verify().ok


def test_a_refused_import_leaves_an_event_without_content(parcel):
    """What breaks a limit leaves an event that names the field; the text is not in it."""
    with temporary_memory() as memory:
        with pytest.raises(NotAdmitted):
            memory.import_lines([record_line(parcel, title="secret " * 1000)])
        [event] = memory.events()

        assert ("not_admitted", "title") == (event.type, event.payload["field"])
        assert "secret" not in str(event)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
FIELDS = [
    "id",
    "kind",
    "scope",
    "key",
    "status",
    "title",
    "body",
    "tags",
    "importance",
    "origin",
    "version",
    "created_at",
]
FIELDS += ["updated_at", "at", "payload", "payload_v", "type", "hash"]


def test_no_line_breaks_the_import(parcel):
    """Any values in any fields: an error of ours or an import, and a store that is sound and can be read."""
    with temporary_memory() as memory:

        @given(st.dictionaries(st.sampled_from(FIELDS), JSON, min_size=1, max_size=3))
        def attempt(changes):
            with contextlib.suppress(TacitError):
                memory.import_lines([json.dumps(json.loads(record_line(parcel)) | changes)])

        attempt()

        assert memory.verify().ok
        assert {"import"} >= {value.origin.actor for type, value in memory._c.store.export() if type == "record"}


def link_line(source, target, **changes):
    """Give the line of a link between two records."""
    line = {"type": "link", "source": source, "relation": "contradicts", "target": target, "scope": "project:test"}
    return json.dumps(line | {"since": "2026-03-01T10:00:00Z"} | changes).encode()


def test_a_file_ties_nothing_between_records_that_are_here_already(parcel):
    """A link comes in when it brings one of its ends; between two known records it is left out."""
    with temporary_memory() as memory:
        memory.import_lines(parcel)
        one, two = (record.id for record in memory.list(kinds=["fact"]).records[:2])
        known = [line for line in parcel if json.loads(line)["type"] in ("record", "version")]
        fresh = json.loads(record_line(parcel)) | {"id": "fact_ZZZZZZZZ", "version": 1, "body": "entirely new"}
        before = memory.links(one)
        again = memory.import_lines([*known, link_line(one, two, relation="supersedes")])
        anew = memory.import_lines([*known, json.dumps(fresh).encode(), link_line(one, "fact_ZZZZZZZZ")])

        assert (0, 1) == (again.links, anew.links)
        assert ["fact_ZZZZZZZZ"] == [link.target for link in memory.links(one) if link not in before]


def test_a_link_that_is_in_the_file_twice_is_counted_once(parcel):
    """The number of links is the number that was written."""
    links = [line for line in parcel if json.loads(line)["type"] == "link"]
    with temporary_memory() as memory:
        done = memory.import_lines([*parcel, *links])

        assert len(links) == done.links == sum(line["type"] == "link" for line in exported(memory))


@pytest.mark.parametrize(
    "bad",
    [
        {"relation": ""},
        {"relation": "a\x00b"},
        {"relation": "a\x1bb"},
        {"relation": "x" * 201},
        {"weight": 1.5},
        {"weight": -1},
        {"weight": 1e400},
        {"payload": {"why": "x" * 5_000}},
        {"payload": {"why": "\x00"}},
        {"since": "2030-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_a_link_is_admitted_like_everything_else(bad):
    """Names, weights, payloads and times of links have their limits; the error names the line."""
    with temporary_memory() as memory:
        with pytest.raises((UsageError, NotAdmitted), match="line 1"):
            memory.import_lines([link_line("fact_0000", "fact_1111", **bad)])

        assert {} == memory.stats().records


def test_a_claimed_origin_is_kept_short(parcel):
    """What a file says of an author is kept whole when it is short; else only who, through what, in which session."""
    claims = {"actor": "user", "agent": "x" * 900, "session": 5, "note": ["y" * 9_000]}
    with temporary_memory() as memory:
        memory.import_lines([record_line(parcel, origin=claims, version=1)])
        [record] = memory.list(statuses=["active"], kinds=["fact"]).records

        assert {"actor": "user", "agent": "x" * 200} == record.origin.claimed


@pytest.mark.parametrize("field", ["created_at", "updated_at"])
def test_a_record_from_the_future_is_refused(parcel, field):
    """A time more than a day ahead is refused by its line: it would stay the newest; an hour ahead is a clock."""
    with temporary_memory() as memory:
        with pytest.raises(UsageError, match=r"line 1: .*future"):
            memory.import_lines([record_line(parcel, **{field: "2026-03-03T10:00:00Z"})])

        assert 1 == memory.import_lines([record_line(parcel, **{field: "2026-03-01T11:00:00Z"})]).records


@pytest.mark.parametrize("lines", [[], [b""], ["\n", " \n"]])
def test_nothing_is_no_export(lines):
    """An empty file is refused by name, and leaves no event of an import."""
    with temporary_memory() as memory:
        with pytest.raises(UsageError, match="contains no export"):
            memory.import_lines(lines)

        assert [] == memory.events()


def test_the_report_says_what_came_in_with_less_standing():
    """A person's fact and an accepted lesson are counted, one each; what claims nothing is not."""
    with temporary_memory(actor="user") as memory:
        memory.memorize("the api listens on 8443")
        memory.lessons.create("Run make lint before a commit")
        lines = exported(memory)
    lines = [line | ({"status": "promoted"} if line.get("kind") == "lesson" else {}) for line in lines]
    with temporary_memory(actor="agent") as memory:
        memory.memorize("the db listens on 5432")
        plain = exported(memory)
    with temporary_memory() as memory:
        done = memory.import_lines(json.dumps(line).encode() for line in lines)
        nothing = memory.import_lines(json.dumps(line).encode() for line in plain)

    assert ((2, 1), (0, 0)) == tuple((one.lowered, one.candidates) for one in (done, nothing))
