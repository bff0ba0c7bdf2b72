"""`tacit procedure` at the command line: the announced lines, documents, exit codes, files, and a whole life."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from skills_ref import validate

ANNOUNCED = [
    ["procedure", "record", "Deploy staging", "--description", "Full staging deployment workflow"],
    ["procedure", "add-step", "deploy-staging-01", "cargo test --workspace", "--precondition", "all code committed"],
    ["procedure", "add-step", "deploy-staging-01", "cargo build --release"],
    ["procedure", "replay", "deploy-staging-01", "--dry-run"],
    ["procedure", "health"],
]


@pytest.mark.parametrize("prefix", [[], ["learn"]])
def test_the_announced_command_lines_work_word_for_word(tacit, prefix):
    """With `tacit` for the program, and in the older spelling too."""
    for words in ANNOUNCED:
        assert 0 == tacit(*prefix, *words).code
    for name in ("success", "failure"):
        assert 0 == tacit(*prefix, "procedure", name, "deploy-staging-01").code


def test_every_verb_answers_with_one_document(tacit):
    """A schema, and nothing beside it."""
    for words, schema in [
        (["record", "Build", "--step", "true", "--tag", "x", "--trigger", "always"], "procedure"),
        (["record", "Build more", "--step", "true"], "procedure"), (["add-step", "build", "echo {{a}}"], "procedure"),
        (["edit-step", "build", "2", "--command", "echo {{b}}"], "procedure"), (["move-step", "build", "2", "1"],
        "procedure"),
        (["remove-step", "build", "1"], "procedure"), (["edit", "build", "--param", "b=1~[0-9]"], "procedure"),
        (["show", "build"], "procedure"), (["list"], "procedures"), (["search", "build"], "procedure.search"),
        (["rename", "build", "Make"], "procedure"), (["replay", "make"], "run"), (["replay", "make", "--dry-run"],
        "run"),
        (["runs", "make"], "runs"), (["health"], "procedure.health"), (["health", "make"], "procedure.health"),
        (["success", "make"], "procedure.health"), (["failure", "make"], "procedure.health"), (["disable", "make"],
        "procedure"),
        (["enable", "make"], "procedure"), (["merge", "make", "build-more"], "procedure"), (["export"],
        "procedure.export"),
        (["remove", "make"], "procedure"),
    ]:  # fmt: skip
        answer = tacit("procedure", *words, "--json")
        assert (0, f"tacit.{schema}/1") == (answer.code, answer.json["schema"]), words
        assert 0 == tacit("procedure", "list").code


def test_exit_codes_say_how_it_went(tacit):
    """0, 1, 3, 4 and 5; and the refusal is the document, not an error."""
    for title, step in (("good", "true"), ("bad", "false"), ("denied", "rm -rf ~"), ("asked", "git tag -d v1")):
        tacit("procedure", "record", title, "--step", step)
    tacit("procedure", "record", "unready")
    tacit("procedure", "add-step", "unready", "true", "--precondition", "file exists gone")
    answers = {
        name: tacit("procedure", "replay", name, "--json") for name in ("good", "bad", "denied", "asked", "unready")
    }
    unknown = tacit("procedure", "replay", "goood", "--json")

    assert [0, 1, 4, 4, 5] == [answer.code for answer in answers.values()]
    assert ["success", "failed", "blocked", "refused", "unmet"] == [
        answer.json["outcome"] for answer in answers.values()
    ]
    assert (3, "not_found") == (unknown.code, unknown.json["error"]["code"])
    assert "good" in unknown.json["error"]["hint"]
    assert 0 == tacit("procedure", "replay", "denied", "--dry-run").code
    assert 3 == tacit("procedure", "show", "nothing").code
    assert 2 == tacit("procedure", "replay", "good", "--param", "x").code
    assert 2 == tacit("procedure", "record").code


def test_a_replay_tells_its_story(tacit):
    """Headers, output, conditions, timings, and the end; as lines of JSON too."""
    tacit("procedure", "record", "Job", "--step", "echo hello")
    tacit("procedure", "add-step", "job", "echo $N", "--env", "N=7", "--postcondition", "output matches 7")
    said = tacit("procedure", "replay", "job").out
    lines = [json.loads(line) for line in tacit("procedure", "replay", "job", "--jsonl").out.splitlines()]

    assert "[1/2] echo hello\n    | hello\n    passed after " in said
    assert "after: output matches 7: met" in said
    assert "job: success (insufficient, 1 of 1)" in said
    assert ["run.started", "step.started", "output", "step.finished"] == [line["event"] for line in lines[:4]]
    assert ("run", "success") == (lines[-1]["event"], lines[-1]["outcome"])


def test_an_agent_skill_is_valid_and_a_page_readable(tacit, tmp_path):
    """The folder passes the public validator, whatever a title or description holds."""
    tacit("procedure", "record", "Deploy --- staging: 'now'", "--description", "a: b\n---\n# c `d`", "--trigger",
    "x: y",
          "--parameter", "env=a~[a-z]", "--secret", "token")  # fmt: skip
    tacit(
        "procedure",
        "add-step",
        "deploy-staging-now",
        "deploy {{env}} {{token}} '```'",
        "--precondition",
        "git clean",
        "--cwd",
        "sub",
    )
    tacit("procedure", "record", "Été", "--step", "true")
    answer = tacit("procedure", "export", "--format", "skill", "--out", str(tmp_path / "skills"), "--json")
    page = tacit("procedure", "export", "deploy-staging-now", "--format", "markdown").out

    assert 2 == len(answer.json["paths"])
    assert [[], []] == [validate(tmp_path / "skills" / name) for name in ("deploy-staging-now", "ete")]
    assert page.startswith("# Deploy --- staging: 'now'\n")
    assert "````sh\ndeploy {{env}} {{token}} '```'\n````" in page


def test_files_go_out_and_come_back(tacit, tmp_path):
    """`export`, `import` and `record --from-file` speak the same files; wrong ones are one sentence."""
    tacit("procedure", "record", "Job", "--step", "echo 1")
    tacit("procedure", "export", "--out", "all.yaml")
    tacit("procedure", "export", "--format", "jsonl", "--out", "all.jsonl")
    store = ["--store", str(tmp_path / "other.db")]
    first = tacit("procedure", "import", "all.jsonl", "--json", *store)
    again = tacit("procedure", "record", "--from-file", "all.yaml", "--json", *store)
    piped = tacit("procedure", "import", "-", "--json", *store, stdin=b"title: Piped\nsteps: [ls]")

    assert ["job"] == [one["slug"] for one in first.json["procedures"]]
    assert (["job"], []) == (again.json["skipped"], again.json["procedures"])
    assert ["piped"] == [one["slug"] for one in piped.json["procedures"]]
    assert 2 == tacit("procedure", "import", "-", stdin=b"title: [").code
    assert 2 == tacit("procedure", "import", "-", stdin=b"\xff\xfe").code


def test_a_whole_life_in_a_repository(tacit, tmp_path, monkeypatch):
    """Recorded, replayed for real, broken, degraded, disabled, mended, enabled, and healthy again."""
    work = tmp_path / "repository"
    (work / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    monkeypatch.chdir(work)
    tool = work / "build.sh"
    tool.write_text("echo building; test -e input && cp input output\n")
    (work / "input").write_text("x")
    tacit("procedure", "record", "Build", "--description", "make the output")
    tacit("procedure", "add-step", "build", "sh build.sh", "--precondition", "file exists build.sh",
          "--postcondition", "file exists output")  # fmt: skip
    tacit("procedure", "add-step", "build", "cat ../output > result", "--cwd", "src")

    def replay():
        return tacit("procedure", "replay", "build", "--json")

    def health():
        return tacit("procedure", "health", "--json").json["procedures"][0]

    assert [0, 0] == [replay().code for _ in range(2)]
    assert "x" == (work / "src" / "result").read_text()
    (work / "input").unlink()
    assert [1, 1] == [replay().code for _ in range(2)]
    assert ("degraded", 4, 1) == (health()["status"], health()["runs"], health()["failing_step"])
    assert [1] * 3 == [replay().code for _ in range(3)]
    assert ("critical", "disabled", True) == (health()["status"], health()["state"], health()["auto_disabled"])
    assert "building" in health()["disabled"]["output"]
    refused = replay()
    assert (4, "refused") == (refused.code, refused.json["error"]["code"])
    assert 0 == tacit("procedure", "replay", "build", "--dry-run").code
    assert [] == tacit("procedure", "search", "make the output", "--json").json["procedures"]

    (work / "input").write_text("y")
    assert 0 == tacit("procedure", "enable", "build").code
    assert [0] * 3 == [replay().code for _ in range(3)]
    assert ("healthy", "active", 3) == (health()["status"], health()["state"], health()["runs"])
    assert 0 == tacit("verify").code


def _replaying(tmp_path, name):
    return subprocess.Popen(
        [sys.executable, "-m", "tacit", "procedure", "replay", name, "--json"], cwd=tmp_path, stdout=subprocess.PIPE,
        env={**os.environ, "TACIT_EMBEDDER": "off"}, start_new_session=True,
    )  # fmt: skip


def _wait_for_pid(tmp_path):
    until = time.monotonic() + 600
    while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip()) and time.monotonic() < until:
        time.sleep(0.02)
    return int((tmp_path / "pid").read_text())


def _wait_for_end(pid):
    """Wait until a process that was killed is gone: on a busy machine it dies when it gets its turn."""
    until = time.monotonic() + 120
    while (state := _state(pid)) not in ("", "Z"):
        assert time.monotonic() < until, state
        time.sleep(0.02)


def _state(pid):
    return subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()[:1]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130)])
def test_an_interrupted_replay_leaves_nothing_running(process, tmp_path, number, code):
    """By the keyboard or by a signal: its step is stopped, the run is kept as interrupted, the exit is 130."""
    process("procedure", "record", "Long", "--step", "echo $$ > pid; exec sleep 300")
    started = _replaying(tmp_path, "long")
    pid = _wait_for_pid(tmp_path)
    os.kill(started.pid, number)
    out, _ = started.communicate(timeout=6000)

    assert code == started.returncode
    assert "interrupted" == json.loads(out)["outcome"]
    _wait_for_end(pid)
    assert "interrupted" == json.loads(process("procedure", "runs", "long", "--json").out)["runs"][0]["outcome"]


def test_a_replay_that_is_killed_stays_unfinished_and_counts_for_nothing(process, tmp_path):
    """What it had done is known, the store is sound, and the procedure can be replayed."""
    process("procedure", "record", "Long", "--step", "echo one", "--step", "echo $$ > pid; exec sleep 300")
    started = _replaying(tmp_path, "long")
    pid = _wait_for_pid(tmp_path)
    started.kill()
    started.communicate(timeout=6000)
    os.kill(pid, signal.SIGKILL)
    (run,) = json.loads(process("procedure", "runs", "long", "--json").out)["runs"]
    shown = json.loads(process("procedure", "runs", run["id"], "--json").out)

    assert ("running", ["passed"]) == (run["outcome"], [step["state"] for step in shown["steps"]])
    assert "unfinished" in process("procedure", "runs", "long").out
    assert 0 == json.loads(process("procedure", "health", "long", "--json").out)["procedures"][0]["runs"]
    assert 0 == process("verify").code


def test_replays_at_once_are_all_counted_and_switch_off_once(process, tmp_path):
    """Whichever is the fifth to fail; those that come later are refused or counted, never lost."""
    process("procedure", "record", "Bad", "--step", "sleep 1; false")
    answers = [one.communicate(timeout=600)[0] for one in [_replaying(tmp_path, "bad") for _ in range(7)]]
    documents = [json.loads(answer) for answer in answers]
    (look,) = json.loads(process("procedure", "health", "bad", "--json").out)["procedures"]

    assert look["runs"] == sum(document.get("outcome") == "failed" for document in documents) >= 5
    assert 1 == sum(bool(document.get("disabled")) for document in documents)
    assert ("disabled", 0) == (look["state"], process("verify").code)


def test_a_replay_nobody_listens_to_is_interrupted(process, tmp_path):
    """`… | head` ends it: the run is kept as such, and the exit is not that of a success."""
    process("procedure", "record", "Talk", "--step", "yes", "--step", "touch two")
    started = subprocess.Popen(
        [sys.executable, "-m", "tacit", "procedure", "replay", "talk"], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "TACIT_EMBEDDER": "off"},
    )  # fmt: skip
    started.stdout.readline()
    started.stdout.close()
    said = started.stderr.read()
    started.stderr.close()

    assert (130, b"") == (started.wait(timeout=6000), said)
    assert "interrupted" == json.loads(process("procedure", "runs", "talk", "--json").out)["runs"][0]["outcome"]


def test_a_precondition_is_told_before_the_step_runs(tacit):
    """And what came of the postcondition after it."""
    tacit("procedure", "record", "Job")
    tacit("procedure", "add-step", "job", "echo hello", "--precondition", "env HOME", "--postcondition", "exit 0")
    lines = [line.strip() for line in tacit("procedure", "replay", "job").out.splitlines()]

    assert ["before: env HOME: met", "| hello", "after: exit 0: met"] == lines[1:4]


def test_a_file_that_is_wrong_says_where(tacit):
    """Which procedure, and which step; an empty one is no mistake."""
    wrong = b"procedures: [{title: A, steps: [ls]}, {title: B, steps: [ls, {command: ls, precondition: exit banana}]}]"
    answer = tacit("procedure", "import", "-", stdin=wrong)

    assert (2, True) == (answer.code, "standard input, procedure 2: step 2: 'exit banana'" in answer.err)
    assert 0 == tacit("procedure", "import", "-", stdin=b"\n").code
    assert 2 == tacit("procedure", "export", "--format", "skill").code
    assert "procedure runs NAME" in tacit("procedure", "runs", "run_nothing").err


def test_a_value_for_a_parameter_may_come_from_a_variable(tacit, monkeypatch):
    """So that a secret need not stand on a command line."""
    tacit("procedure", "record", "Login", "--secret", "token")
    tacit("procedure", "add-step", "login", "test -n {{token}}")
    assert 2 == tacit("procedure", "replay", "login").code
    monkeypatch.setenv("TACIT_PARAM_TOKEN", "s3cr3t")

    assert 0 == tacit("procedure", "replay", "login").code
    assert "s3cr3t" not in tacit("export", "jsonl").out


def test_former_names_and_flags_still_work_unseen(tacit):
    """`describe`, `retire`, `delete`, `--parameter`, `--recent` and `--working-dir` do what their successors do."""
    tacit("procedure", "record", "Build", "--parameter", "where=a")
    tacit("procedure", "add-step", "build", "echo {{where}}", "--working-dir", "src", "--env", "HOME", "--env", "N=1")
    tacit("procedure", "describe", "build", "--parameter", "where=b")
    shown = tacit("procedure", "show", "build", "--json").json
    (step,) = shown["steps"]

    assert ([{"name": "where", "default": "b"}], "src") == (shown["parameters"], step["cwd"])
    assert {"HOME": None, "N": "1"} == step["env"]
    assert 1 == len(tacit("procedure", "list", "--recent", "1", "--json").json["procedures"])
    assert "--working-dir" not in tacit("procedure", "add-step", "--help").out
    assert "  retire " not in tacit("procedure", "--help").out
    assert "retired build" in tacit("procedure", "retire", "build").out
    tacit("procedure", "record", "Job")
    assert 0 == tacit("procedure", "delete", "job").code


def test_an_agent_only_retires_and_is_told_so(tacit):
    """S25: `procedure delete database` deleted "Database restore" for good."""
    tacit("procedure", "record", "Database restore", "--step", "true")
    loose = tacit("procedure", "delete", "database", "--json")
    said = tacit("procedure", "delete", "database-restore")
    tacit("undo")
    document = tacit("procedure", "forget", "database-restore", "--json").json

    assert (3, "did you mean database-restore?") == (loose.code, loose.json["error"]["hint"])
    assert (0, True) == (said.code, said.out.startswith("retired database-restore; `tacit undo` brings it back"))
    assert ("tacit.forget/1", [], 1) == (document["schema"], document["ids"], len(document["retired"]))
