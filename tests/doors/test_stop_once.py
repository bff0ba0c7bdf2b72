"""A mistake that would come back is stopped once, with what happened, what was checked and the fix."""

import json
import subprocess

import pytest

from tacit.app.open import connect, hook_caller, settings_in
from tacit.doors.hooks.entry import answered
from tacit.exchange.import_drafts import draft_of
from tacit.exchange.readers.import_batch import ForeignItem
from tacit.failures.corrections import corrections
from tacit.failures.injection_log import stop_once
from tacit.failures.standing_causes import KIND, OVERRIDDEN, is_muted
from tacit.model.event import NewEvent
from tacit.model.failure import Correction, Failure
from tacit.model.record import Draft, payload_of
from tacit.records.write import new_record, writing
from tacit.testing import temporary_memory
from tests.doors.speakers import Claude, hook, memory_here

MISSING = 'Exit code 1\nnpm error Missing script: "biuld"'


def script(work, *names):
    (work / "package.json").write_text(json.dumps({"scripts": dict.fromkeys(names, "true")}))


def start(speaks, session, source="startup"):
    return hook("claude", {**speaks.base, "session_id": session, "hook_event_name": "SessionStart", "source": source})


def test_one_failure_is_stopped_once_with_its_fix_and_insisting_passes(work):
    """S4, After one: denied with the fix before it runs; the same command again passes, in that session only."""
    script(work, "build")
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))
    hook("claude", speaks.worked("s1", "npm run build", "b"))
    stopped = hook("claude", speaks.before("s2", "npm run biuld", "c"))
    reason = stopped["hookSpecificOutput"]["permissionDecisionReason"]

    assert "deny" == speaks.decision(stopped)
    assert all(part in reason for part in ("failed here 1 time", "package.json has no script biuld", "`npm run build`"))
    assert stopped == hook("claude", speaks.before("s2", "npm run biuld", "c")), (
        "the same call: it got no answer before"
    )
    assert {} == hook("claude", speaks.before("s2", "  npm run biuld ", "d"))
    assert {} == hook("claude", speaks.before("s2", "npm run build", "e"))
    assert "deny" == speaks.decision(hook("claude", speaks.before("s3", "npm run biuld", "f")))


def test_checks_that_were_pending_stop_nobody(work):
    """A newcomer's trial: `gh pr checks 90` was denied, because its checks had been pending four times."""
    speaks = Claude(work)
    for call in "abcd":
        hook("claude", speaks.failed("s1", "gh pr checks 90", call, "Exit code 8\nbuild\tpending\t0\tci.example"))
    hook("claude", speaks.worked("s1", "gh pr checks 90 --watch", "e"))

    assert {} == hook("claude", speaks.before("s2", "gh pr checks 90", "f"))


def stored_before(stored, key):
    """Store a failure as an older version did."""
    with memory_here() as memory, writing(c := memory._c, c.clock.now()) as tx:
        draft = Draft(kind=KIND, scope=str(c.scope), key=key, title="x", body="x", payload=stored)
        tx.put(record := new_record(c, draft, c.clock.now()))
        tx.append(NewEvent(type="failure.seen", subject=record.id, scope=record.scope, session="s0"))


def test_a_word_in_backticks_is_not_mended_by_a_command_that_has_it_as_argument(work):
    """A newcomer's trial: what an older version took for the fix is not told any more."""
    speaks = Claude(work)
    stored = Failure(
        signature="wx-7.2", command='tk note 5 -b "see `wx-7.2`"', failing="wx-7.2", cause="program", named="wx-7.2",
        subject="wx-7.2", program="wx-7.2", line="zsh:1: command not found: wx-7.2", fixed_by="tk close wx-7.2",
    )  # fmt: skip
    stored_before(stored, "program wx-7.2")
    told = speaks.context(hook("claude", speaks.before("s2", 'tk note 6 -b "as `wx-7.2`"', "a")))

    assert (True, False) == ("wx-7.2 is not on PATH" in told, "tk close" in told)


def test_what_an_older_version_learned_of_a_question_is_not_told(work):
    """The failure is stored already, with its "fix"."""
    speaks = Claude(work)
    stored = Failure(
        signature="gh pr checks <number>", command="gh pr checks 90", cause="other", subject="gh pr checks",
        program="gh", line="build pending", fixed_by="gh pr checks 90 --watch",
    )  # fmt: skip
    stored_before(stored, "other gh pr checks #")

    assert {} == hook("claude", speaks.before("s2", "gh pr checks 90", "f"))


