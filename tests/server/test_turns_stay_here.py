"""On a server, what was said in sessions stays in the home of the person, unless they say otherwise."""

import pytest

from tacit.model.settings import SessionRules
from tacit.testing import temporary_memory
from tests.agents import made


@pytest.fixture
def transcript(tmp_path):
    return made.claude(tmp_path / "transcripts")


def bring(memory, path):
    return memory.sessions.import_found(memory.sessions.discover([(path, "")], named=True))


def kept(memory):
    return memory._c.store.count(memory._c.filter(kinds=("turn", "recap")))


def opened(tmp_path, database, **rules):
    database.let_in("stay")
    given = {"store": database.url, "tenant": "stay", "sessions": SessionRules(keep="turns", **rules)}
    return temporary_memory(folder=tmp_path / "home", **given)


def test_turns_recaps_and_words_of_sessions_stay_in_a_file_of_the_home(tmp_path, transcript, database):
    with opened(tmp_path, database) as memory:
        (record,) = bring(memory, transcript).new
        found = memory.recall("rounding in the till")

        assert ("", "claude session") == (record.body, record.title)
        assert 0 == kept(memory) and found.second
        assert (tmp_path / "home" / "home" / "sessions.db").exists()
        (turn, *_rest) = memory.list(kinds=["turn"], captured=True).records
        assert turn == memory.get(turn.id)
        assert "Fix the rounding" in memory.sessions.timeline().entries[0].title


def test_a_forgotten_session_is_gone_from_both_and_stays_so(tmp_path, transcript, database):
    with opened(tmp_path, database) as memory:
        bring(memory, transcript)
        memory.forget(session=made.CLAUDE_ID)

        assert () == bring(memory, transcript).new
        assert () == memory.list(kinds=["turn"], captured=True).records


def test_a_person_may_give_them_to_the_team(tmp_path, transcript, database):
    with opened(tmp_path, database, store="team") as memory:
        bring(memory, transcript)

        assert kept(memory) > 3


def test_turns_that_are_added_are_found_again_where_they_stay(tmp_path, database):
    with opened(tmp_path, database) as memory:
        items = [{"kind": "turn", "body": "It listens on 8443", "thread": "c1"}, {"kind": "fact", "body": "x is y"}]
        turn, fact = memory.add_many(items)

        assert [turn] == [hit.id for hit in memory.recall("8443", kinds=["turn"])]
        assert fact == memory.get(fact).id and 0 == kept(memory)
