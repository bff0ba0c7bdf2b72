"""The tour: one chapter per promise, told with the real command line in a scratch home that is gone afterwards."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tacit.demo.command_runner import DemoRunner


def tour() -> None:
    """Take the tour. Whoever ends it before its end leaves no scratch home behind either."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    with tempfile.TemporaryDirectory(prefix="tacit-demo-") as folder:
        stage = DemoRunner(Path(folder))
        stage.say(
            "tacit is a memory for coding agents: one local file, no key, no daemon, no network.\n"
            "This tour runs every command you see, in a scratch home that is removed at the end.\n"
            "It plays an agent, so what it writes is marked unverified; at your terminal, you are the user."
        )
        for chapter in CHAPTERS:
            chapter(stage)
    stage.chapter("Where to go next")
    stage.say("Everything above was run just now, and its scratch home is gone. Nothing of yours was touched.")
    if shutil.which("tacit") is None:
        stage.say(f"The command is {Path(sys.executable).with_name('tacit')}; your path does not lead to it yet.")
    stage.say('  tacit memorize "what you decided, and why"   keep your first fact')
    stage.say("  tacit recall, tacit context                  ask for it, or hand it to a prompt")
    stage.say("  tacit doctor, tacit --help                   see how things are, and all commands")
    stage.say("  README.md, docs/ of its repository           the library, the formats, and what is not promised")


