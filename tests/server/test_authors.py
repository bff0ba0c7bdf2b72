"""On a server every record names who wrote it, and nobody forgets what somebody else wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tacit import NotFound, Refused
from tacit.app.memory import Memory
from tacit.doors.mcp.tools import TOOLS
from tacit.loop.reminders import reminders
from tacit.loop.session_start import session_start
from tacit.model.origin import Origin, author_of
from tacit.model.settings import SessionRules
from tests.agents import made
from tests.doors.terminal import at_terminal
from tests.postgres import Database
from tests.server.crew import memory_of

TEXT = "the staging api listens on port 8443"
Person = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path, role: str, database: Database) -> Iterator[Callable[[str], Any]]:
    """Return `opened(name, actor=…)`: the memory as `ann` or as `bob`, neither of whom owns the store."""
    database.let_in("local", role)
    urls = {"ann": database.url, "bob": database.server.as_role(role, database.name)}
    yield lambda name, actor="user", **more: memory_of(
        urls[name], "local", tmp_path / name, scope="project:x", actor=actor, user=f"{name}-at-home", **more
    )


def test_an_author_is_a_role_and_a_person() -> None:
    """N10: `actor user, host vm` named nobody; a file has no roles, and says none."""
    said = [author_of(Origin(actor="user", role="ann", person="anna")), author_of(Origin(actor="agent", role="ann"))]

    assert ["ann (anna)", "agent of ann", "", "import of ann"] == [
        *said, author_of(Origin(actor="user", person="x")), author_of(Origin(actor="import", role="ann", person="ann")),
    ]  # fmt: skip


@pytest.mark.parametrize("actor", ["user", "agent"])
def test_what_ann_wrote_names_her_wherever_bob_sees_it(opened: Any, role: str, actor: str) -> None:
    """N10: in the record, `why`, the manifest, the context, a session's start, a prompt and the rows of tools."""
    with opened("ann", actor=actor) as ann:
        id = ann.memorize(TEXT, importance=0.9).id
        ann.remember("always use pnpm instead of npm")
        ann.lessons.create("pin the version of the api")
    name = f"{'' if actor == 'user' else 'agent of '}tester (ann-at-home)"
    with opened("bob") as bob:
        c = bob._c
        said = {
            "record": author_of(bob.get(id).origin), "why": "\n".join(bob.why(id).sentences),
            "manifest": json.dumps(bob.manifest(query="staging port", statuses=["candidate", "active"])),
            "context": bob.context().text,
            "prompt": "\n".join(one.text for one in reminders(c, "which port does the staging api listen on?")),
            "tool": next(one for one in TOOLS if one.name == "recall").actions["get"].show(bob.get(id), 600).text,
            "start": session_start(c).text if actor == "user" else name,
        }  # fmt: skip

    assert [] == [where for where, text in said.items() if name not in text]
    assert "by the user" not in said["context"] + said["prompt"] + said["start"]


def test_anns_rule_is_not_bobs_own(opened: Any) -> None:
    """N10: it is told as data with her name, not as a rule that the user stated; her own she gets as hers."""
    rule = "always use pnpm instead of npm"
    with opened("ann") as ann:
        ann.remember(rule)
        own = session_start(ann._c).text
    with opened("bob") as bob:
        told = session_start(bob._c).text

    assert (True, False) == ("\n- pnpm instead of npm (since" in own, "\n- pnpm" in told)
    assert "[rule; by tester (ann-at-home); since" in told


def test_the_command_line_names_authors(tmp_path: Path, role: str, database: Database) -> None:
    """N10: show, recall and history, each version with its own."""
    database.let_in("local", role)
    ann = {"TACIT_STORE": database.url, "TACIT_SCOPE": "project:x"}
    bob = {**ann, "TACIT_STORE": database.server.as_role(role, database.name)}
    id = json.loads(at_terminal(tmp_path, "memorize", TEXT, "--json", person=True, env=ann)[1])["id"]
    at_terminal(tmp_path, "edit", id, "--body", f"{TEXT} since May", person=True, env=bob)

    shown = [at_terminal(tmp_path, *words, env=bob)[1] for words in (["show", id], ["recall", "staging port"])]
    history = at_terminal(tmp_path, "history", id, env=bob)[1]

    assert [True, True] == [f"{role} (" in text or f"by {role}" in text for text in shown]
    assert (True, True) == ("tester" in history, role in history)
    origin = json.loads(at_terminal(tmp_path, "show", id, "--json", env=bob)[1])["record"]["origin"]
    assert (role, True) == (origin["role"], bool(origin["person"]))


def test_bob_may_not_forget_what_ann_wrote(tmp_path: Path, role: str, database: Database) -> None:
    """N10: not with `--yes`, and he is not asked; she may, and so may an owner of the store; and the same for her."""
    database.let_in("local", role)
    ann = {"TACIT_STORE": database.url, "TACIT_SCOPE": "project:x"}
    bob = {**ann, "TACIT_STORE": database.server.as_role(role, database.name)}
    theirs, mine, other = (
        json.loads(at_terminal(tmp_path, "memorize", text, "--json", person=True, env=who)[1])["id"]
        for text, who in ((TEXT, ann), ("deploys are manual", bob), ("the build takes an hour", bob))
    )

    refused, _out, said = at_terminal(tmp_path, "forget", theirs, "--yes", typed="yes\n", person=True, env=bob)
    assert (4, True, False) == (refused, "tester wrote it" in said, "Type yes" in said)
    assert 0 == at_terminal(tmp_path, "show", theirs, env=ann)[0]
    assert 0 == at_terminal(tmp_path, "forget", theirs, "--yes", person=True, env=ann)[0]
    assert 0 == at_terminal(tmp_path, "forget", mine, "--yes", person=True, env=bob)[0]
    assert 4 == at_terminal(tmp_path, "forget", other, "--yes", typed="yes\n", person=True, env=ann)[0]
    owner = {**ann, "TACIT_STORE": database.admin_url}
    assert 0 == at_terminal(tmp_path, "forget", other, "--yes", typed="yes\n", person=True, env=owner)[0]