def test_a_failure_that_has_a_fix_is_told_the_first_time(work):
    """A newcomer's trial: the recap listed it as fixed, and the command was let through again."""
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "tills add left", "a", "Exit code 2\nerror: no till; pass `--system`"))
    hook("claude", speaks.worked("s1", "tills add --system left", "b"))
    stopped = hook("claude", speaks.before("s2", "tills add left", "c"))

    assert ("deny", True) == (speaks.decision(stopped), "`tills add --system left`" in speaks.context(stopped))


def test_options_that_exclude_each_other_are_told_the_first_time(work):
    """They will exclude each other again; leaving one out is the fix."""
    speaks = Claude(work)
    error = "Exit code 1\nif any flags in the group [long json] are set none of the others can be"
    hook("claude", speaks.failed("s1", "tills status --long --json", "a", error))
    told = hook("claude", speaks.before("s2", "tills status --long --json", "b"))
    hook("claude", speaks.worked("s1", "tills status --json", "c"))
    stopped = hook("claude", speaks.before("s3", "tills status --long --json", "d"))

    assert ("", True) == (speaks.decision(told), "none of the others" in speaks.context(told))
    assert ("deny", True) == (speaks.decision(stopped), "`tills status --json`" in speaks.context(stopped))


def test_what_works_after_the_fix_is_other_work(work):
    """Each later command that resembled the fix became one more rule; a failure has one fix until it fails again."""
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "tills list --shrt", "a", "Exit code 1\nError: unknown flag: --shrt"))
    hook("claude", speaks.worked("s1", "tills list --short", "b"))
    hook("claude", speaks.worked("s1", "tills list --short --all", "c"))
    with memory_here() as memory:
        first = [one.corrected for one in fixes(memory)]
    hook("claude", speaks.failed("s2", "tills list --shrt", "d", "Exit code 1\nError: unknown flag: --shrt"))
    hook("claude", speaks.worked("s2", "tills list -s", "e"))
    with memory_here() as memory:
        second = [one.corrected for one in fixes(memory)]

    assert (["tills list --short"], ["tills list -s"]) == (first, second)


def fixes(memory):
    return [said for one in corrections(memory._c) if (said := payload_of(one, Correction)).source == "fix"]


def test_a_package_manager_that_the_user_chose_is_told_before_another(work, own_home):
    """A newcomer's trial: "use uv as the package manager", and `pip3 install` was let through."""
    speaks = Claude(work)
    said = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "use uv as the package manager"}
    hook("claude", {**speaks.base, **said})
    told = speaks.context(hook("claude", speaks.before("s2", "pip3 install left", "a")))

    assert "Here `uv` is used instead of `pip3`" in told
    assert {} == hook("claude", speaks.before("s3", "uv pip install left", "b"))
    assert {} == hook("claude", speaks.before("s3", "pip3 --version", "c"))


def test_what_is_mended_meanwhile_is_not_told(work):
    """A cause that is gone is silent: somebody added the script."""
    script(work, "build")
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))
    script(work, "build", "biuld")

    assert {} == hook("claude", speaks.before("s2", "npm run biuld", "c"))


def test_a_cause_that_nobody_can_look_at_is_context(work):
    """The network may be back: the model is told, and nothing is stopped."""
    speaks = Claude(work)
    error = "Exit code 128\nssh: connect to host github.com port 22: Operation timed out"
    hook("claude", speaks.failed("s1", "git push", "a", error))
    told = hook("claude", speaks.before("s2", "git pull --rebase", "b"))
    hook("claude", speaks.worked("s2", "git fetch origin", "c"))

    assert ("", True) == (speaks.decision(told), "timed out" in speaks.context(told))
    assert {} == hook("claude", speaks.before("s3", "git push", "d"))


def test_the_guard_judges_every_time(work):
    """A stop of the memory is lifted by insisting; the guard's is not."""
    speaks = Claude(work)
    for call in ("a", "b"):
        hook("claude", speaks.failed("s1", "rm -rf ~", call, "Exit code 1\nrm: boom"))

    assert ["deny", "deny"] == [speaks.decision(hook("claude", speaks.before("s2", "rm -rf ~", c))) for c in ("c", "d")]


def test_a_stop_that_cannot_be_remembered_is_none(work, monkeypatch):
    """Otherwise the agent would be stopped again and again."""
    from tacit.errors import StoreBusy

    script(work, "build")
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))

    def busy(*_args, **_named):
        raise StoreBusy("the store is locked", "wait")

    monkeypatch.setattr("tacit.loop.answer_hook.stop_once", busy)
    told = hook("claude", speaks.before("s2", "npm run biuld", "b"))

    assert ("", True) == (speaks.decision(told), "failed here" in speaks.context(told))