def _interrupted(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def remember(stage: DemoRunner) -> None:
    """Keep facts; the same thing said twice is one fact."""
    stage.chapter("Remember")
    stage.say("A fact, what it is about, and how much it matters:")
    stage.run("memorize", "The staging API listens on port 8443", "--entity", "service/staging-api",
              "--importance", "0.7", "--tag", "network")  # fmt: skip
    stage.run("memorize", "Invoices are kept in PostgreSQL because auditors query them", "--entity", "service/billing",
              "--importance", "0.9")  # fmt: skip
    stage.say("\nSaid again in almost the same words, it is recognised; what the repetition adds is merged in:")
    stage.run("memorize", "the staging API listens on port 8443.", "--tag", "staging")


def contradict(stage: DemoRunner) -> None:
    """A contradiction is named, and stays named until it is settled."""
    stage.chapter("Notice a contradiction")
    stage.say("Both cannot hold. Nothing is overwritten; both stay, labelled, until someone decides:")
    newer, older, *_ = stage.run(
        "memorize", "The staging API listens on port 9443", "--entity", "service/staging-api"
    )  # fmt: skip
    stage.run("recall", "which port does staging use?")
    stage.say("\nThe port did change, so the new fact replaces the old one:")
    stage.run("consolidate", "resolve", newer, older, "--how", "supersede")


def recall(stage: DemoRunner) -> None:
    """Ask in plain words; every hit gives its reasons, and nothing relevant gives nothing."""
    stage.chapter("Recall, with reasons")
    stage.run("recall", "which port does staging use?", "--explain")
    stage.say("\nWords and meaning are two signals; the lines show what each added. And no answer beats a wrong one:")
    stage.run("recall", "favourite pizza toppings")


def walk(stage: DemoRunner) -> None:
    """Entities and relations form a graph."""
    stage.chapter("Walk the graph")
    stage.run("entity", "add", "database", "invoices-db", "--description", "PostgreSQL, nightly backups")
    stage.run("relation", "add", "staging-api", "calls", "billing")
    stage.run("relation", "add", "billing", "stores_in", "invoices-db", "--strength", "0.9")
    stage.say("\nWhat hangs on the staging API, two steps away?")
    stage.run("relation", "walk", "staging-api", "--depth", "2")


def rewind(stage: DemoRunner) -> None:
    """Every version is kept; a write can be taken back."""
    stage.chapter("Go back")
    first, *_ = stage.run("memorize", "Deploys run every Friday", "--importance", "0.4")
    stage.run("memorize", "Deploys run every Friday", "--importance", "0.8", "--tag", "release")
    stage.say("\nThe repetition made a second version; the first is still there, and can be brought back:")
    stage.run("history", first)
    stage.run("rollback", first, "1")
    stage.say("\nAnd that, like any last write, can be undone:")
    stage.run("undo")
    stage.run("history", first)


def inject(stage: DemoRunner) -> None:
    """The block for a prompt is framed as data."""
    stage.chapter("Hand it to a prompt")
    stage.say("What an agent should know here, within a token budget, framed as data and not as orders:")
    stage.run("context")


def redact(stage: DemoRunner) -> None:
    """Secrets do not land."""
    stage.chapter("Keep secrets out")
    stage.say("A secret is taken out before the first byte is written; equal ones stay equal:")
    stage.run("memorize", "The deploy bot logs in with password=Tr0ub4dor-made-up")
    stage.run("redact", "psql postgresql://app:Tr0ub4dor-made-up@db/prod")


def guard(stage: DemoRunner) -> None:
    """A command is judged by what it would run."""
    stage.chapter("Judge a command")
    stage.say("What a line would really run decides, not what it looks like; text in quotes is only text:")
    stage.run("guard", "git commit -m 'rm -rf / is a bad idea'", "--explain")
    stage.say("\n(A command that is denied leaves with 4, one to ask about with 5.)")


def replay(stage: DemoRunner) -> None:
    """What worked is kept as steps, and run again under guard."""
    stage.chapter("Do it again")
    stage.say("What worked is kept as steps. A condition that can be checked is checked; a value stays a value:")
    stage.run("procedure", "record", "Ship docs", "--trigger", "the docs changed", "--param", "where=site")
    stage.run(
        "procedure", "add-step", "ship-docs", "mkdir -p {{where}} && echo '<h1>hello</h1>' > {{where}}/index.html"
    )
    stage.run("procedure", "add-step", "ship-docs", "grep -c hello {{where}}/index.html",
              "--precondition", "file exists {{where}}/index.html", "--postcondition", "exit 0")  # fmt: skip
    stage.say("\nEvery step is judged, run in a process group of its own, and kept with what it said:")
    stage.run("procedure", "replay", "ship-docs", "--param", "where=public docs")
    stage.say("\nNext time it is found by what is to be done, or by what is being typed:")
    stage.run("procedure", "search", "the docs changed, what now?")
    stage.say("\nA procedure that stops working says so, and after five bad runs it is switched off by itself:")
    stage.run("procedure", "health", "ship-docs")


def learn(stage: DemoRunner) -> None:
    """A hook sees a failure and its fix, and speaks up before the same mistake."""
    stage.chapter("Speak up before the mistake")
    stage.say("Hooks tell what an agent does. A command fails, again, and then its fix works:")
    for call in ("a1", "a2"):
        stage.hook("PostToolUseFailure", "npm run biuld", call, error='Exit code 1\nnpm error Missing script: "biuld"')
    stage.hook("PostToolUse", "npm run build", "a3", tool_response={"stdout": "built", "stderr": ""})
    stage.run("learn", "list")
    stage.say("\nThe next session is about to do it again, and is told before it does:")
    stage.hook("PreToolUse", "npm run biuld", "b1", session="another")
    stage.say("\n`tacit connect claude` puts such hooks into an agent's settings, and shows what it changes.")


def prove(stage: DemoRunner) -> None:
    """A lesson has to prove itself, and nothing grades itself."""
    stage.chapter("Nothing grades itself")
    stage.say("What came back and was mended is proposed as a lesson, told by rules from what happened:")
    (id,) = stage.run("lesson", "propose")
    stage.say("\nAn agent may praise it as often as it likes:")
    stage.run("lesson", "feedback", id, "up")
    stage.say(
        "\nThe gate counts what its author cannot say of itself, and names everything that is missing (it exits 5):"
    )
    stage.run("lesson", "promote", id, leaves=5)
    stage.say(
        "\nSessions that a host's own transcripts hold, exit codes, replays and a person get it promoted. Then it"
    )
    stage.say("is told at every start, may stop the mistake, and steps back by itself when it stops helping.")


def tried(stage: DemoRunner) -> None:
    """What was tried is known before it is tried again."""
    stage.chapter("Know what was tried")
    stage.say("A task is an episode: its steps are kept as they happen, its end is scored, and every part says why:")
    (id,) = stage.run("episode", "start", "Build the orders endpoint", "--domain", "web", "--language", "python")
    stage.run("episode", "step", id, "pytest", "run tests", "--result", "error", "--observation", "AssertionError: 404")
    stage.run("episode", "step", id, "edit", "register the route", "--result", "success")
    stage.run("episode", "step", id, "pytest", "run tests", "--result", "success", "--observation", "3 passed")
    stage.run("episode", "complete", id, "success", "--result", "the endpoint answers", "--duration-ms", "5000")
    stage.run("episode", "learn")
    stage.say("\nBefore the next one, what is worth knowing:")
    stage.run("episode", "search", "Build the invoices endpoint", "--domain", "web")


def write_down(stage: DemoRunner) -> None:
    """What is written in files is the same memory, from both sides."""
    stage.chapter("Write it down")
    stage.say("Some memory is best read and edited as files: one for each thing, and an index that is always loaded.")
    rule = "Deploys need two reviews.\n**Why:** one was not enough.\n**How to apply:** ask before `scripts/ship.sh`."
    about = ("--type", "feedback", "--name", "Reviews", "--description", "how many reviews a deploy needs")
    stage.run("memdir", "remember", rule, *about)
    stage.append(Path("home", "memdir", "user", "reviews.md"), "On Fridays three.\n")
    stage.say("\nSomebody added a line in an editor. A sync takes it in, as the file's word, and keeps the old text:")
    stage.run("memdir", "sync")
    stage.run("memdir", "history", "reviews.md")
    stage.say("\nWhat fits a task is chosen, with its age, how far to rely on it, and what it names that is gone:")
    stage.run("memdir", "select", "may I deploy with one review?")


def leave(stage: DemoRunner) -> None:
    """Everything can leave, and can be checked."""
    stage.chapter("Leave, and check")
    stage.run("export", "jsonl", "--out", "memory.jsonl")
    stage.run("import", "jsonl", "memory.jsonl", "--store", "copy.db")
    stage.say("\nThe copy answers as the original does:")
    stage.run("recall", "where are invoices kept?", "--limit", "1", "--store", "copy.db")
    stage.say("\nThe log is sealed link by link; verify reads all of it against the records and the index:")
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
