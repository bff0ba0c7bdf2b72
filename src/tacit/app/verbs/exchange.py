"""Out to files that others read, and in from what others left behind."""

from __future__ import annotations

from pathlib import Path

from tacit.errors import NotFound
from tacit.exchange.import_foreign import import_source
from tacit.exchange.learning_files import export_learnings, export_procedures
from tacit.exchange.lesson_block import export_lessons
from tacit.exchange.markdown_mirror import export_mirror
from tacit.exchange.skill_files import export_skills
from tacit.model.transfer import ExportReport, ImportReport
from tacit.records.connection import Connection

VECTOR_FILES_FROM = 1_000


class Exchange:
    """Files this memory writes for others, and other memories it takes in."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def bring_in(self, form: str, path: str | Path, *, dry_run: bool = False) -> ImportReport:
        """Take in another memory: once, with where it came from, trusted as an import."""
        done = import_source(self._c, form, Path(path).expanduser(), dry_run=dry_run)
        if not dry_run and sum(done.written.values()) >= VECTOR_FILES_FROM:
            self._c.meaning.save([str(self._c.scope)])
        return done

    def _stands(self) -> Connection:
        """Refuse to write for a store that is not there: it would look as if all had gone out of use."""
        self._c.writable()
        if not self._c.store.engine()["exists"]:
            raise NotFound("there is no store here yet, so nothing was written", "the first `tacit memorize` makes it")
        return self._c

    def lessons(self, path: str | Path, *, dry_run: bool = False) -> ExportReport:
        """Keep the promoted lessons in a block of a file, as CLAUDE.md; the rest of it is never touched."""
        return export_lessons(self._stands(), Path(path).expanduser(), dry_run=dry_run)

    def skills(self, folder: str | Path, *, dry_run: bool = False) -> ExportReport:
        """Write active procedures and skills as Agent Skills; what somebody changed stays."""
        return export_skills(self._stands(), Path(folder).expanduser(), dry_run=dry_run)

    def learnings(self, folder: str | Path, *, dry_run: bool = False) -> ExportReport:
        """Write failures and corrections as Markdown with front matter."""
        return export_learnings(self._stands(), Path(folder).expanduser(), dry_run=dry_run)

    def procedures(self, path: str | Path, *, dry_run: bool = False) -> ExportReport:
        """Write procedures as lines of JSON, in the format of the original."""
        return export_procedures(self._stands(), Path(path).expanduser(), dry_run=dry_run)

    def mirror(self, folder: str | Path, *, dry_run: bool = False) -> ExportReport:
        """Write everything promoted or trusted as pages to read."""
        return export_mirror(self._stands(), Path(folder).expanduser(), dry_run=dry_run)
