"""Hostile shared folders: what is not as it should be is skipped and named, and the rest is taken."""

import hashlib
import json
import os
import zlib

import pytest

from tacit.errors import Refused, UsageError
from tacit.exchange.share import chunk as chunks
from tacit.exchange.share.chunk import ChunkHeader, packed
from tests.exchange.test_share import SCOPE, Homes

OTHER = "f" * 32


@pytest.fixture
def homes(tmp_path):
    """Two homes, of which one has pushed a good fact."""
    made = Homes(tmp_path)
    made.init("a", "b")
    made.write("a", "a good fact")
    made.push("a")
    return made


def folder_of(homes):
    return json.loads((homes.shared / "tacit-share.json").read_text())["id"]


def line(id, **changes):
    """A line as a push writes it."""
    return {
        "type": "record", "id": id, "kind": "fact", "scope": SCOPE, "key": "", "status": "active", "title": "",
        "body": f"the text of {id}", "tags": [], "importance": 0.5, "origin": {"actor": "user"}, "version": 1,
        "created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-01T10:00:00Z", "at": None, "trust": 3,
        "payload": {}, "payload_v": 1, "author": OTHER,
    } | changes  # fmt: skip


def put(homes, *lines, writer=OTHER, name="", content=None, **header):
    """Put a chunk into the folder of a writer."""
    given = {"schema": chunks.SCHEMA, "folder": folder_of(homes), "writer": writer, "number": 1} | header
    made, packed_ = packed(ChunkHeader(**given), lines)
    if content is not None:
        made, packed_ = f"{hashlib.sha256(content).hexdigest()}.chunk", content
    place = homes.shared / "writers" / writer
    place.mkdir(parents=True, exist_ok=True)
    (place / (name or made)).write_bytes(packed_)


def bomb():
    """Return few bytes that unpack to more than a chunk may have."""
    return zlib.compress(b"\0" * (chunks.MOST_UNPACKED_BYTES + 1), 9)


@pytest.mark.parametrize("case", [
    "wrong hash", "bomb", "cut off", "no header", "another schema", "another folder", "another writer", "not a record",
    "huge", "link", "pipe", "no chunk", "no writer", "linked writer", "name that is no text",
])  # fmt: skip
def test_a_bad_file_is_skipped_and_named(homes, case, monkeypatch):
    """Each is named with the reason, nothing waits or is followed, and the good fact arrives."""
    place = homes.shared / "writers" / OTHER
    place.mkdir()
    good = line("fact_01STOLEN")
    outside = homes.root / "outside"
    match case:
        case "wrong hash":
            put(homes, good, name=f"{'0' * 64}.chunk")
        case "bomb":
            put(homes, content=bomb())
        case "cut off":
            put(
                homes,
                content=packed(
                    ChunkHeader(schema=chunks.SCHEMA, folder=folder_of(homes), writer=OTHER, number=1), [good]
                )[1][:-9],
            )
        case "no header":
            put(homes, content=zlib.compress(b"hello\nworld"))
        case "another schema":
            put(homes, good, schema="tacit.share/9")
        case "another folder":
            put(homes, good, folder="a" * 32)
        case "another writer":
            name, content = packed(
                ChunkHeader(schema=chunks.SCHEMA, folder=folder_of(homes), writer="b" * 32, number=1), [good]
            )
            (place / name).write_bytes(content)
        case "not a record":
            put(homes, good, {"type": "record", "id": "../../etc/passwd", "version": True})
        case "huge":
            monkeypatch.setattr("tacit.exchange.share.folder.MOST_PACKED_BYTES", 2_000)
            put(homes, content=os.urandom(2_001))
        case "link":
            put(homes, good)
            (file,) = place.iterdir()
            file.rename(outside)
            file.symlink_to(outside)
        case "pipe":
            os.mkfifo(place / f"{'1' * 64}.chunk")
        case "no chunk":
            (place / "..chunk%2e").write_bytes(b"x")
            (place / "readme.txt").write_bytes(b"x")
        case "no writer":
            (homes.shared / "writers" / "..%2f").mkdir()
        case "linked writer":
            place.rmdir()
            outside.mkdir()
            place.symlink_to(outside)
        case _:
            (place / os.fsdecode(b"\xff\xfe.chunk")).write_bytes(b"x")
    report = homes.pull("b")

    assert 1 == len(report.skipped), report.skipped
    assert report.skipped[0].why
    assert {"fact": 1} == report.written
    assert {"a good fact"} == homes.texts("b")


