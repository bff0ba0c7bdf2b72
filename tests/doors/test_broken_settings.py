"""A slip in config.toml: the guard goes on, and whoever asks what is wrong is told."""

import json

import pytest

from tests.doors.speakers import AGENTS, Claude, hook

SLIPS = ['[hoks]\nignore = ["x"]\n', "[", f"log = {'1' * 5_000}", '[llm]\nuse = "http"\n']

PACK = """[[rule]]
id = "ours.land"
family = "git"
severity = "deny"
reason = "x"
programs = ["land"]
for = ["land x"]
"""


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


@pytest.mark.parametrize("name", ["guard/x.toml", "lexicon/x.md", "config.toml"])
def test_a_file_of_rules_that_is_broken_is_left_out_and_all_else_works(work, own_home, name):
    """The other files count, the memory is kept, and the journal says once what is wrong."""
    for place, text in (("guard/y.toml", PACK), ("lexicon/y.md", "type::: guard-deny\nsynonyms:: shipit now\n")):
        (own_home / place).parent.mkdir(parents=True)
        (own_home / place).write_text(text)
    (own_home / name).write_bytes(b'[guard.severity]\n"no.such" = "ask"\n' if name == "config.toml" else b"\xff")
    speaks = Claude(work)
    lines = ("rm -rf /", "land here", "shipit now")
    denied = [speaks.decision(hook("claude", speaks.before("s", line, line))) for line in lines]
    hook("claude", speaks.failed("s", "make x", "3", "Exit code 1\nmake: gone"))

    assert ["deny"] * 3 == denied
    assert (own_home / "memory.db").exists()
    assert 1 == (own_home / "hooks.jsonl").read_text().count("the guard judged without it")


def test_settings_that_cannot_work_do_not_switch_the_guard_off(work, own_home, monkeypatch):
    """Neither a list of folders that is damaged, nor a variable that names no path."""
    own_home.mkdir(parents=True)
    (own_home / "memdirs.json").write_text("[" * 100_000)
    assert "deny" in json.dumps(hook("claude", Claude(work).before("s", "rm -rf /", "1")))
    (own_home / "memdirs.json").unlink()
    monkeypatch.setenv("TACIT_MEMDIR", "relative")

    assert "deny" in json.dumps(hook("claude", Claude(work).before("s", "rm -rf /", "2")))


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
    assert "hooks guard with the default severities" in found[0]["hint"]
    assert 0 == state.code
    assert "hooks guard with the default severities" in state.json["warnings"][0]


def test_a_pattern_that_is_none_does_not_keep_doctor_from_saying_so(tacit, own_home):
    """It shows only when the redactor is made."""
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text('[redact]\npatterns = [{kind = "x", pattern = "("}]\n')
    examined = tacit("doctor", "--json")

    assert 1 == examined.code
    assert any(one["subject"] == "settings" for one in examined.json["findings"] if one["level"] == "error")


def test_the_bare_program_at_a_pipe_is_no_refusal(process):
    """A hook whose words were dropped must not stop its agent: the screen, and exit 0."""
    answer = process(stdin=b'{"hook_event_name": "PreToolUse"}')

    assert 0 == answer.code
    assert "the memory of" in answer.out