@pytest.mark.parametrize(
    ("speak", "decision", "told"), [("stop-once", "deny", True), ("context", "", True), ("off", "", False)]
)
def test_a_person_chooses_how_the_memory_speaks(work, own_home, speak, decision, told):
    """`[loop] speak` in config.toml."""
    script(work, "build")
    (own_home / "config.toml").parent.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text(f'[loop]\nspeak = "{speak}"\n')
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))
    answer = hook("claude", speaks.before("s2", "npm run biuld", "b"))

    assert (decision, told) == (speaks.decision(answer), "biuld" in speaks.context(answer))


def test_insisting_twice_with_success_mutes_it(work):
    """An agent that was right two times is not stopped a third time."""
    script(work, "build")
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))
    decisions = []
    for session in ("s2", "s3", "s4"):
        decisions.append(speaks.decision(hook("claude", speaks.before(session, "npm run biuld", f"{session}1"))))
        hook("claude", speaks.before(session, "npm run biuld", f"{session}2"))
        hook("claude", {**speaks.worked(session, "npm run biuld", f"{session}2")})
        hook("claude", speaks.failed(f"{session}x", "npm run biuld", f"{session}3", MISSING))

    assert ["deny", "deny", ""] == decisions


def test_only_a_person_mutes(tacit):
    """For a while, or until it is told again; by the six letters an agent was told."""
    with temporary_memory(actor="user") as memory:
        record = memory.learned.capture("npm run biuld", error=MISSING, exit_code=1)
        muted = memory.learned.mute(record.id[-8:], span="7d")

        assert muted.id == record.id
    assert 4 == tacit("mute", "ABCDEF").code


def test_what_a_start_showed_is_not_told_again_at_a_prompt(work):
    """C7: the same fact stood twice in one request."""
    speaks = Claude(work)
    with memory_here() as memory:
        memory.memorize("The staging API listens on port 8443", importance=0.9)
    first = speaks.context(start(speaks, "s1"))
    prompt = {
        **speaks.base,
        "session_id": "s1",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "which port is staging?",
    }
    second = speaks.context(hook("claude", prompt))
    other = speaks.context(hook("claude", {**prompt, "session_id": "s2"}))

    assert 1 == (first + second).count("8443")
    assert "8443" in other


def test_a_shared_correction_that_was_rejected_is_silent_here(work):
    """S29: it stays in the global scope for other projects."""
    speaks = Claude(work)
    with memory_here() as memory:
        kept = memory.learned.correction("npm", "bun")
        with connect(settings_in(work), hook_caller(str(work)), scope="global") as everywhere:
            memory.learned.share(everywhere.learned)
        memory.learned.reject(kept.id, "we use npm")

    assert "bun" not in json.dumps(hook("claude", speaks.before("s", "npm install", "a")))


def test_a_shared_correction_is_told_once_where_it_comes_from(work):
    """S29: shared with the global scope, it was told twice in its own project: at a start, a prompt and a command."""
    speaks = Claude(work)
    with memory_here() as memory:
        memory.learned.correction("npm", "bun")
        with connect(settings_in(work), hook_caller(str(work)), scope="global") as everywhere:
            memory.learned.share(everywhere.learned)
    prompt = {**speaks.base, "session_id": "s2", "hook_event_name": "UserPromptSubmit", "prompt": "npm install it"}
    told = [speaks.context(hook("claude", prompt)), json.dumps(hook("claude", speaks.before("s3", "npm install", "a")))]

    assert [1, 1] == [one.count("is used instead of") for one in told]


def test_what_the_user_rejected_is_silent_in_every_project(work):
    """S29: shared by the user and rejected there, it went on warning from the global scope; a project's own stays."""
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    speaks = Claude(work)

    def opened(scope):
        return connect(settings_in(work), hook_caller(str(work)), scope=scope)

    with opened("user") as mine, opened("global") as everywhere:
        kept = mine.learned.correction("npm", "bun")
        mine.learned.share(everywhere.learned)
        told = json.dumps(hook("claude", speaks.before("s1", "npm install", "a")))
        mine.learned.reject(kept.id, "we use npm")
        silent = json.dumps(hook("claude", speaks.before("s2", "npm install", "b")))
        everywhere.learned.reject(everywhere.list(kinds=["correction"]).records[0].id)
        mine.learned.share(everywhere.learned)
        shared_again = json.dumps(hook("claude", speaks.before("s3", "npm install", "c")))
        with memory_here() as memory:
            memory.learned.correction("npm", "bun")
        own = json.dumps(hook("claude", speaks.before("s4", "npm install", "d")))

    assert [True, False, False, True] == ["bun" in one for one in (told, silent, shared_again, own)]