BAD_LINES = {
    "another scope": {"scope": "project:other"},
    "user scope": {"scope": "user:tester"},
    "no scope": {"scope": "everything"},
    "a turn": {"kind": "turn", "id": "turn_01STOLEN"},
    "a failure": {"kind": "failure", "id": "failure_01STOLEN"},
    "an id of another kind": {"kind": "note"},
    "from the future": {"updated_at": "2999-01-01T00:00:00Z"},
    "a newer shape": {"payload_v": 99},
    "a wrong payload": {"payload": {"source": ["x"]}},
    "no text": {"body": 7},
    "a status nobody knows": {"status": "blessed"},
    "too large": {"body": "x" * 3_000_000},
    "unsafe advice": {
        "kind": "correction", "id": "correction_01STOLEN", "title": "rm -rf /",
        "payload": {"type": "other", "original": "ls", "corrected": "rm -rf / --no-preserve-root"},
    },
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(BAD_LINES))
def test_a_bad_record_is_left_and_named(homes, case):
    """It is named with the reason, and nothing of it reaches the store; the good fact beside it does."""
    bad = BAD_LINES[case]
    put(homes, line("fact_01STOLEN") | bad, line("fact_01FINE"))
    report = homes.pull("b")

    named = "1 record of project:other" if case == "another scope" else bad.get("id", "fact_01STOLEN")
    assert [named] == [one.what for one in report.left]
    assert {"a good fact", "the text of fact_01FINE"} == homes.texts("b")


def test_claims_earn_nothing(homes):
    """A line that says user and trust 3, in an unsigned chunk or one signed with an unknown key, has trust 1."""
    put(homes, line("fact_01CLAIMS"))
    put(homes, line("fact_02CLAIMS"), key="0123456789abcdef", signature="0" * 64, number=2)
    homes.pull("b")

    assert [1, 1] == [homes.record("b", f"fact_0{number}CLAIMS").trust for number in (1, 2)]


def test_another_author_cannot_be_claimed(homes):
    """Who names themselves author of somebody else's record can neither change nor remove it."""
    id = homes.write("a", "the port is 1")
    homes.push("a")
    homes.pull("b")
    put(homes, line(id, body="the port is 666", version=9))
    changed = homes.pull("b")
    put(homes, {"type": "removal", "id": id, "author": OTHER, "version": 10, "removed": "forgotten",
                "updated_at": "2026-03-02T10:00:00Z"}, number=2)  # fmt: skip
    removed = homes.pull("b")

    assert "the port is 1" == homes.record("b", id).body
    assert [id] == [one.what for one in changed.left] == [one.what for one in removed.left]


def test_another_folder_in_its_place_is_not_read(homes):
    """If the folder's id changed, a person has to accept it again; a broken mark is named."""
    (homes.shared / "tacit-share.json").write_text(json.dumps({"schema": chunks.SCHEMA, "id": "a" * 32}))
    with pytest.raises(Refused, match="its id changed"):
        homes.pull("b")
    (homes.shared / "tacit-share.json").write_text("[" * 100_000)
    with pytest.raises(UsageError):
        homes.pull("b")

    assert set() == homes.texts("b")


def test_a_missing_chunk_is_named(homes):
    """A chunk that a later one names and that is not there yet is named, and the others are read."""
    homes.write("a", "a second fact")
    homes.push("a")
    first = min(homes.chunks(), key=lambda path: path.stat().st_mtime_ns)
    first.unlink()
    report = homes.pull("b")

    assert [f"writers/{first.parent.name}/{first.name}"] == [one.what for one in report.skipped]
    assert {"a second fact"} == homes.texts("b")