def test_every_way_to_forget_is_closed(opened: Any) -> None:
    """N10: by its id, with what was derived, one version among others, what her agent wrote, and by session."""
    with opened("ann") as ann:
        fact = ann.memorize(TEXT).id
    with opened("ann", actor="agent") as agent:
        note = agent.notes.create("what an agent of Ann found").id
    with opened("bob") as bob:
        own = bob.memorize("deploys are manual").id
        bob.revise(fact, body=f"{TEXT} since May")
        for call in (
            lambda: bob.forget(fact), lambda: bob.forget(fact, derived=True), lambda: bob.forget(own, note),
            lambda: bob.forget(note, force=True), lambda: bob.forget(session="test"),
        ):  # fmt: skip
            with pytest.raises(Refused, match="tester wrote it"):
                call()

        assert {fact, note, own} <= {one.id for one in bob.list(captured=True).records}
        assert [True, False] == [bool(one.refused) for one in bob.forget_preview(fact, own)]


def test_bob_drops_no_turns_of_ann(opened: Any, tmp_path: Path) -> None:
    """What she kept of her sessions on the server stays, whatever his settings keep."""
    path = made.claude(tmp_path / "t")
    with opened("ann", sessions=SessionRules(keep="turns", store="team")) as ann:
        ann.sessions.import_found(ann.sessions.discover([(path, "")], named=True))
        kept = len(ann.list(kinds=["turn", "recap"], captured=True, limit=1_000).records)
    with opened("bob", sessions=SessionRules(keep="none", store="team")) as bob:
        assert (0, kept) == ((gone := bob.sessions.drop()).sessions, gone.others)
        assert kept == len(bob.list(kinds=["turn", "recap"], captured=True, limit=1_000).records) > 3


def test_a_member_of_her_role_may(opened: Any, role: str, database: Database) -> None:
    """N10: forgetting somebody else's needs their role: given by the server, taken by the server."""
    with opened("bob") as bob:
        his = bob.memorize("deploys are manual").id
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE eve_the_member LOGIN NOSUPERUSER")
    try:
        database.let_in("local", "eve_the_member")
        url = database.server.as_role("eve_the_member", database.name)
        with memory_of(url, "local", "/tmp", scope="project:x", actor="user", cwd=Path("/")) as eve:
            with pytest.raises(Refused, match=f"{role} wrote it"):
                eve.forget(his)
            with psycopg.connect(database.admin_url, autocommit=True) as admin:
                admin.execute(f"GRANT {role} TO eve_the_member")
            eve.forget(his)

            assert eve.get(his) is None
    finally:
        with psycopg.connect(database.admin_url, autocommit=True) as admin:
            admin.execute("DROP OWNED BY eve_the_member; DROP ROLE eve_the_member")


def test_undo_takes_back_nothing_of_somebody_else(opened: Any) -> None:
    """N10: both are persons, so `tacit undo` took back whoever's write was the last one in the project."""
    with opened("ann") as ann:
        hers = ann.memorize(TEXT).id
    with opened("bob", actor="agent") as agent:
        agent.memorize("the build takes an hour")
    with opened("bob") as bob:
        his = bob.memorize("deploys are manual").id
    with opened("ann") as ann:
        assert (hers,) == ann.undo().ids
        with pytest.raises(NotFound, match="nothing to undo"):
            ann.undo()
    with opened("bob") as bob:
        assert (his,) == bob.undo().ids
        assert ["the build takes an hour"] == [one.body for one in bob.undo().records]


def test_undo_takes_back_no_approval_of_somebody_else(opened: Any) -> None:
    """Every event of a write tells whose it is: undo meets the last one first."""
    with opened("ann", actor="agent") as agent:
        facts = [agent.memorize(text).id for text in (TEXT, "the build takes an hour")]
    with opened("ann") as ann:
        ann.approve(*facts)
    with opened("bob") as bob, pytest.raises(NotFound, match="nothing to undo"):
        bob.undo()
    with opened("ann") as ann:
        assert {3} == {ann.get(id).trust for id in facts}
        assert set(facts) == set(ann.undo().ids)


def test_pruning_erases_no_steps_that_somebody_else_logged(opened: Any) -> None:
    """N10: `episode prune` erased the texts of everybody's steps for good. Those of others stay, and are counted."""
    with opened("ann") as ann:
        episode = ann.episodes.start("Ship the API")
        episode.step(tool="make", action="make ship", result="error", observation="no rule to make target")
        episode.complete("failure")
    with opened("bob") as bob:
        left = bob.episodes.prune(below_reward=1.0)
    with opened("ann") as ann:
        steps = ann.episodes.steps(episode.id)
        done = ann.episodes.prune(below_reward=1.0)

    assert ((), 1, 1) == (left.erased, left.of_others, len(steps))
    assert (1, 0) == (done.bodies, done.of_others)
