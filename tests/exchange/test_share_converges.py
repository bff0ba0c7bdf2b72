"""Any order of writes, pushes and pulls of several homes ends in the same memory everywhere, and nothing is lost."""

import random
import shutil
import subprocess
from contextlib import ExitStack, contextmanager

import pytest

from tests.exchange.test_share import SCOPE, Homes


class OpenHomes(Homes):
    """Homes whose memories stay open, which is quicker."""

    def __init__(self, folder, stack):
        super().__init__(folder)
        self._stack, self._opened = stack, {}

    @contextmanager
    def open(self, name, actor="user", scope=SCOPE):
        if (name, actor) not in self._opened:
            self._opened[name, actor] = self._stack.enter_context(super().open(name, actor, scope))
        yield self._opened[name, actor]


class Run:
    """One random run: homes that write, change, remove, push and pull in any order."""

    def __init__(self, folder, stack, seed, writers):
        self.chance, self.homes = random.Random(seed), OpenHomes(folder, stack)
        self.names = [f"home{number}" for number in range(writers)]
        self.homes.init(*self.names)
        self.authors, self.removed, self.count = {}, set(), 0

    def step(self):
        name = self.chance.choice(self.names)
        act = self.chance.choice([self.write, self.write, self.change, self.change, self.remove, self.push, self.pull])
        act(name)

    def write(self, name):
        self.count += 1
        self.authors[self.homes.write(name, f"item{self.count} stands for a thing of {name}")] = name

    def change(self, name):
        if id := self.pick(name):
            self.count += 1
            self.homes.edit(name, id, f"changed{self.count} by {name}")

    def remove(self, name):
        id = self.pick(name)
        if id and self.authors[id] == name:
            self.removed.add(id)
            with self.homes.open(name) as memory:
                self.chance.choice([memory.retire, memory.forget])(id)

    def pick(self, name):
        ids = sorted(self.content(name))
        return self.chance.choice(ids) if ids else None

    def push(self, name):
        self.homes.push(name)

    def pull(self, name):
        self.homes.pull(name)

    def content(self, name):
        with self.homes.open(name) as memory:
            return {one.id: one.body for one in memory.list(kinds=["fact"], limit=1_000).records}

    def settle(self):
        """Push and pull until everybody has said and heard everything."""
        for _round in range(2):
            for name in self.names:
                self.pull(name)
                self.push(name)
        for name in self.names:
            self.pull(name)


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(10))
def test_interleavings_converge(tmp_path, budget, figures, batch):
    """Two and three homes end with equal texts under equal ids, and every record that its author did not remove."""
    runs = budget(1, soak=100)
    seed = random.randrange(10**6)
    figures("share seed", str(seed))
    for number in range(runs):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        with ExitStack() as stack:
            run = Run(folder, stack, seed + number, writers=2 + (batch + number) % 2)
            for _step in range(14):
                run.step()
            run.settle()
            contents = [run.content(name) for name in run.names]

        assert all(contents[0] == other for other in contents), seed + number
        assert set(run.authors) - run.removed == set(contents[0]), seed + number
        shutil.rmtree(folder)
    figures("share interleavings converged", runs)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_two_homes_and_a_git_repository(tmp_path):
    """The same memory stands in two homes whose clones of one repository are pushed and pulled with git."""

    def git(folder, *words):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, timeout=600)

    def publish(name):
        clone = tmp_path / f"clone-{name}"
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", "memory")
        git(clone, "pull", "-q", "--rebase", "origin", "main")
        git(clone, "push", "-q", "origin", "HEAD:main")

    git(tmp_path, "init", "-q", "--bare", "-b", "main", "central.git")
    homes = Homes(tmp_path)
    for name in ("a", "b"):
        git(tmp_path, "clone", "-q", "central.git", f"clone-{name}")
        git(tmp_path / f"clone-{name}", "checkout", "-q", "-B", "main")
        with homes.open(name) as memory:
            memory.share.init(tmp_path / f"clone-{name}")
        if name == "a":
            first = homes.write("a", "the staging port is 8443")
            homes.push("a")
            git(tmp_path / "clone-a", "add", "-A")
            git(tmp_path / "clone-a", "commit", "-qm", "memory")
            git(tmp_path / "clone-a", "push", "-q", "origin", "HEAD:main")
    homes.write("b", "deploys happen on Tuesdays")
    homes.pull("b")
    homes.edit("b", first, "the staging port is 9443")
    homes.push("b")
    publish("b")
    homes.write("a", "the database is PostgreSQL")
    homes.push("a")
    publish("a")
    homes.pull("a")
    git(tmp_path / "clone-b", "pull", "-q", "--rebase", "origin", "main")
    homes.pull("b")
    expected = {"the staging port is 9443", "deploys happen on Tuesdays", "the database is PostgreSQL"}

    assert expected == homes.texts("a") == homes.texts("b")
