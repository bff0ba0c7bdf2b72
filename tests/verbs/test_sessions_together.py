"""Sessions that are imported at once: written together, and each is what it would be alone, whatever the others are."""

import json
import re

import pytest

from tacit.errors import StoreError
from tacit.model.record import replace
from tacit.model.settings import SessionRules
from tacit.sessions import turns
from tacit.testing import temporary_memory
from tests.agents import made

KEPT = ("session", "turn", "recap")


def session(folder, name, *commands):
    """Write a session of commands, each with the error it ended with; none if it worked."""
    rows = [made.claude_user(1, f"bring the shop {name} up, the key is AKIA2E0A8F3B1C4D5E6F")]
    for second, (command, error) in enumerate(commands, 2):
        told = f"Exit code 1\n{error}" if error else "fine"
        rows.append(made.claude_says(second, f"m{second}", made.use(f"t{second}", "Bash", command=command)))
        rows.append(made.claude_user(second, [made.gave(f"t{second}", told, error=bool(error))]))
    return made.lines(folder / f"{name}.jsonl", [{**row, "sessionId": name} for row in rows])


@pytest.fixture
def paths(tmp_path):
    missing = "make: *** No rule to make target 'biuld'"
    return [session(tmp_path / "t", f"s{number}", ("make biuld", missing), (f"make part-{number}", ""))
            for number in range(5)]  # fmt: skip


def opened(folder, **more):
    return temporary_memory(folder=folder, sessions=SessionRules(keep="turns", store="team"), **more)


def bring(memory, *paths):
    return memory.sessions.import_found(memory.sessions.discover([(path, "") for path in paths], named=True))


def kept(memory):
    """Return what is kept, without what differs between two imports of the same sessions."""
    found = memory.list(kinds=KEPT, captured=True, limit=1_000).records
    content = ((one.kind, one.key, one.title, one.body, one.trust, str(one.at), str(one.payload)) for one in found)
    # The tag of a secret is made with a key of the home.
    return sorted(re.sub(r"(\[redacted:\w+):\w+", r"\1", "\n".join(map(str, one))) for one in content)


def told(memory):
    """Return the events of sessions, each with the records whose changes it tells."""
    store = memory._c.store
    known = {one.id: one for one in memory.list(kinds=KEPT, captured=True, limit=1_000).records}
    return [
        (event.type, known[event.subject].key, [known[effect[0]].key for effect in event.payload.get("effects", ())])
        for event in store.events() if event.type.startswith("session.")
    ]  # fmt: skip


def test_sessions_of_one_import_are_what_each_would_be_alone(tmp_path, paths, monkeypatch):
    with opened(tmp_path / "together") as memory:
        begun, count = memory._c.store.transaction, []
        monkeypatch.setattr(memory._c.store, "transaction", lambda *args: count.append(1) or begun(*args))
        bring(memory, *paths)
        together, events = kept(memory), told(memory)
        checked = memory._c.store.verify()
    with opened(tmp_path / "alone") as memory:
        for path in paths:
            bring(memory, path)

        assert (kept(memory), told(memory)) == (together, events)
    assert ([1], True) == (count, checked.ok)
    assert 5 * (1 + 3 + 1) == len(together)
    assert "AKIA2E0A8F3B1C4D5E6F" not in str(together) and "[redacted:" in str(together)


def test_the_events_of_a_session_tell_its_own_changes(tmp_path, paths):
    """What is forgotten with a session is not told by the event of another."""
    with opened(tmp_path / "home", actor="user") as memory:
        bring(memory, *paths)

        assert all(other.startswith(key) for _type, key, changed in told(memory) for other in changed)
        memory.forget(session="s0")
        assert memory._c.store.verify().ok
        assert not [one for one in kept(memory) if "claude:s0" in one] and 4 == len(memory.sessions.list())


def test_one_that_is_refused_is_reported_and_the_others_are_kept(tmp_path, paths):
    """A turn that is refused takes only its own session's turns with it."""
    long = session(tmp_path / "t", "long", (f"echo {'words ' * 600}", ""))
    with opened(tmp_path / "home") as memory:
        memory.sessions._c = replace(memory.sessions._c, limits=replace(memory._c.limits, payload_bytes=2_000))
        result = bring(memory, *paths[:2], long, *paths[2:])
        found = {one.key for one in memory.list(kinds=["turn"], captured=True, limit=1_000).records}
        refused = [event for event in memory._c.store.events() if event.type == "not_admitted"]

        assert (5, [str(long)], 1) == (len(result.new), [one.path for one in result.unread], len(refused))
        assert {f"claude:s{number}#{turn}" for number in range(5) for turn in (1, 2, 3)} == found


