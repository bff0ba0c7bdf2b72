"""The commands of docs/share.md, run as they stand: an empty repository, two machines, and a day after."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks

ADDRESS = "git@git.example.com:you/team-memory.git"
_GIT = {"GIT_CONFIG_GLOBAL": "", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
        "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com"}  # fmt: skip


class Machine:
    """A home folder with a clone of a project, and a person at its terminal."""

    def __init__(self, root: Path, name: str) -> None:
        self.home = root / name
        self.project = self.home / "app"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (self.project / ".git" / "config").write_text('[remote "origin"]\n\turl = https://git.example.com/you/app\n')
        settings = self.home / "gitconfig"
        settings.write_text(f'[url "{root / "central.git"}"]\n\tinsteadOf = {ADDRESS}\n')
        self.env = os.environ | _GIT | {
            "HOME": str(self.home), "TACIT_HOME": str(self.home / ".tacit"), "GIT_CONFIG_GLOBAL": str(settings),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }  # fmt: skip

    def run(self, line: str) -> tuple[int, str]:
        """Type a line at the terminal; return its exit code and what it printed."""
        mine, theirs = pty.openpty()
        try:
            done = subprocess.run(
                ["sh", "-c", line], cwd=self.project, env=self.env, stdin=theirs, stdout=subprocess.PIPE,
                stderr=theirs, text=True, timeout=600, check=False,
            )  # fmt: skip
        finally:
            os.close(theirs)
            os.close(mine)
        return done.returncode, done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_page_works_as_written(tmp_path):
    """Each line succeeds, but a commit with nothing to commit; a fact of one machine is then recalled on the other."""
    first, other, daily = list(blocks(DOCS / "share.md", "sh"))[:3]
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", "central.git"], cwd=tmp_path, check=True, timeout=600)
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    failed = []

    def all_of(machine, block):
        for line in block.splitlines():
            code, said = machine.run(line)
            if code and "nothing to commit" not in said:
                failed.append((line, code, said))

    one.run('tacit remember "the staging port is 8443"')
    all_of(one, first)
    all_of(two, other)
    two.run('tacit remember "the database is PostgreSQL"')
    for machine in (two, one):
        all_of(machine, daily)

    assert [] == failed
    assert "8443" in two.run('tacit recall "which port does staging use?"')[1]
    assert "PostgreSQL" in one.run('tacit recall "which database do we use?"')[1]
