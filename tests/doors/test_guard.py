"""`tacit guard` at the command line: exit codes, lines, explanations, and the rules of user and project."""

import json
from pathlib import Path

import pytest

PACK = """[[rule]]
id = "ours.deploy"
family = "ours"
severity = "ask"
reason = "it deploys"
programs = ["shipit"]
for = ["shipit"]
"""


@pytest.mark.parametrize(("command", "code"), [("ls", 0), ("rm -rf ~", 4), ("git tag -d v1", 5), ("$x y", 5)])
def test_the_exit_code_is_the_verdict(tacit, command, code):
    """0 allow, 4 deny, 5 ask or unsure."""
    assert code == tacit("guard", command).code


def test_lines_are_answered_in_order(tacit):
    """One object in, one out, with the place of each."""
    lines = [{"command": "rm -rf ~"}, {"command": "ls", "cwd": "/"}, {"command": "git tag -d v1"}]
    answer = tacit("guard", "--jsonl", "--policy", "replay", stdin="\n".join(map(json.dumps, lines)).encode())
    rows = [json.loads(line) for line in answer.out.splitlines()]

    assert ["deny", "allow", "ask"] == [row["verdict"] for row in rows]
    assert ["deny", "allow", "deny"] == [row["decision"] for row in rows]
    assert 2 == tacit("guard", "--jsonl", stdin=b"{}\n").code


def test_an_explanation_shows_what_runs_and_marks_it(tacit):
    """Wrapped commands are indented, the finding stands below, and the line is marked."""
    said = tacit("guard", "ls; sudo rm -rf ~", "--explain").out

    assert "\n  rm -rf $HOME\n" in said
    assert "deny rm.home" in said
    assert "^^^" in said


def test_rules_of_ones_own_and_their_severity(tacit, own_home):
    """A pack is added, a severity changed; the project may only tighten."""
    (own_home / "guard").mkdir(parents=True)
    (own_home / "guard" / "ours.toml").write_text(PACK)
    (own_home / "lexicon").mkdir()
    (own_home / "lexicon" / "danger.md").write_text("type::: guard-deny\nsynonyms:: shipit production\n")
    (own_home / "config.toml").write_text('[guard]\nseverity = { "git.restore" = "ask" }\n')
    assert [5, 4, 5] == [tacit("guard", one).code for one in ("shipit", "shipit production", "git restore x")]

    Path(".git").mkdir()
    Path(".tacit.toml").write_text('[guard]\nseverity = { "ours.deploy" = "deny", "rm.home" = "allow" }\n')
    assert [4, 4] == [tacit("guard", one).code for one in ("shipit", "rm -rf ~")]


@pytest.mark.parametrize("broken", ['severity = { "git.restore" = "maybe" }', f"x = {'1' * 5_000}", "x = 1"])
def test_broken_settings_leave_the_rules_as_they_come(tacit, own_home, broken):
    """A slip in config.toml is told beside the answer; only who checks the rules is refused."""
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text(f"[guard]\n{broken}\n")
    denied = tacit("guard", "rm -rf /", "--json")

    assert (4, "deny") == (denied.code, denied.json["verdict"])
    assert "judged with the default severities" in denied.err
    assert 0 == tacit("guard", "ls | wc").code
    assert "deny" in tacit("guard", "--jsonl", stdin=b'{"command": "rm -rf /"}').out
    assert 2 == tacit("guard", "check-rules").code


def test_a_broken_pack_is_told_and_all_other_rules_judge(tacit, own_home):
    """So is a severity of a rule that no pack has; only who checks the rules is refused."""
    (own_home / "guard").mkdir(parents=True)
    (own_home / "guard" / "ours.toml").write_text(PACK)
    (own_home / "guard" / "x.toml").write_bytes(b"\xff")
    (own_home / "config.toml").write_text('[guard]\nseverity = { "no.such" = "deny", "git.restore" = "ask" }\n')
    judged = [tacit("guard", line) for line in ("ls", "rm -rf ~", "shipit", "git restore x")]

    assert [0, 4, 5, 5] == [one.code for one in judged]
    assert all("x.toml" in one.err and "no.such" in one.err for one in judged)
    assert 2 == tacit("guard", "check-rules").code


def test_a_broken_lexicon_of_a_project_is_told_and_the_rest_of_it_counts(tacit):
    """In the answer of `guard`, and in `status` and `doctor`, where nothing of it is an error."""
    Path(".git").mkdir()
    Path("docs/src/kg").mkdir(parents=True)
    Path("docs/src/kg/bad.md").write_bytes(b"a\0b")
    Path("docs/src/kg/good.md").write_text("type::: guard-deny\nsynonyms:: shipit now\n")
    judged, state, examined = tacit("guard", "shipit now"), tacit("status", "--json"), tacit("doctor", "--json")

    assert (4, True) == (judged.code, "bad.md" in judged.err)
    assert "bad.md" in state.json["notices"][0]
    assert (0, True) == (examined.code, any("bad.md" in one["message"] for one in examined.json["findings"]))


def test_rules_are_checked(tacit, own_home):
    """All is well with the built-in ones; one of your own without an example is named."""
    assert 0 == tacit("guard", "check-rules").code
    (own_home / "guard").mkdir(parents=True)
    (own_home / "guard" / "x.toml").write_text(PACK.replace('for = ["shipit"]', ""))
    answer = tacit("guard", "check-rules", "--json")

    assert (5, "ours.deploy") == (answer.code, answer.json["findings"][0]["rule"])
    assert 2 == tacit("guard").code


LEXICON = {
    "a.md": ("type::: guard-allow\nsynonyms:: rm -rf\n", "adds no rule"),
    "b.md": ("type::: guard-deny\n", "no synonyms"),
    "c.md": ("priority:: 900\n", "priority must be 0 to 100"),
    "d.md": ("type::: guard-ask\nsynonyms:: x\n", "too short"),
}


@pytest.mark.parametrize("name", sorted(LEXICON))
def test_what_is_passed_over_in_a_lexicon_is_told(tacit, own_home, name):
    """A concept that holds back nothing, or a value that is wrong, is a finding; so is an unknown rule of a project."""
    text, message = LEXICON[name]
    (own_home / "lexicon").mkdir(parents=True)
    (own_home / "lexicon" / name).write_text(text)
    answer = tacit("guard", "check-rules", "--json")

    assert 5 == answer.code
    assert message in answer.json["findings"][0]["message"]


def test_an_unknown_rule_of_a_project_is_told(tacit):
    """It would tighten nothing."""
    Path(".git").mkdir()
    Path(".tacit.toml").write_text('[guard]\nseverity = { "no.such" = "deny" }\n')

    assert (5, True) == ((answer := tacit("guard", "check-rules")).code, "no.such" in answer.out)


def test_a_home_below_the_temporary_folder_is_a_home_all_the_same(tacit, tmp_path, monkeypatch):
    """R-medium: what lies in a temporary folder may be deleted, but not the keys of whoever has their home there."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert [4, 4] == [tacit("guard", command).code for command in ("rm -rf ~/.ssh", "rm -rf ~")]
