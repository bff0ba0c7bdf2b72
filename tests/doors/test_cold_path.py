"""The cold path of hooks: what it answers, the full path answers too, and it records nothing then."""

import json
import random
import sqlite3
from contextlib import closing

import pytest

from tacit.app.open import connect, current_settings, hook_caller
from tacit.doors.hooks.answer import respond
from tacit.doors.hooks.cold import NOTHING, cold_answer
from tacit.guard.packs import built_in
from tests.doors.speakers import AGENTS, Claude, hook

STEPS = 200
PROGRAMS = ("git", "ls", "cat", "npm", "make", "python", "gh", "curl", "pnpm", "deploytool", "sed", "docker")
WORDS = (
    "status", "push", "origin", "main", "--force", "-n", "-la", "src/", "src/a.py", "build", "run", "test", "-x",
    "--fields", "view", "pr", "install", "x1", "x2", "https://host.example/a", "--token", "s3cretvalue12345", "'a b'",
    "\"it's\"", "-m", "pytest", "a?b=1", "[abc]", "exec", "web", "$HOME", "--help", "key=value", "/tmp/f.txt", "é",
)  # fmt: skip
JOINTS = (" && ", " | ", "; ", " || ", "\n")
ERRORS = (
    "{program}: command not found", "error: unknown flag: {word}", "{program}: {word}: No such file or directory",
    'npm error Missing script: "{word}"', "ModuleNotFoundError: No module named '{word}'", "Permission denied",
    "fatal: unable to access 'https://host.example/': Could not resolve host: host.example", "something broke",
    "make: *** No rule to make target '{word}'.  Stop.", "zsh: no matches found: {word}", "fatal: not a git repository",
    "bash: -c: line 1: syntax error near unexpected token `&&'", "error: pathspec '{word}' did not match any file(s)",
)  # fmt: skip
PROMPTS = (
    "use pnpm instead of npm", "never push to main", "always run pytest with -x", "no, use gh instead of git push",
    "don't use sed -n, use cat", "stop using make build; use npm run build instead",
    "use pnpm as the package manager", "we use uv here",
)  # fmt: skip


def one_command(dice):
    return " ".join([dice.choice(PROGRAMS), *dice.choices(WORDS, k=dice.randrange(2))])


