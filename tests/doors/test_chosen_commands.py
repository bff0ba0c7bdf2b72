"""Procedures from sessions that keep no outcomes: a person chooses the steps by hand."""

from pathlib import Path

import pytest

from tests.doors.terminal import at_terminal

HISTORY = """
# aider chat started at 2026-11-15 20:51:50

> Aider v0.86.2

#### /run npm ci

> added 12 packages

#### build and ship it

I will run these.

> npm run build
> Run shell command? (Y)es/(N)o [Yes]: y
> Running npm run build
> built in 3 s
> Running ./ship.sh --token=ghp_Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2
> shipped
> Running ls -la
> total 0
"""
WORDS = ("procedure", "from-session", "--file", ".aider.chat.history.md", "--title", "Ship it")


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / ".aider.chat.history.md").write_text(HISTORY)
    return tmp_path


def steps(folder: Path, name: str) -> list[str]:
    _code, out, _shown = at_terminal(folder, "procedure", "show", name)
    return [line.strip() for line in out.splitlines() if line.strip()[:2] in ("1.", "2.", "3.")]


def test_a_person_chooses_from_a_list(folder):
    """S26: "no command worked" was all that an Aider session gave."""
    code, out, shown = at_terminal(folder, *WORDS, typed="1,2\n", person=True)

    assert "  1. npm ci  (outcome not known)" in shown
    assert "  2. npm run build  (outcome not known)" in shown
    assert ("ls -la" in shown, "ghp_Z9y8" in shown) == (False, False)
    assert (0, True) == (code, out.startswith("made ship-it"))
    assert ["1. npm ci", "2. npm run build"] == steps(folder, "ship-it")
    assert "2 of them chosen by a person" in at_terminal(folder, "procedure", "show", "ship-it")[1]


def test_a_person_chooses_by_number(folder):
    """S26: without being asked; what is made is a draft, which a person enables."""
    code, _out, _shown = at_terminal(folder, *WORDS, "--keep", "2", person=True)

    assert (0, ["1. npm run build"]) == (code, steps(folder, "ship-it"))
    assert 4 == at_terminal(folder, "procedure", "replay", "ship-it")[0]
    assert 0 == at_terminal(folder, "procedure", "enable", "ship-it", person=True)[0]


def test_choosing_nothing_makes_nothing(folder):
    """S26: the answer lists what could be chosen, and how."""
    code, _out, shown = at_terminal(folder, *WORDS, typed="\n", person=True)

    assert 3 == code
    assert "does not show which of its commands worked: 1. npm ci; 2. npm run build; 3. ./ship.sh" in shown
    assert "--keep 1,2" in shown


def test_an_agent_does_not_choose(tacit, folder):
    """S26: nobody knows whether the command worked; an agent's word for it is not enough."""
    plain = tacit(*WORDS[:2], "--file", str(folder / ".aider.chat.history.md"), "--json")
    chosen = tacit(*WORDS[:2], "--file", str(folder / ".aider.chat.history.md"), "--keep", "1", "--json")

    assert (3, 4) == (plain.code, chosen.code)
    assert "ghp_Z9y8" not in plain.out
    assert [] == tacit("procedure", "list", "--json").json["procedures"]
