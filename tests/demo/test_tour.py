"""The tour runs to its end, tells what happened, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.demo.command_runner import DemoRunner
from tacit.demo.tour import CHAPTERS
from tacit.errors import TacitError

OUTCOMES = (
    "memorized: ",
    "already known: ",
    "contradicts ",
    "(number: 8443 / 9443)",
    "conflicts with ",
    "now supersedes",
    "lexical: raw",
    "nothing relevant enough was found",
    "-> stores_in database/invoices-db (0.9)",
    "is at version 3, with the content of version 1",
    "undone: brought back an older version of",
    "<memory_context>",
    "</memory_context>",
    "missing-external-signal-sources",
    "only a person's vote counts",
    "read in: reviews.md",
    "reviews.md  feedback  today  unverified  scripts/ship.sh",
    "lines written to memory.jsonl",
    "0 were here already",
    "sound: ",
    "Where to go next",
)


def test_the_tour_leaves_nothing_behind(tmp_path: Path) -> None:
    """With an empty HOME it ends well, shows every outcome in plain text, and home and scratch are empty afterwards."""
    home, scratch = tmp_path / "empty", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "TACIT_HOME"}
    environment |= {"HOME": str(home), "TMPDIR": str(scratch)}

    done = subprocess.run(
        [sys.executable, "-m", "tacit", "demo", "--all"],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=900,
    )

    assert (0, "") == (done.returncode, done.stderr), done.stdout[-2000:]
    assert [] == [outcome for outcome in OUTCOMES if outcome not in done.stdout]
    assert "\x1b" not in done.stdout
    assert [] == [*home.iterdir(), *scratch.iterdir()]


SCENES = (
    "stopped: `npm run biuld` failed here 1 time",
    "1 of 1 stop led to a command that worked",
    "kept as the user's rule: npm → pnpm",
    "pnpm instead of npm",
    "Here `pnpm` is used instead of `npm`",
    "its precondition is not met",
    "shipped to staging",
    "denied: it deletes a home folder",
    "$ rm -rf node_modules\ntacit  no objection",
    "$ git commit -m 'rm -rf ~'\ntacit  no objection",
    "tacit init",
)


def test_the_four_scenes_show_what_a_person_sees(tmp_path: Path) -> None:
    """A mistake stopped, a rule kept, a procedure mended, a command denied; no JSON; nothing is left behind."""
    home, scratch = tmp_path / "empty", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "TACIT_HOME"}
    environment |= {"HOME": str(home), "TMPDIR": str(scratch)}
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "demo"], env=environment, cwd=home, capture_output=True, text=True, timeout=900
    )

    assert (0, "") == (done.returncode, done.stderr), done.stdout[-2000:]
    assert [] == [outcome for outcome in SCENES if outcome not in done.stdout]
    assert "hookSpecificOutput" not in done.stdout and '{"' not in done.stdout
    assert [] == [*home.iterdir(), *scratch.iterdir()]


def test_a_failing_command_stops_the_tour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is glossed over: what a command said is shown, and its failure is the tour's."""
    with pytest.raises(TacitError, match="exited with 3"):
        DemoRunner(tmp_path).run("show", "fact_0")

    assert "$ tacit show fact_0" in capsys.readouterr().out


def test_every_chapter_says_what_it_is_for() -> None:
    """A chapter is a function with a sentence."""
    assert [] == [chapter.__name__ for chapter in CHAPTERS if not chapter.__doc__]


def test_a_command_is_ended_with_the_tour_even_if_the_signal_comes_while_it_starts(tmp_path, monkeypatch):
    """What went on would write into the scratch home after it was removed."""
    begun = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGINT)
            sum(range(1000))  # a handler runs between two instructions

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        DemoRunner(tmp_path).quietly("status")

    assert [-signal.SIGKILL] == [one.returncode for one in begun]
