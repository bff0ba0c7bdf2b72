"""On a server a record names the role that wrote it, and another person's record is never forgotten unasked."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doors.terminal import at_terminal
from tests.postgres import Database

TEXT = "the staging api listens on port 8443"


def test_bob_is_asked_about_anns_fact(tmp_path: Path, role: str, database: Database) -> None:
    """`--yes` does not answer for another person's record, and the question names its author."""
    database.let_in("local", role)
    ann = {"TACIT_STORE": database.url, "TACIT_SCOPE": "project:x"}
    bob = {**ann, "TACIT_STORE": database.server.as_role(role, database.name)}
    theirs, mine = (
        json.loads(at_terminal(tmp_path, "memorize", text, "--json", person=True, env=who)[1])["id"]
        for text, who in ((TEXT, ann), ("deploys are manual", bob))
    )

    refused, _out, shown = at_terminal(tmp_path, "forget", theirs, "--yes", typed="\n", person=True, env=bob)
    assert (4, True) == (refused, "written by tester on " in shown)
    assert 0 == at_terminal(tmp_path, "show", theirs, env=ann)[0]
    assert 0 == at_terminal(tmp_path, "forget", theirs, "--yes", typed="yes\n", person=True, env=bob)[0]
    assert 3 == at_terminal(tmp_path, "show", theirs, env=ann)[0]

    code, _out, shown = at_terminal(tmp_path, "forget", mine, "--yes", person=True, env=bob)
    assert (0, "") == (code, shown)
