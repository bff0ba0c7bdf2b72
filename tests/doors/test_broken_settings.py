"""A slip in config.toml: the guard goes on, and whoever asks what is wrong is told."""

import json

import pytest

from tests.doors.speakers import AGENTS, Claude, hook

SLIPS = ['[hoks]\nignore = ["x"]\n', "[", '[guard.severity]\n"no.such" = "ask"\n', '[llm]\nuse = "http"\n']


@pytest.fixture(params=SLIPS)
def slip(request, own_home):
    """Leave settings that cannot be read."""
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text(request.param)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_hook_still_denies_by_the_built_in_rules(work, own_home, slip, agent):
    """What was harmless stays without a word, nothing is kept, and the journal says what is wrong."""
    speaks = agent(work)
    denied = hook(speaks.name, speaks.before("s", "rm -rf /", "1"))
    fine = hook(speaks.name, speaks.before("s", "ls -l", "2"))
    hook(speaks.name, speaks.failed("s", "make x", "3", "Exit code 1\nmake: gone"))

    assert "deny" == speaks.decision(denied)
    assert {} == fine
    assert not (own_home / "memory.db").exists()
    assert "built-in rules" in (own_home / "hooks.jsonl").read_text()


def test_a_process_that_starts_cold_denies_too(process, own_home, tmp_path):
    """Also where an earlier call left behind what cold starts go by."""
    asked = json.dumps(Claude(tmp_path).before("s", "rm -rf /", "1")).encode()
    process("hook", "claude", stdin=asked)
    (own_home / "config.toml").write_text(SLIPS[0])

    assert '"deny"' in process("hook", "claude", stdin=asked).out


def test_a_pack_of_ones_own_that_is_broken_leaves_the_built_in_rules(work, own_home):
    """So does a lexicon that is no text."""
    for name in ("guard/x.toml", "lexicon/x.md"):
        (own_home / name).parent.mkdir(parents=True)
        (own_home / name).write_bytes(b"\xff")
        speaks = Claude(work)

        assert "deny" == speaks.decision(hook("claude", speaks.before("s", "rm -rf /", name)))


def test_off_stays_off(work, slip, monkeypatch):
    """Whoever switched everything off meant the guard too."""
    monkeypatch.setenv("TACIT_OFF", "1")

    assert {} == hook("claude", Claude(work).before("s", "rm -rf /", "1"))


def test_doctor_and_status_say_what_is_wrong(tacit, slip):
    """Doctor with an error and exit 1, and what it means for hooks; status with a warning."""
    examined, state = tacit("doctor", "--json"), tacit("status", "--json")
    found = [one for one in examined.json["findings"] if one["level"] == "error"]

    assert 1 == examined.code
    assert ["settings"] == [one["subject"] for one in found]
    assert "hooks guard with the built-in rules only" in found[0]["hint"]
    assert 0 == state.code
    assert "hooks guard with the built-in rules only" in state.json["warnings"][0]


def test_a_pattern_that_is_none_does_not_keep_doctor_from_saying_so(tacit, own_home):
    """It shows only when the redactor is made."""
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text('[redact]\npatterns = [{kind = "x", pattern = "("}]\n')
    examined = tacit("doctor", "--json")

    assert 1 == examined.code
    assert any(one["subject"] == "settings" for one in examined.json["findings"] if one["level"] == "error")


def test_the_bare_program_at_a_pipe_is_no_refusal(process):
    """A hook whose words were dropped must not stop its agent: help, and exit 0."""
    answer = process(stdin=b'{"hook_event_name": "PreToolUse"}')

    assert 0 == answer.code
    assert "Usage: tacit" in answer.out