def test_an_old_failure_gets_its_cause_by_maintenance(work):
    """Failures of an older version were keyed by their words, and would never be told again."""
    script(work, "build")
    old = Failure(signature="npm run biuld", command="npm run biuld", exit_code=1, error=MISSING)
    tests = Failure(signature="npm test", command="npm test", exit_code=1, error="1 failed")
    with memory_here() as memory:
        c = memory._c
        with writing(c, c.clock.now()) as tx:
            for payload in (old, tests):
                draft = Draft(
                    kind=KIND, scope=str(c.scope), key=payload.signature, title=payload.command, payload=payload
                )
                tx.put(new_record(c, draft, c.clock.now()))
            tx.append(NewEvent(type="failure.seen"))
        done = memory.maintain()

    assert 2 == done.failures_relearned
    with memory_here() as memory:
        assert ["script npm biuld"] == [one.key for one in memory.list(kinds=["failure"]).records]
        assert 0 == memory.maintain().failures_relearned


def test_a_session_of_any_size_is_learned_when_it_ends(work, own_home, monkeypatch):
    """C2: without a server, the end of a session learns from it; a backlog is named by status and doctor."""
    speaks = Claude(work)
    path = own_home.parent / ".claude" / "projects" / "p" / "s9.jsonl"
    path.parent.mkdir(parents=True)
    lines = []
    for number in range(60):
        call = f"toolu_{number}"
        common = {"sessionId": "s9", "cwd": str(work), "version": "2.1.197", "timestamp": "2026-03-01T10:00:00Z",
                  "userType": "external", "isSidechain": False}  # fmt: skip
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"npm run x{number} {'y' * 400}"}}
        result = {
            "type": "tool_result",
            "tool_use_id": call,
            "is_error": True,
            "content": f'Exit code 1\nMissing script: "x{number}"',
        }
        lines.append(
            {**common, "type": "assistant", "uuid": f"a{number}", "message": {"role": "assistant", "content": [use]}}
        )
        lines.append({**common, "type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": [result]}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert path.stat().st_size > 20_000
    hook("claude", {**speaks.base, "transcript_path": str(path), "session_id": "s9", "hook_event_name": "SessionEnd"})

    with memory_here() as memory:
        assert 60 == len(memory.list(kinds=["failure"], limit=100).records)


def test_the_pass_is_stored_before_the_stop_is_sent():
    """One transaction says both: told, and may pass next time."""
    with temporary_memory() as memory:
        from tacit.model.hook import ShownRecord

        record = memory.memorize("x")
        shown = ShownRecord(id=record.id, text="t", mark="1", stops=True)
        first = stop_once(memory._c, "s", "make x", [shown], "c1")
        again = stop_once(memory._c, "s", "make x", [ShownRecord(id=record.id, text="t", mark="2", stops=True)], "c2")

    assert (["t"], record.id) == (first[0], first[1].id)
    assert (["t"], None) == again


def test_what_works_once_it_is_installed_is_not_stopped(work):
    """The same command works after `pip install`: the cause is gone, and how it was mended is kept."""
    speaks = Claude(work)
    error = "Exit code 1\nModuleNotFoundError: No module named 'httpx'"
    hook("claude", speaks.failed("s1", "python3 app.py", "a", error))
    hook("claude", speaks.worked("s1", "pip install httpx", "b"))
    hook("claude", speaks.worked("s1", "python3 app.py", "c"))

    assert {} == hook("claude", speaks.before("s2", "python3 app.py", "d"))
    hook("claude", speaks.failed("s2", "python3 app.py", "d", error))
    assert "pip install httpx" in speaks.context(hook("claude", speaks.before("s3", "python3 app.py", "e")))


def test_a_stop_that_was_right_does_not_mute_itself(work):
    """Insisted, failed, mended, worked: the agent was wrong to insist."""
    script(work, "build")
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))
    for session in ("s2", "s3", "s4"):
        assert "deny" == speaks.decision(hook("claude", speaks.before(session, "npm run biuld", f"{session}1")))
        hook("claude", speaks.failed(session, "npm run biuld", f"{session}2", MISSING))
        hook("claude", speaks.worked(session, "npm run biuld", f"{session}3"))
        hook("claude", speaks.failed(f"{session}x", "npm run biuld", f"{session}4", MISSING))


