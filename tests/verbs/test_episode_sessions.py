"""Imported sessions as episodes: what can be observed is kept, and what cannot stays unknown."""

import pytest

from tacit import UsageError
from tacit.episodes.rules.session_outcome import SessionCommand, ending_of
from tacit.model.episode import Episode
from tacit.model.record import payload_of, replace
from tacit.testing import temporary_memory
from tests.verbs import test_learn_from_sessions as test_distil
from tests.verbs.test_learn_from_sessions import transcript


@pytest.fixture
def memory(tmp_path):
    with temporary_memory(folder=tmp_path) as opened:
        yield opened


def take_in(memory, *paths, hosted=True):
    """Take sessions in, as from where their agent keeps them, or as somebody hands them in."""
    roots = tuple(str(path.parent) for path in paths) if hosted else ()
    memory.sessions._c = replace(memory.sessions._c, hosts=lambda: roots)
    return test_distil.take_in(memory, *paths)


def test_a_session_becomes_an_episode_once(memory, tmp_path):
    """Task from the prompt, steps from tools, outcome from the last test; again, nothing is made twice."""
    path = transcript(tmp_path, "s1", "Fix the login form", ("pytest -q", 1, "AssertionError: 3 != 4"),
                      ("CI=1 pytest -q", 0, "3 passed"))  # fmt: skip
    records = take_in(memory, path)
    first, again = memory.episodes.from_sessions(records), memory.episodes.from_sessions(records)
    (record,) = first.ended
    payload, steps = payload_of(record, Episode), memory.episodes.steps(record.id)

    assert ("Fix the login form", "complete", "success", "s1") == (
        record.title, record.status, payload.outcome, payload.session,
    )  # fmt: skip
    assert [("pytest", "error", True), ("pytest", "success", True)] == [(s.tool, s.result, s.outside) for s in steps]
    assert ("outside", True) == (payload.reward.evidence, payload.verified)
    assert ((), (), 1) == (again.ended, again.unknown, again.known)
    assert 1 == len(memory.episodes.list())


def test_what_is_unknown_stays_unknown(memory, tmp_path):
    """No test, no build, no word of the user: no outcome, no reward, nothing to learn from, and it is said."""
    path = transcript(tmp_path, "s1", "Look around", ("ls", 0, "a b"), ("cat a", 0, "x"))
    records = take_in(memory, path)
    taken, again = memory.episodes.from_sessions(records), memory.episodes.from_sessions(records)
    (record,) = taken.unknown
    payload = payload_of(memory.episodes.get(record.id), Episode)

    assert ("open", None, None) == (record.status, payload.outcome, payload.reward)
    assert 2 == memory.episodes.step_count(record.id)
    assert (0, 0, 0, 0) == memory.episodes.learn()[:4]
    assert () == memory.episodes.relevant("Look around").episodes
    assert ((), 2) == (again.ended, memory.episodes.step_count(record.id))


def test_a_session_that_grew_is_gone_on_with(memory, tmp_path):
    """Its new steps are added, and it ends when its end can be seen."""
    rows = ["Mend it", ("ls", 0, "a"), ("make build", 1, "error: no")]
    first = memory.episodes.from_sessions(take_in(memory, transcript(tmp_path, "s1", *rows[:2])))
    second = memory.episodes.from_sessions(take_in(memory, transcript(tmp_path, "s1", *rows)))

    assert [first.unknown[0].id] == [one.id for one in second.ended]
    assert ("failure", 2) == (
        payload_of(second.ended[0], Episode).outcome,
        len(memory.episodes.steps(second.ended[0].id)),
    )


def test_a_private_session_and_one_that_is_gone_make_no_episode(memory, tmp_path):
    """Nothing is invented, and what could not be read is named."""
    private = transcript(tmp_path, "s1", "#private my secret", ("pytest", 0, "ok"))
    gone = transcript(tmp_path, "s2", "Do it", ("pytest", 0, "ok"))
    records = take_in(memory, private, gone)
    gone.unlink()
    taken = memory.episodes.from_sessions(records)

    # Of the private one nothing is known, not even that it was.
    assert (1, (), ()) == (len(records), taken.ended, taken.unknown)
    assert 1 == len(taken.unreadable)