def line(dice):
    parts = [one_command(dice) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    text = parts[0]
    for part in parts[1:]:
        text += dice.choice(JOINTS) + part
    return f"cd app && {text}" if dice.random() < 0.1 else text


def position(home):
    """Give the number of the newest seal of the store: it changes with every write."""
    if not (home / "memory.db").exists():
        return 0
    with closing(sqlite3.connect(home / "memory.db")) as db:
        return db.execute("SELECT max(number) FROM seals").fetchone()


def both(home, agent, payload):
    """Give the cold answer, the full answer, and whether the full path wrote something."""
    data = json.dumps(payload).encode()
    cold = cold_answer(str(home), agent, data)
    before = position(home)
    full = respond(agent, data)
    return cold, full, position(home) != before


@pytest.mark.parametrize("round", range(2))
def test_what_the_cold_path_answers_the_full_path_answers_too(work, own_home, round, figures):
    """Random commands in a home that learned from random failures, fixes and corrections: cold silence is silence."""
    seed = random.randrange(2**32)
    dice, speaks = random.Random(seed), Claude(work)
    figures(f"cold path seed {round}", seed)
    hook("claude", speaks.failed("s0", "make it", "x", "Exit code 1\nboom"))  # from here on there is a store
    known = [line(dice) for _ in range(25)]
    answered = {"before": 0, "after": 0}
    for number in range(STEPS):
        session, call = dice.choice((f"s{dice.randrange(6)}", f"new{number}")), f"c{number}"
        command = dice.choice(known) if dice.random() < 0.6 else line(dice)
        act = dice.random()
        if act < 0.12:
            word = dice.choice(command.split())
            error = dice.choice(ERRORS).format(program=command.split()[0], word=word)
            hook("claude", speaks.failed(session, command, call, f"Exit code 1\n{error}"))
            continue
        if act < 0.15:
            hook("claude", {**speaks.base, "hook_event_name": "UserPromptSubmit", "session_id": session,
                            "prompt": dice.choice(PROMPTS)})  # fmt: skip
            continue
        payload = speaks.before(session, command, call)
        moment = "before" if act < 0.7 else "after"
        if moment == "after":
            said = dice.choice(("", "ok", f"{command.split()[0]}: nothing", "bash: line 1: foo: command not found"))
            response = {"stdout": said, "stderr": "", "interrupted": False, "isImage": False}
            payload |= {"hook_event_name": "PostToolUse", "tool_response": response}
        cold, full, wrote = both(own_home, "claude", payload)
        if cold:
            answered[moment] += 1
            assert (json.loads(cold), False) == (full, wrote), f"seed {seed}: {payload}"
    figures("cold answers before a command", answered["before"])
    figures("cold answers after a command", answered["after"])

    assert min(answered.values()) > 0


@pytest.mark.parametrize("agent", AGENTS)
def test_a_denial_is_the_same_on_both_paths(work, own_home, agent):
    """With its reason, in the agent's dialect; nothing is recorded on either."""
    speaks = agent(work)
    hook(speaks.name, speaks.before("s0", "ls", "x"))
    dice = random.Random(7)
    rules = list(built_in().rules.values())
    examples = [text for rule in rules for text in (*rule.deny_examples, *rule.allow_examples)]
    decided = 0
    for number, command in enumerate(dice.sample(examples, 80)):
        cold, full, wrote = both(own_home, speaks.name, speaks.before("s", command, f"c{number}"))
        decided += cold not in (b"", NOTHING)
        assert not cold or (json.loads(cold), False) == (full, wrote), command

    # The cold path reads the usual payloads of three agents; the full path answers the others.
    assert decided > 20 if speaks.name in ("claude", "codex", "cursor") else decided == 0


def test_a_denial_needs_no_memory_and_leaves_no_trace(work, own_home):
    """The usual answer to `rm -rf ~` is that of the cold path."""
    speaks = Claude(work)
    hook("claude", speaks.before("s", "ls", "x"))

    cold, full, wrote = both(own_home, "claude", speaks.before("s", "rm -rf ~", "y"))

    assert "deny" == json.loads(cold)["hookSpecificOutput"]["permissionDecision"]
    assert (json.loads(cold), False) == (full, wrote)


@pytest.mark.parametrize("switch", ["variable", "pause", "project"])
def test_where_tacit_may_be_off_the_full_path_denies_or_not(work, own_home, monkeypatch, switch):
    """A pause, a file of a person, a variable: only the full path looks into them."""
    hook("claude", Claude(work).before("s", "ls", "x"))
    if switch == "variable":
        monkeypatch.setenv("TACIT_OFF", "1")
    elif switch == "pause":
        (own_home / "pause.json").write_text('{"until": "2999-01-01T00:00:00.000000Z"}')
    else:
        (own_home / "off").mkdir()
    data = json.dumps(Claude(work).before("s", "rm -rf ~", "y")).encode()

    assert b"" == cold_answer(str(own_home), "claude", data)
    assert NOTHING == cold_answer(str(own_home), "claude", json.dumps(Claude(work).before("s", "ls", "z")).encode())


def test_failures_of_a_program_do_not_slow_its_other_commands(work, own_home):
    """L8: a home that has learned failures and fixes of git and ls is as quick as an empty one."""
    speaks = Claude(work)
    for number in range(3):
        hook("claude", speaks.failed("s1", f"git checkout brnch{number}", f"f{number}",
             f"Exit code 1\nerror: pathspec 'brnch{number}' did not match any file(s) known to git"))  # fmt: skip
        hook("claude", speaks.worked("s1", f"git checkout branch{number}", f"w{number}"))
        hook("claude", speaks.failed("s1", f"ls lib{number}/", f"g{number}",
             f"Exit code 2\nls: cannot access 'lib{number}/': No such file or directory"))  # fmt: skip
    quiet = ("git status", "git checkout main", "ls src/", "ls -la", "git log --oneline | head -5", "git add -A && ls")
    told = ("git checkout brnch1",)

    for number, command in enumerate((*quiet, *told)):
        cold, full, _wrote = both(own_home, "claude", speaks.before("s2", command, f"q{number}"))
        assert (NOTHING if command in quiet else b"") == cold, command
        assert (command in told) == bool(full)


def test_a_fact_that_was_shown_does_not_slow_the_session(work, own_home):
    """Only a warning before a command waits for a reaction; a fact that was shown waits for nothing."""
    speaks = Claude(work)
    with connect(current_settings(), hook_caller()) as memory:
        memory.memorize("The staging API listens on port 8443", importance=0.9)
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "which port has the staging API?"}

    assert "8443" in json.dumps(hook("claude", {**speaks.base, **prompt}))
    cold, full, wrote = both(own_home, "claude", speaks.worked("s1", "git status", "w"))
    assert (NOTHING, {}, False) == (cold, full, wrote)


def test_a_correction_is_told_by_the_full_path(work, own_home):
    """One that says what to use instead of a program, or a rule; and only before the commands they are about."""
    speaks = Claude(work)
    for said in ("use pnpm instead of npm", "never push to main", "use uv as the package manager"):
        hook("claude", {**speaks.base, "hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": said})
    expected = {"npm install x": b"", "git push origin main": b"", "git push origin topic": NOTHING, "npx x": NOTHING,
                "pip3 install x": b"", "pip3 --version": NOTHING}  # fmt: skip

    for number, (command, answer) in enumerate(expected.items()):
        cold, full, _wrote = both(own_home, "claude", speaks.before("s2", command, f"q{number}"))
        assert answer == cold, command
        assert bool(full) == (answer == b"")
