"""The tour: one chapter per feature, with the real command line, in a scratch home that is removed afterwards."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.demo.command_runner import DemoRunner
from tacit.demo.scenes import show

_TRIES = 50


def tour(*, everything: bool = False) -> None:
    """Play the four scenes, or with `everything` take the long tour. Interrupting it also removes the scratch home."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    with _scratch_home() as folder:
        stage = DemoRunner(folder)
        if not everything:
            show(stage)
            return
        stage.say(
            "tacit is a memory for coding agents: one local file, no key, no network.\n"
            "This tour runs every command you see, in a scratch home that is removed at the end.\n"
            "The tour acts as an agent, so what it writes is marked unverified; at your terminal, you are the user."
        )
        for chapter in CHAPTERS:
            chapter(stage)
    stage.chapter("Where to go next")
    stage.say("All commands above were really run, and the scratch home is removed. None of your files were touched.")
    stage.say("  tacit init                            connect your agent, and read its old sessions")
    stage.say('  tacit remember "what you decided"     keep your first rule or fact')
    stage.say("  tacit help                            list the commands")


@contextmanager
def _scratch_home() -> Iterator[Path]:
    """Make a folder and remove it at the end; a process that was just ended may still have written into it."""
    folder = Path(tempfile.mkdtemp(prefix="tacit-demo-"))
    try:
        yield folder
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for _ in range(_TRIES):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)