@pytest.mark.parametrize(
    ("ran", "said", "outcome"),
    [
        ([("pytest", True)], "", "success"), ([("pytest", False)], "", "failure"),
        ([("pytest", False), ("cargo test", True)], "", "success"),
        ([("npm run build", True), ("ls", False)], "", "success"),
        ([("pytest", True)], "that's wrong, undo it", "failure"), ([("ls", True)], "Thanks, it works now!", "success"),
        ([("pytest", None)], "", None), ([("ls", True)], "", None), ([], "", None),
        ([("echo attest buildings", True)], "", None), ([("ls", True)], "great, now " + "do this and that " * 20, None),
        ([("pytest", False)], "it doesn't work", "failure"),
    ],
)  # fmt: skip
def test_how_it_ended_is_what_can_be_seen(ran, said, outcome):
    """The user's last word, else the last test or build; a long prompt is an order and no verdict."""
    found = ending_of([SessionCommand(*one) for one in ran], said)

    assert outcome == found.outcome
    assert found.why


def test_what_is_handed_in_was_seen_by_nobody(memory, tmp_path):
    """A transcript anybody can write was outside evidence: tests that passed, and a user who is content."""
    path = transcript(tmp_path, "s1", "Fix the login form", ("pytest -q", 0, "3 passed"))
    (record,) = memory.episodes.from_sessions(take_in(memory, path, hosted=False)).ended
    payload = payload_of(record, Episode)

    assert ("success", False, "self") == (payload.outcome, payload.verified, payload.reward.evidence)
    assert [False] == [step.outside for step in memory.episodes.steps(record.id)]


def test_who_has_a_session_read_is_not_its_author(tmp_path):
    """A person's name on it made what tools and agents said as good as a person's word."""
    path = transcript(tmp_path, "s1", "Fix the login form", ("pytest -q", 0, "3 passed"))
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        (record,) = memory.episodes.from_sessions(take_in(memory, path)).ended
        memory.episodes.learn()
        trusts = {one.trust for one in memory.list(kinds=["pattern"]).records}

        assert ("agent", "claude", "s1", 1) == (
            record.origin.actor, record.origin.agent, record.origin.session, record.trust,
        )  # fmt: skip
        assert {1} == trusts


def test_two_that_take_the_same_session_write_its_steps_once(memory, tmp_path, monkeypatch):
    """Both saw that no step was there yet, and both wrote them all."""
    from tacit.episodes import from_sessions as episode_sessions

    path = transcript(tmp_path, "s1", "Look around", ("ls", 0, "a b"), ("cat a", 0, "x"))
    records, real, late = take_in(memory, path), episode_sessions.log, []

    def first_the_other(*given, **more):
        if not late:
            late.append(True)
            memory.episodes.from_sessions(records)
        return real(*given, **more)

    monkeypatch.setattr(episode_sessions, "log", first_the_other)
    taken = memory.episodes.from_sessions(records)
    (record,) = memory.episodes.list()

    assert (1, 2) == (taken.known, memory.episodes.step_count(record.id))


def test_two_that_begin_the_same_session_go_on_with_one(memory, tmp_path, monkeypatch):
    """The second was told that the key is taken, and the sessions after it were not read."""
    from tacit.episodes import from_sessions as episode_sessions

    path = transcript(tmp_path, "s1", "Look around", ("ls", 0, "a b"))
    records, real, late = take_in(memory, path), episode_sessions.start, []

    def first_the_other(*given, **more):
        if not late:
            late.append(True)
            memory.episodes.from_sessions(records)
        return real(*given, **more)

    monkeypatch.setattr(episode_sessions, "start", first_the_other)
    taken = memory.episodes.from_sessions(records)

    assert (1, 1, ()) == (len(memory.episodes.list()), len(taken.unknown), taken.unreadable)


def test_a_transcript_that_cannot_be_told_does_not_stop_the_others(memory, tmp_path, monkeypatch):
    """A tool without a name, or a text nobody can store, ended the whole pass."""
    from tacit.episodes import from_sessions as episode_sessions

    bad = transcript(tmp_path, "s1", "Fix the form", ("pytest -q", 0, "3 passed"))
    good = transcript(tmp_path, "s2", "Fix the login form", ("pytest -q", 0, "3 passed"))
    records, real = take_in(memory, bad, good), episode_sessions.task_of

    def tell(read, **more):
        if read.head.id == "s1":
            raise UsageError("a step needs a tool", "")
        return real(read, **more)

    monkeypatch.setattr(episode_sessions, "task_of", tell)
    taken = memory.episodes.from_sessions(records)

    assert (["Fix the login form"], 1) == ([one.title for one in taken.ended], len(taken.unreadable))