def test_a_person_can_take_a_mute_back():
    """Their own, and the one that agents earned by insisting."""
    with temporary_memory(actor="user") as memory:
        record = memory.learned.capture("npm run biuld", error=MISSING, exit_code=1)
        with writing(memory._c, memory._c.clock.now()) as tx:
            for _ in range(2):
                tx.append(NewEvent(type=OVERRIDDEN, subject=record.id, scope=record.scope))
        earned = is_muted(memory._c, record.id)
        memory.learned.mute(record.id, end=True)
        after = is_muted(memory._c, record.id)
        memory.learned.mute(record.id)

        assert (True, False, True) == (earned, after, is_muted(memory._c, record.id))


def test_no_part_of_a_secret_is_left_in_a_key(work):
    """Redacted before anything is cut or replaced in it."""
    token = "ghp_" + "a1B2c3D4" * 5
    telegram = "123456789:AAFmQ7c1x9ZyW3vU5tS8rP0oN2mL4kJ6hG8"
    with memory_here() as memory:
        for command in (f"bot --send {telegram}", f"bot {'x' * 880} {token}", f"bot --key {token}"):
            memory.learned.capture(command, error=f"boom {'y' * 390} {token}", exit_code=1)
        stored = json.dumps([[one.key, one.title, one.payload.line] for one in memory.list(kinds=["failure"]).records])

    assert "ghp_a1B2" not in stored
    assert "AAFmQ7c1x9" not in stored


@pytest.mark.parametrize(("failed", "error", "again"), [
    ("./deploy.sh", "Exit code 127\n./deploy.sh: line 3: frobnicate: command not found", "frobnicate x"),
    ("python3 -c 'import foomod'", "Exit code 1\nNo module named 'foomod'", "python -c 'import foomod'"),
    ('FOO="a b" zork x', "Exit code 127\nbash: zork: command not found", "zork y"),
    ("'zurk' x", "Exit code 127\nbash: zurk: command not found", "zurk z"),
])  # fmt: skip
def test_the_cold_path_knows_what_the_full_path_would_say(work, failed, error, again):
    """What it takes for unknown is unknown to the memory too."""
    speaks = Claude(work)
    hook("claude", speaks.failed("s1", failed, "a", error))
    data = json.dumps(speaks.before("s2", again, "b")).encode()
    cold, full = json.loads(answered("claude", data)), hook("claude", speaks.before("s3", again, "c"))

    assert bool(full) == bool(cold)
    assert speaks.context(full)


def test_a_failure_behind_a_pipe_is_learned_without_a_server(work):
    """The cold path leaves it to the full one when there is output to read."""
    speaks = Claude(work)
    hook("claude", speaks.failed("s0", "first x", "a", "Exit code 1"))
    payload = speaks.worked("s1", "quux a | tail -1", "b")
    payload["tool_response"]["stdout"] = "bash: line 1: quux: command not found"
    answered("claude", json.dumps(payload).encode())

    with memory_here() as memory:
        assert "program quux" in [one.key for one in memory.list(kinds=["failure"]).records]


def test_an_imported_failure_has_no_secret_in_its_key(work):
    """What another tool kept is redacted before its cause is found."""
    token = "ghp_" + "a1B2c3D4" * 5
    item = ForeignItem(kind="failure", id="1", fields={"command": f"bot --key {token}", "error": f"boom {token}"})
    with memory_here() as memory:
        draft = draft_of(memory._c, "terraphim", item)

    assert token[:12] not in f"{draft.key} {draft.title} {draft.payload.line} {draft.payload.subject}"


def test_what_was_installed_after_a_stop_does_not_speak_against_it(work):
    """Stopped, the script added, the same command run with success: the stop was right, and goes on stopping."""
    speaks = Claude(work)
    script(work, "build")
    hook("claude", speaks.failed("s1", "npm run biuld", "a", MISSING))
    for number in range(3):
        session = f"t{number}"
        assert "deny" == speaks.decision(hook("claude", speaks.before(session, "npm run biuld", f"{session}b")))
        script(work, "build", "biuld")
        hook("claude", speaks.worked(session, "npm run biuld", f"{session}c"))
        script(work, "build")
        hook("claude", speaks.failed(session, "npm run biuld", f"{session}d", MISSING))
