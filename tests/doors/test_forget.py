"""`tacit forget`: a person sees what goes and is asked, an agent is refused, and undo steps over it."""

from __future__ import annotations

import json

import pytest

from tacit.doors.cli.commands.forget import MOST_SHOWN, _lines
from tacit.model.report import ForgetPreview
from tests.doors.terminal import at_terminal

TEXT = "the staging api listens on port 8443"


def kept(folder, text=TEXT, *, person=True):
    code, out, _shown = at_terminal(folder, "memorize", text, "--json", person=person)
    assert 0 == code
    return json.loads(out)["id"]


def test_a_person_sees_what_goes_and_types_yes(tmp_path):
    """The kind, the short id and the text are shown once, and only `yes` deletes."""
    id = kept(tmp_path)
    refused, out, shown = at_terminal(tmp_path, "forget", id, typed="y\n", person=True)

    assert (4, "") == (refused, out)
    assert f"fact {id[-8:]}" in shown
    assert 1 == shown.count(TEXT)
    assert 0 == at_terminal(tmp_path, "show", id)[0]

    code, out, _shown = at_terminal(tmp_path, "forget", id, typed="yes\n", person=True)

    assert (0, "forgot 1 record; this cannot be undone\n") == (code, out)
    assert 3 == at_terminal(tmp_path, "show", id)[0]


def test_undo_after_a_forget_takes_back_the_write_before(tmp_path):
    """Until now it ended with exit 6, every time."""
    first, second = kept(tmp_path, "deploys are manual"), kept(tmp_path)
    at_terminal(tmp_path, "forget", second, "--yes", typed="yes\n", person=True)
    code, out, _shown = at_terminal(tmp_path, "undo", person=True)

    assert 0 == code
    assert first[-8:] in out
    assert "cannot be undone" in out


def test_yes_asks_nothing(tmp_path):
    """A person may answer ahead."""
    code, out, shown = at_terminal(tmp_path, "forget", kept(tmp_path), "--yes", "--json", person=True)

    assert (0, "", "tacit.forget/1") == (code, shown, json.loads(out)["schema"])


def test_an_agent_is_refused_with_what_it_can_do_instead(tacit, process):
    """Exit 4, also for its own record; the hint names `tacit remove` and the line for the user."""
    id = tacit("memorize", TEXT, "--json").json["id"]
    for refused in (tacit("forget", id, "--json"), tacit("forget", id, "--yes", "--json")):
        error = refused.json["error"]

        assert (4, "person_needed") == (refused.code, error["code"])
        assert f"`tacit remove {id}`" in error["hint"]
        assert f"`tacit forget {id}`" in error["hint"]
    assert 0 == tacit("show", id).code


@pytest.mark.parametrize("is_person", [True, False])
def test_a_dry_run_changes_nothing_for_anybody(tacit, person, is_person):
    """The same is shown, and stays."""
    id = tacit("memorize", TEXT, "--json").json["id"]
    person(is_person)
    told, shown = tacit("forget", id, "--dry-run", "--json"), tacit("forget", id, "--dry-run").out

    assert [(id, "fact", TEXT)] == [(one["id"], one["kind"], one["text"]) for one in told.json["records"]]
    assert [f"  fact {id[-8:]}: {TEXT}", "1 record would go"] == shown.splitlines()
    assert 0 == tacit("show", id).code


def test_without_a_terminal_a_question_is_a_refusal(tacit, person):
    """A script that a person granted their right has nobody to ask."""
    id = tacit("memorize", TEXT, "--json").json["id"]
    person()

    assert (4, "refused") == ((asked := tacit("forget", id, "--json")).code, asked.json["error"]["code"])
    assert 0 == tacit("forget", id, "--yes").code


def test_what_hangs_on_a_record_is_told(tacit, person):
    """What cites it, and the facts about an entity."""
    id = tacit("memorize", TEXT, "--entity", "service/api", "--json").json["id"]
    entity = tacit("entity", "show", "service/api", "--json").json["record"]["id"]
    person()
    shown = tacit("forget", entity, "--dry-run").out

    assert f"facts about it, which stay: fact {id[-8:]}" in shown


def test_what_was_learned_is_named_before_the_turns():
    """A newcomer's trial: a rule that went with its session stood below "and 12 more"."""
    found = [ForgetPreview(id=f"turn_{n}", kind="turn", text="a turn", versions=1) for n in range(MOST_SHOWN)]
    rule = ForgetPreview(id="correction_1", kind="correction", text="use bun", versions=1)

    assert "use bun" in _lines([*found, rule], "would go")[0]
