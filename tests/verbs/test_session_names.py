"""A session is found by any of its names, and forgotten whole; what only begins like a name is taken last."""

import pytest

from tacit import NotFound
from tacit.model.settings import SessionRules
from tacit.testing import temporary_memory
from tests.agents import made

RULES = SessionRules(keep="turns", store="team")


def bring(memory, path):
    (record,) = memory.sessions.import_found(memory.sessions.discover([(path, "")], named=True)).new
    return record


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path / "home", sessions=RULES, actor="user") as opened:
        yield opened


def one_prompt(folder, id):
    return made.lines(folder / f"{id}.jsonl", [made.claude_user(1, f"round the till of {id}") | {"sessionId": id}])


def test_a_turn_and_a_recap_stand_for_their_session(memory, tmp_path):
    """By their ids; a turn tells its place, too."""
    record = bring(memory, made.claude(tmp_path))
    turn = memory.list(kinds=["turn"], captured=True, limit=1).records[0]
    (recap,) = memory.list(kinds=["recap"], captured=True).records
    places = [memory.sessions.place(id) for id in (turn.id, turn.id[-8:], recap.id, record.id[-8:])]

    assert [(record.id, turn.payload.number)] * 2 + [(record.id, 0)] * 2 == [
        (one.record.id, one.turn) for one in places
    ]


def test_a_beginning_is_enough_if_one_session_has_it(memory, tmp_path):
    """Four letters at least, of the agent's own id; case does not matter in a short id."""
    first, second = (bring(memory, one_prompt(tmp_path, id)) for id in ("shop-till", "shop-fence"))
    found = [memory.sessions.get(name).id for name in ("shop-t", "claude:shop-f", first.id, second.id[-8:].lower())]

    assert [first.id, second.id, first.id, second.id] == found
    for name, said in (("shop", "2 sessions begin with"), ("sho", "there is no session"), ("", "there is no session")):
        with pytest.raises(NotFound, match=said):
            memory.sessions.get(name)


def test_a_whole_name_comes_before_a_beginning(memory, tmp_path):
    """Of two sessions, one of whose names begins with the other's."""
    first, _second = (bring(memory, one_prompt(tmp_path, id)) for id in ("agent-1", "agent-10"))

    assert first.id == memory.sessions.get("agent-1").id


def test_what_was_written_in_a_session_comes_before_a_beginning(memory, tmp_path):
    """A session that was not imported is not taken for another one whose name begins like its name."""
    bring(memory, one_prompt(tmp_path, "agent-10"))
    with temporary_memory(folder=tmp_path / "home", session="agent-1") as agent:
        kept = agent.memorize("The fence is red")

    assert [kept.id] == [one.id for one in memory.forget_preview(session="agent-1")]
    assert (kept.id,) == memory.forget(session="agent-1").ids


def test_the_id_of_a_session_forgets_all_that_was_kept_of_it(memory, tmp_path):
    """Its turns, those out of use too, and its recap; an import does not bring it back."""
    path = made.claude(tmp_path)
    record = bring(memory, path)
    parts = memory.list(kinds=["turn", "recap"], captured=True, limit=100).records
    memory.retire(parts[0].id)
    gone = memory.forget(record.id[-8:])
    again = memory.sessions.import_found(memory.sessions.discover([(path, "")], named=True))

    assert {record.id, *(one.id for one in parts)} == set(gone.ids)
    assert ((), 1) == (again.new, again.forgotten)


def test_nothing_to_forget_is_an_error(memory):
    """Also for a preview."""
    for forget in (memory.forget, memory.forget_preview):
        with pytest.raises(NotFound, match="there is no session 'nope'"):
            forget(session="nope")


@pytest.mark.parametrize("name", ["16.4.2026", "2026-04", "1.2.", "4/16"])
def test_what_looks_like_a_day_is_told_how_days_are_written(memory, name):
    """A newcomer's trial: `tacit recap 16.4.2026` said that there is no such session."""
    with pytest.raises(NotFound, match="is no day and no session"):
        memory.sessions.get(name)


@pytest.mark.parametrize("turns", [1, 600])
def test_a_session_that_is_forgotten_while_it_is_read_stays_forgotten(tmp_path, monkeypatch, turns):
    """The import wrote it again, and from then on it was no longer one that was forgotten."""
    from tacit.sessions import session_import

    path = made.lines(tmp_path / "t" / "s.jsonl", [made.claude_user(1, "count the till")])
    rules, home = SessionRules(keep="turns", store="team"), tmp_path / "home"
    with temporary_memory(folder=home, sessions=rules, actor="user") as memory:
        found = [(path, "")]
        memory.sessions.import_found(memory.sessions.discover(found, named=True))
        rows = [made.claude_user(n % 60, f"count the till {n}") for n in range(turns + 1)]
        made.lines(path, rows)
        real = session_import._written_together

        def meanwhile(*given):
            if memory.sessions.list():
                memory.forget(session=made.CLAUDE_ID)
            return real(*given)

        monkeypatch.setattr(session_import, "_written_together", meanwhile)
        done = memory.sessions.import_found(memory.sessions.discover(found, named=True))
        monkeypatch.undo()
        again = memory.sessions.import_found(memory.sessions.discover(found, named=True))

        assert ((), (), 1, 1) == (done.new, done.grown, done.forgotten, again.forgotten)
        assert [] == list(memory.list(kinds=["turn", "recap", "session"], captured=True).records)
