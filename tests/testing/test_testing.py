"""tacit.testing: what our tests and yours rely on."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import tacit.testing
from tacit import EmbedderFailed, UsageError
from tacit.testing import FakeClock, FakeEmbedder, temporary_memory


def test_the_face_is_what_it_says():
    """Four names are public."""
    assert ["FakeClock", "FakeEmbedder", "FakeLlm", "temporary_memory"] == tacit.testing.__all__


def test_a_fake_clock_moves_only_when_told():
    """It stands still, moves on, is set; its ids never repeat and sort in the order they were made."""
    clock = FakeClock()
    start = clock.now()
    later = clock.advance(days=1, seconds=5)
    ids = [clock.new_id("fact") for _ in range(100)]

    assert start == FakeClock().now() == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert 86_405 == (later - start).total_seconds()
    assert sorted(set(ids)) == ids
    assert {"fact_"} == {id[:5] for id in ids}
    clock.set(start)
    assert start == clock.now()


def test_a_fake_embedder_gives_unit_vectors_by_words():
    """Equal words give equal vectors, an empty text gives zeros, calls are counted, and it can be told to fail."""
    embedder = FakeEmbedder("m", dim=16)
    one, same, other, nothing = embedder.embed(["staging port", "PORT staging", "quite another", ""])

    assert (1, "m", 16, True) == (embedder.calls, embedder.model, embedder.dim, embedder.local)
    assert 1 == pytest.approx(float(np.linalg.norm(one)))
    assert one == pytest.approx(same)
    assert float(one @ other) < 1
    assert not nothing.any()
    embedder.fail = True
    with pytest.raises(EmbedderFailed):
        embedder.embed(["x"])


def test_a_temporary_memory_is_gone_afterwards():
    """It lies in the temporary folder and takes everything along."""
    with temporary_memory() as memory:
        memory.memorize("deploys are manual")
        place = Path(memory.location)
        assert place.exists()

    assert not place.parent.exists()


def test_two_memories_may_share_a_folder(tmp_path):
    """A given temporary folder stays, so that two callers can meet in one store."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        fact = memory.memorize("deploys are manual")
    with temporary_memory(folder=tmp_path) as memory:
        assert ("user", "agent") == (memory.get(fact.id).origin.actor, memory.actor)


@pytest.mark.parametrize("folder", ["/", "/home/somebody", "/var/lib"])
def test_a_folder_outside_the_temporary_one_is_refused(folder):
    """Here alone may a caller say who is writing, so it must not be a real store."""
    with pytest.raises(UsageError, match="temporary"), temporary_memory(folder=folder):
        pass


def test_a_folder_with_a_store_of_somebody_else_is_refused(tmp_path):
    """Where the temporary folder is set to a home, a real store in it is still not for tests."""
    (tmp_path / "memory.db").write_bytes(b"somebody's")
    with pytest.raises(UsageError, match="temporary"), temporary_memory(folder=tmp_path):
        pass

    assert ["memory.db"] == [path.name for path in tmp_path.iterdir()]


def test_a_link_out_of_the_temporary_folder_is_refused(tmp_path):
    """What only looks temporary is not."""
    (tmp_path / "door").symlink_to("/")
    with pytest.raises(UsageError, match="temporary"), temporary_memory(folder=tmp_path / "door" / "home"):
        pass
