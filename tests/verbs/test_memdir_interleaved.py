"""Files and notes changed from both sides, synced, crashed and synced again, in any order: no text is ever lost."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from tacit.errors import TacitError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir import sync_actions as memdir_acts
from tacit.memdir.file_notes import text_of
from tacit.memdir.rules.topic_file import is_conflict, is_kept
from tacit.testing import FakeClock, temporary_memory

PATHS = ("a.md", "b.md", "team/c.md", "deep/er/d.md")
TOP = "---\nname: {}\ndescription: about it\ntype: project\n---\n"


class Killed(BaseException):
    """The process ends here."""


class World:
    """A memory directory, a store, and all lines that anybody relies on."""

    def __init__(self, seed, folder, memory, clock, monkeypatch):
        self.random = random.Random(seed)
        self.folder, self.memory, self.clock, self.patch = folder, memory, clock, monkeypatch
        self.lines = 0
        self.relied, self.meantime, self.by_hand = set(), set(), []
        self.log = []
        self.counts = {"syncs": 0, "crashes": 0, "conflicts": 0, "meanwhile": 0}

    def line(self):
        self.lines += 1
        return f"line {self.lines} of {self.random.choice('xyz')}"

    def files(self):
        return sorted(path for path in self.folder.rglob("*.md") if path.name != "MEMORY.md")

    def notes(self, *statuses):
        return list(self.memory.list(kinds=["note"], statuses=statuses, limit=1000).records)

    # -- what people do to files --------------------------------------------------------------------------------

    def edit(self, text):
        """Change a line, add some, or drop one."""
        lines = text.splitlines()
        at = self.random.randrange(len(lines) + 1)
        for _ in range(self.random.choice((1, 1, 2))):
            lines.insert(at, self.line())
        if len(lines) > 3 and self.random.random() < 0.4:
            lines.pop(self.random.randrange(len(lines)))
        return "\n".join(lines) + "\n"

    def file_new(self):
        path = self.folder / self.random.choice(PATHS)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            top = TOP.format(path.stem) if self.random.random() < 0.5 else ""
            path.write_text(top + "".join(f"{self.line()}\n" for _ in range(6)))

    def file_edit(self):
        files = [path for path in self.files() if not is_conflict(path.name)]
        if files:
            path = self.random.choice(files)
            path.write_text(self.edit(path.read_text()))

    def file_delete(self):
        files = [path for path in self.files() if not is_conflict(path.name)]
        if files:
            self.random.choice(files).unlink()

    def file_move(self):
        files = [path for path in self.files() if not is_conflict(path.name)]
        target = self.folder / self.random.choice(PATHS)
        if files and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            self.random.choice(files).rename(target)

    # -- what is done to notes ----------------------------------------------------------------------------------

    def note_edit(self):
        if notes := self.notes("active"):
            note = self.random.choice(notes)
            body = self.edit(note.body)
            self.memory.revise(note.id, body=body)
            self.relied |= set(body.splitlines())

    def note_title(self):
        if notes := self.notes("active"):
            self.memory.revise(self.random.choice(notes).id, title=self.line())

    def note_retire(self):
        if notes := self.notes("active"):
            self.memory.retire(self.random.choice(notes).id)

    def note_back(self):
        if notes := self.notes("active", "retired"):
            note = self.random.choice(notes)
            if note.version > 1:
                self.memory.rollback(note.id, self.random.randrange(1, note.version))

    def undo(self):
        self.memory.undo()

    def remember(self):
        """Write down a text; what was acknowledged is relied on."""
        line = self.line()
        self.memory.memdir.remember(line, type=self.random.choice(("project", "reference")))
        self.relied.add(line)

    def restore(self):
        if notes := [one for one in self.notes("active", "retired") if one.version > 1 and one.payload.path]:
            note = self.random.choice(notes)
            self.memory.memdir.restore(note.payload.path, self.random.randrange(1, note.version))

    def index(self):
        """Write a line into the index by hand, somewhere."""
        path, line = self.folder / "MEMORY.md", f"by hand {self.line()}"
        lines = path.read_text().splitlines() if path.exists() else []
        lines.insert(self.random.randrange(len(lines) + 1), line)
        path.write_text("\n".join(lines) + "\n")
        self.by_hand = [line for line in lines if line.startswith("by hand")]

    # -- syncs --------------------------------------------------------------------------------------------------

    def sync(self, *, sure=False):
        here = {line for path in self.files() for line in path.read_text().splitlines()}
        self.meantime = set()
        try:
            found = self.memory.memdir.sync(deletions=self.random.random() < 0.9 or sure)
        finally:
            # A sync that was killed has lost nothing either; but what it did not come to, its author may still remove.
            assert set() == (here | self.meantime) - self.kept(), self.log
        self.relied |= here
        self.counts["syncs"] += 1
        self.counts["conflicts"] += len(found.conflicts)
        assert () == found.problems

    def crash(self):
        """Sync, and be killed before or after any write to a file or to the store."""
        self.disturbed(self.random.randrange(1, 8), Killed)
        self.counts["crashes"] += 1

    def meanwhile(self):
        """Sync, while somebody writes to a file just before it would be replaced."""
        self.disturbed(self.random.randrange(1, 5), None)
        self.counts["meanwhile"] += 1

    def disturbed(self, after, kill):
        steps = 0

        def step():
            nonlocal steps
            steps += 1
            if steps == after:
                if kill:
                    raise kill
                self.intrude()

        def around(real):
            def call(*args, **kwargs):
                step()
                result = real(*args, **kwargs)
                if kill:
                    step()
                return result

            return call

        with self.patch.context() as patch:
            for name in ("write", "remove"):
                patch.setattr(SafeFolder, name, around(getattr(SafeFolder, name)))
            patch.setattr(memdir_acts, "writing", around(memdir_acts.writing))
            with suppress(Killed):
                self.sync()

    def intrude(self):
        files = [path for path in self.files() if not is_conflict(path.name)]
        if files:
            path, line = self.random.choice(files), self.line()
            path.write_text(f"{path.read_text()}{line}\n")
            self.meantime.add(line)

    # -- what holds ---------------------------------------------------------------------------------------------

    def kept(self):
        texts = [path.read_text() for path in self.folder.rglob("*.md")]
        for note in self.notes():
            texts += [text_of(version) for version in self.memory.history(note.id)]
        return {line for text in texts for line in text.splitlines()}

    def lines_by_hand(self):
        path = self.folder / "MEMORY.md"
        return [line for line in path.read_text().splitlines() if line.startswith("by hand")] if path.exists() else []

    def run(self, steps):
        acts = [self.file_new, self.file_edit, self.file_edit, self.file_edit, self.file_delete, self.file_move,
                self.note_edit, self.note_edit, self.note_edit, self.note_title, self.note_retire, self.note_back,
                self.undo, self.remember, self.restore, self.index,
                self.sync, self.sync, self.sync, self.crash, self.crash, self.meanwhile]  # fmt: skip
        self.file_new()
        for _ in range(steps):
            act = self.random.choice(acts)
            self.log.append(act.__name__)
            self.clock.advance(minutes=1)
            try:
                act()
            except TacitError as error:
                self.log.append(error.message)
            assert set() == self.relied - self.kept(), self.log
            assert self.by_hand == self.lines_by_hand(), self.log
        self.settle()

    def settle(self):
        """Left alone, a sync comes to rest; then every file has one note, and they say the same."""
        for _ in range(2):
            # Where all files went, it has to be said that they were meant to.
            self.sync(sure=True)
        last = self.memory.memdir.sync()
        assert () == (*last.taken, *last.written, *last.merged, *last.moved, *last.retired, *last.removed), self.log
        files = {str(path.relative_to(self.folder)): path.read_text() for path in self.files()}
        notes = {one.payload.path: one for one in self.notes("active") if one.payload.path not in last.unwritten}
        assert {path for path in files if is_kept(path)} == set(notes), self.log
        assert [] == [path for path, one in notes.items() if one.body not in files[path]], self.log
        assert set() == self.relied - self.kept(), self.log


@pytest.mark.soak
def test_no_line_is_ever_lost(tmp_path, monkeypatch, budget, figures, engine):
    """Whatever is edited, deleted, moved, retired, rolled back, undone or killed: each line is found somewhere."""
    rounds = budget(80 if engine == "sqlite" else 10, soak=1_000)
    start = random.SystemRandom().randrange(10**6)
    totals = {"syncs": 0, "crashes": 0, "conflicts": 0, "meanwhile": 0}
    for number in range(rounds):
        seed, clock = start + number, FakeClock()
        folder = tmp_path / f"r{number}" / "memory"
        folder.mkdir(parents=True)
        with temporary_memory(
            folder=tmp_path / "home", scope=f"project:r{number}", clock=clock, actor="user", memdir=str(folder)
        ) as memory:
            world = World(seed, folder, memory, clock, monkeypatch)
            try:
                world.run(14)
            except BaseException as error:
                error.add_note(f"seed {seed}")
                raise
        for name, count in world.counts.items():
            totals[name] += count
    figures("memdir interleavings", rounds)
    for name, count in totals.items():
        figures(f"memdir {name}", count)

    # In a few rounds some of it may not happen.
    assert all(count > 0 for count in totals.values()) or (rounds < 80 and totals["syncs"])