def test_turns_that_another_process_keeps_at_that_moment_are_not_lost_nor_kept_twice(tmp_path, paths, monkeypatch):
    with opened(tmp_path / "home") as memory:
        bring(memory, *paths[:2])
        before = kept(memory)
        for path in paths[:2]:
            row = {**made.claude_user(40, "and the receipts"), "sessionId": path.stem}
            path.write_text(path.read_text() + json.dumps(row) + "\n")
        real, asked = turns._numbers, []

        def blind_at_first(c, one):
            asked.append(one.key)
            return set() if len(asked) == 1 else real(c, one)

        monkeypatch.setattr(turns, "_numbers", blind_at_first)
        result = bring(memory, *paths)
        after = kept(memory)

        assert (3, 2) == (len(result.new), len(result.grown))
        assert len(before) + 2 + 3 * (1 + 3 + 1) == len(after)
        assert memory._c.store.verify().ok


def test_what_was_read_before_a_transcript_that_fails_is_kept(tmp_path, paths):
    with opened(tmp_path / "home") as memory:
        found = memory.sessions.discover([(path, "") for path in paths], named=True)

        def broken(_builder):
            raise OSError("the disk is gone")
            yield

        found[3].transcript._read = broken
        with pytest.raises(OSError, match="the disk"):
            memory.sessions.import_found(found)

        assert {"claude:s0", "claude:s1", "claude:s2"} == {one.key for one in memory.sessions.list()}


def test_a_write_that_fails_leaves_no_session_half(tmp_path, paths, monkeypatch):
    with opened(tmp_path / "home") as memory:
        bring(memory, paths[0])
        before = kept(memory)

        def full(*_args):
            raise StoreError("the disk is full", "make room")

        monkeypatch.setattr("tacit.sessions.turns._put_next", full)
        with pytest.raises(StoreError):
            bring(memory, *paths)

        assert before == kept(memory)


def test_the_same_session_in_two_files_is_kept_once(tmp_path, paths):
    """The larger file holds more, also if the smaller one waits to be written."""
    longer = tmp_path / "copy" / "s1.jsonl"
    longer.parent.mkdir()
    row = {**made.claude_user(40, "and the receipts"), "sessionId": "s1"}
    longer.write_text(paths[1].read_text() + json.dumps(row) + "\n")
    with opened(tmp_path / "home") as memory:
        result = bring(memory, paths[0], paths[1], longer, paths[2])
        found = [one.key for one in memory.list(kinds=["turn"], captured=True, limit=1_000).records]

        assert (["claude:s0", "claude:s1", "claude:s2"], ["claude:s1"]) == (
            [one.key for one in result.new], [one.key for one in result.grown],
        )  # fmt: skip
        assert len(set(found)) == len(found) and "claude:s1#4" in found


def test_a_session_of_many_turns_is_kept_whole_among_small_ones(tmp_path, paths, monkeypatch):
    monkeypatch.setattr("tacit.sessions.session_import.TURNS_AT_ONCE", 6)
    monkeypatch.setattr(turns, "TURNS_AT_ONCE", 6)
    many = session(tmp_path / "t", "many", *((f"make part-{number}", "") for number in range(20)))
    with opened(tmp_path / "home") as memory:
        bring(memory, *paths[:3], many, *paths[3:])
        found = [one.key for one in memory.list(kinds=["turn"], captured=True, limit=1_000).records]

        assert (5 * 3 + 21, 6) == (len(set(found)), len(memory.list(kinds=["recap"], captured=True).records))


def test_sessions_of_which_no_turns_are_kept_do_not_wait_for_each_other_for_ever(tmp_path, paths, monkeypatch):
    """Without turns nothing was counted: all sessions of a home were one write at its very end."""
    from tacit.sessions import session_import

    sizes, together = [], session_import._written_together
    monkeypatch.setattr(session_import, "SESSIONS_AT_ONCE", 2)
    monkeypatch.setattr(
        session_import,
        "_written_together",
        lambda c, waiting, gone: sizes.append(len(waiting)) or together(c, waiting, gone),
    )
    with temporary_memory(folder=tmp_path / "home", sessions=SessionRules(keep="none")) as memory:
        bring(memory, *paths)

        assert (5, [2, 2, 1]) == (len(memory.list(kinds=["session"], captured=True).records), sizes)


def test_the_end_of_a_long_output_says_how_a_command_ended(tmp_path):
    """Only the end of an output is read, and an editor's shell marks it there."""
    from tacit.model.session import ToolCall, ToolOutcome, Turn
    from tacit.sessions.rules.kept_turns import kept_turns
    from tacit.sessions.rules.turns_as_read import as_read

    outcome = ToolOutcome(ok=None, output=f"{'line of a build' * 1_000}\n\x1b]633;D;1")
    turn = Turn(role="assistant", tool=ToolCall(name="Bash", kind="shell", command="make shop"), outcome=outcome)
    (found,) = kept_turns([as_read(turn)], "t", "a", str)

    assert (False, 1) == (found.turn.ok, found.turn.exit_code)
