"""A line that tacit prints can be pasted into a shell: it runs that command with those words, and nothing else."""

from __future__ import annotations

import os
import re
import shlex
import subprocess

import pytest

RECORDER = """#!/bin/sh
printf '%s\\n' "$@" > "$CALLED"
"""


@pytest.fixture
def pasted(tmp_path):
    """Return `pasted(line)`: the words with which a shell calls `tacit` when this line is pasted, and its exit code."""
    program = tmp_path / "bin" / "tacit"
    program.parent.mkdir()
    program.write_text(RECORDER)
    program.chmod(0o755)

    def paste(line):
        called = tmp_path / "called"
        called.unlink(missing_ok=True)
        env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "CALLED": str(called)}
        done = subprocess.run(["sh", "-c", line], env=env, capture_output=True, cwd=tmp_path, check=False, timeout=60)
        return called.read_text().splitlines() if called.exists() else [], done.returncode

    return paste


def lines_of(text):
    """Return the command lines that a text suggests."""
    return re.findall(r"(?:^|[\s`])(tacit (?:consolidate|episode|forget|remove|learn) [^`\n]*)", text)


def test_a_contradiction_offers_a_line_for_each_decision(tacit, pasted):
    """Until now one line held all three, and pasting it superseded the fact."""
    tacit("memorize", "the build takes 4 minutes")
    said = tacit("memorize", "the build takes 9 minutes").out
    lines = lines_of(said)

    assert ["supersede", "keep", "discard"] == [line.split()[-1] for line in lines]
    for line in lines:
        assert (shlex.split(line)[1:], 0) == pasted(line)


def test_advice_asks_for_feedback_with_a_line_for_each_answer(tacit, pasted):
    """One line held all three answers."""
    tacit("episode", "start", "Build REST endpoint")
    said = tacit("episode", "search", "Build REST endpoint", "--receipt").out
    lines = lines_of(said)

    assert ["helped", "no-effect", "hindered"] == [line.split()[-1] for line in lines]
    for line in lines:
        assert (shlex.split(line)[1:], 0) == pasted(line)


def test_the_line_for_the_user_can_be_pasted(tacit, pasted):
    """What an agent is to pass on holds the words it was given, quoted for a shell."""
    hint = tacit("forget", "fact_x; rm -rf ~", "--json").json["error"]["hint"]
    lines = re.findall(r"`([^`]*)`", hint)

    assert [["remove", "fact_x; rm -rf ~"], ["forget", "fact_x; rm -rf ~"]] == [pasted(line)[0] for line in lines]
