"""Notes: pieces of text kept as they are, compressed and consolidated, protected while something cites them."""

from __future__ import annotations

from tacit.app.verbs.declare import verb
from tacit.notes import compress as compressing
from tacit.notes import notes
from tacit.records import citation_protection
from tacit.records.connection import Connection


class Notes:
    """The notes of a memory."""

    NOUN = "notes"

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    create = verb(notes.create, creates=True)
    get = verb(notes.find_note)
    show = verb(notes.show_note)
    list = verb(notes.list_notes)
    search = verb(notes.search)
    revise = verb(notes.edit)
    delete = verb(notes.remove)
    compress = verb(compressing.compress)
    consolidate = verb(compressing.consolidate)
    citations = verb(citation_protection.citations)
    cited_by = verb(notes.cited_by)
