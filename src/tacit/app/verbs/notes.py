"""Notes: texts that are kept unchanged, can be compressed and consolidated, and are protected while cited."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.notes import compress as compressing, consolidate as consolidating, notes
from tacit.records import citation_protection


class Notes(Noun):
    """The notes of a memory."""

    NOUN = "notes"

    create = verb(notes.create, creates=True)
    get = verb(notes.find_note)
    show = verb(notes.show_note)
    list = verb(notes.list_notes)
    search = verb(notes.search)
    revise = verb(notes.edit)
    delete = verb(notes.remove)
    compress = verb(compressing.compress)
    consolidate = verb(consolidating.consolidate)
    citations = verb(citation_protection.citations)
    cited_by = verb(notes.cited_by)