def _interrupted(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def remember(stage: DemoRunner) -> None:
    """Store facts; a fact that is stated twice is stored once."""
    stage.chapter("Remember")
    stage.say("A fact, with the entity it is about and its importance:")
    stage.run("memorize", "The staging API listens on port 8443", "--entity", "service/staging-api",
              "--importance", "0.7", "--tag", "network")  # fmt: skip
    stage.run("memorize", "Invoices are kept in PostgreSQL because auditors query them", "--entity", "service/billing",
              "--importance", "0.9")  # fmt: skip
    stage.say("\nRepeated in almost the same words, it is recognised as the same fact; new details are merged in:")
    stage.run("memorize", "the staging API listens on port 8443.", "--tag", "staging")


def contradict(stage: DemoRunner) -> None:
    """A contradiction is reported, and stays reported until it is settled."""
    stage.chapter("Notice a contradiction")
    stage.say("Both cannot be true. Nothing is overwritten; both stay, labelled, until someone decides:")
    newer, older, *_ = stage.run(
        "memorize", "The staging API listens on port 9443", "--entity", "service/staging-api"
    )  # fmt: skip
    stage.run("recall", "which port does staging use?")
    stage.say("\nThe port did change, so the new fact replaces the old one:")
    stage.run("consolidate", "resolve", newer, older, "--how", "supersede")


def recall(stage: DemoRunner) -> None:
    """Ask in plain words. Every hit gives its reasons, and a question without relevant records gives no hits."""
    stage.chapter("Recall, with reasons")
    stage.run("recall", "which port does staging use?", "--explain")
    stage.say(
        "\nWords and meaning are two signals; the lines show what each added. If nothing is relevant, nothing is found:"
    )
    stage.run("recall", "favourite pizza toppings")


def walk(stage: DemoRunner) -> None:
    """Entities and relations form a graph."""
    stage.chapter("Walk the graph")
    stage.run("entity", "add", "database", "invoices-db", "--description", "PostgreSQL, nightly backups")
    stage.run("relation", "add", "staging-api", "calls", "billing")
    stage.run("relation", "add", "billing", "stores_in", "invoices-db", "--strength", "0.9")
    stage.say("\nWhat is connected to the staging API, within two steps?")
    stage.run("relation", "walk", "staging-api", "--depth", "2")


def rewind(stage: DemoRunner) -> None:
    """Every version is kept; a write can be undone."""
    stage.chapter("Go back")
    first, *_ = stage.run("memorize", "Deploys run every Friday", "--importance", "0.4")
    stage.run("memorize", "Deploys run every Friday", "--importance", "0.8", "--tag", "release")
    stage.say("\nThe repetition made a second version; the first is still there and can be restored:")
    stage.run("history", first)
    stage.run("rollback", first, "1")
    stage.say("\nThat write, like any last write, can be undone:")
    stage.run("undo")
    stage.run("history", first)


def inject(stage: DemoRunner) -> None:
    """The block for a prompt is framed as data."""
    stage.chapter("Prepare it for a prompt")
    stage.say("What an agent should know here, within a token budget, framed as data and not as instructions:")
    stage.run("context")


def redact(stage: DemoRunner) -> None:
    """Secrets are never stored."""
    stage.chapter("Keep secrets out")
    stage.say("A secret is redacted before anything is written; equal secrets get equal placeholders:")
    stage.run("memorize", "The deploy bot logs in with password=Tr0ub4dor-made-up")
    stage.run("redact", "psql postgresql://app:Tr0ub4dor-made-up@db/prod")


def guard(stage: DemoRunner) -> None:
    """A command is judged by what it would run."""
    stage.chapter("Judge a command")
    stage.say("A line is judged by what it would run, not by how it looks; text in quotes is only text:")
    stage.run("guard", "git commit -m 'rm -rf / is a bad idea'", "--explain")
    stage.say("\n(A denied command exits with 4, one that needs a question with 5.)")


def replay(stage: DemoRunner) -> None:
    """Steps that worked are kept, and run again under guard."""
    stage.chapter("Do it again")
    stage.say("Steps that worked are kept. Conditions are checked where possible; parameter values are never code:")
    stage.run("procedure", "record", "Ship docs", "--trigger", "the docs changed", "--param", "where=site")
    stage.run(
        "procedure", "add-step", "ship-docs", "mkdir -p {{where}} && echo '<h1>hello</h1>' > {{where}}/index.html"
    )
    stage.run("procedure", "add-step", "ship-docs", "grep -c hello {{where}}/index.html",
              "--precondition", "file exists {{where}}/index.html", "--postcondition", "exit 0")  # fmt: skip
    stage.say("\nEvery step is judged by the guard, run in its own process group, and recorded with its output:")
    stage.run("procedure", "replay", "ship-docs", "--param", "where=public docs")
    stage.say("\nNext time it is found by the task, or by the command being typed:")
    stage.run("procedure", "search", "the docs changed, what now?")
    stage.say("\nA procedure that stops working shows it, and after five failed runs it is disabled:")
    stage.run("procedure", "health", "ship-docs")


def learn(stage: DemoRunner) -> None:
    """A hook sees a failure and its fix, and warns before the same mistake."""
    stage.chapter("Warn before the mistake")
    stage.say("Hooks report what an agent does. A command fails twice, and then its fix works:")
    for call in ("a1", "a2"):
        stage.hook("PostToolUseFailure", "npm run biuld", call, error='Exit code 1\nnpm error Missing script: "biuld"')
    stage.hook("PostToolUse", "npm run build", "a3", tool_response={"stdout": "built", "stderr": ""})
    stage.run("learn", "list")
    stage.say("\nThe next session is about to make the same mistake, and is stopped once, with the fix:")
    stage.hook("PreToolUse", "npm run biuld", "b1", session="another")
    stage.say("\n`tacit connect claude` puts such hooks into an agent's settings, and shows what it changes.")


def prove(stage: DemoRunner) -> None:
    """A lesson has to prove itself, and nobody can grade their own lesson."""
    stage.chapter("No lesson grades itself")
    stage.say("A failure that recurred and was fixed is proposed as a lesson, written by rules from the events:")
    (id,) = stage.run("lesson", "propose")
    stage.say("\nAn agent may rate it as helpful as often as it likes:")
    stage.run("lesson", "feedback", id, "up")
    stage.say(
        "\nThe gate counts only evidence that its author could not produce, and lists what is missing (exit code 5):"
    )
    stage.run("lesson", "promote", id, leaves=5)
    stage.say(
        "\nEvidence is: sessions in an agent's own transcripts, exit codes, replays, and a person. Once promoted, it"
    )
    stage.say("is shown at every session start, may block the mistake, and is demoted when it stops helping.")


def tried(stage: DemoRunner) -> None:
    """Episodes show what was tried before."""
    stage.chapter("Know what was tried")
    stage.say("A task is an episode: its steps are recorded as they happen, and its outcome gets a score with reasons:")
    (id,) = stage.run("episode", "start", "Build the orders endpoint", "--domain", "web", "--language", "python")
    stage.run("episode", "step", id, "pytest", "run tests", "--result", "error", "--observation", "AssertionError: 404")
    stage.run("episode", "step", id, "edit", "register the route", "--result", "success")
    stage.run("episode", "step", id, "pytest", "run tests", "--result", "success", "--observation", "3 passed")
    stage.run("episode", "complete", id, "success", "--result", "the endpoint answers", "--duration-ms", "5000")
    stage.run("episode", "learn")
    stage.say("\nBefore the next task, see what was learned:")
    stage.run("episode", "search", "Build the invoices endpoint", "--domain", "web")


def write_down(stage: DemoRunner) -> None:
    """Memory in files and in the store is the same, and either side can be edited."""
    stage.chapter("Write it down")
    stage.say("Some memory is best read and edited as files: one file per topic, and an index that is always loaded.")
    rule = "Deploys need two reviews.\n**Why:** one was not enough.\n**How to apply:** ask before `scripts/ship.sh`."
    about = ("--type", "feedback", "--name", "Reviews", "--description", "how many reviews a deploy needs")
    stage.run("memdir", "add", rule, *about)
    stage.append(Path(".tacit", "memdir", "user", "reviews.md"), "On Fridays three.\n")
    stage.say("\nSomebody added a line in an editor. A sync stores the new text and keeps the old version:")
    stage.run("memdir", "sync")
    stage.run("memdir", "history", "reviews.md")
    stage.say("\nThe files that fit a task are chosen, with their age, their trust, and what they name that is gone:")
    stage.run("memdir", "select", "may I deploy with one review?")


def leave(stage: DemoRunner) -> None:
    """Everything can be exported and checked."""
    stage.chapter("Leave, and check")
    stage.run("export", "jsonl", "--out", "memory.jsonl")
    stage.run("import", "jsonl", "memory.jsonl", "--store", "copy.db")
    stage.say("\nThe copy gives the same answers as the original:")
    stage.run("recall", "where are invoices kept?", "--limit", "1", "--store", "copy.db")
    stage.say("\nThe event log is chained by seals; verify checks all of it against the records and the index:")
    stage.run("verify")


CHAPTERS: tuple[Callable[[DemoRunner], None], ...] = (
    remember,
    contradict,
    recall,
    walk,
    rewind,
    inject,
    redact,
    guard,
    replay,
    learn,
    prove,
    tried,
    write_down,
    leave,
)
