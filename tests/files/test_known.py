"""Known stores and the chain heads kept outside them."""

import json

import pytest

from tacit import ConfigError
from tacit.files.known_stores import KnownStores


def test_a_store_is_known_from_the_moment_it_is_added(tmp_path):
    """Paths and ids are kept in one file; adding the same again changes nothing."""
    known = KnownStores(tmp_path)
    assert ("", {}) == (known.id_of("/a.db"), known.all())
    known.add("/a.db", "one")
    known.add("/b.db", "two")
    before = (tmp_path / "stores.json").read_bytes()
    known.add("/a.db", "one")

    assert {"/a.db": "one", "/b.db": "two"} == KnownStores(tmp_path).all()
    assert before == (tmp_path / "stores.json").read_bytes()
    assert "tacit.stores/1" == json.loads(before)["schema"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"junk",
        b"[]",
        b"{}",
        b'{"schema": "tacit.stores/9", "stores": {}}',
        b'{"schema": "tacit.stores/1", "stores": []}',
    ],
)
def test_a_list_that_cannot_be_read_is_a_typed_error(tmp_path, content):
    """No store is opened as if it were unknown when the list is broken."""
    (tmp_path / "stores.json").write_bytes(content)

    with pytest.raises(ConfigError, match=r"stores\.json"):
        KnownStores(tmp_path).id_of("/a.db")


def test_a_head_only_moves_forward_unless_a_restore_says_so(tmp_path):
    """An older head never replaces a newer one by itself; one that cannot be read is as good as none."""
    known = KnownStores(tmp_path)
    known.keep_head("one", "/a.db", (5, "five"))
    known.keep_head("one", "/a.db", (3, "three"))
    assert (5, "five") == known.head("one", "/a.db")
    known.keep_head("one", "/a.db", (3, "three"), rewind=True)

    assert ((3, "three"), None) == (known.head("one", "/a.db"), known.head("one", "/copy.db"))
    next((tmp_path / "heads").iterdir()).write_text("junk")
    assert known.head("one", "/a.db") is None
