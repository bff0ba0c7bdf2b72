"""Exchange: exports to files that others read, and imports from other memory tools."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.exchange.import_foreign import import_source
from tacit.exchange.learning_files import export_learnings, export_procedures
from tacit.exchange.lesson_block import export_lessons
from tacit.exchange.markdown_mirror import export_mirror
from tacit.exchange.recognise import recognise_source
from tacit.exchange.skill_files import export_skills


class Exchange(Noun):
    """Exports and imports of a memory."""

    NOUN = "exchange"

    recognise = verb(recognise_source, on_wire=False)
    import_ = verb(import_source, creates=True, on_wire=False)
    lessons = verb(export_lessons, on_wire=False)
    skills = verb(export_skills, on_wire=False)
    learnings = verb(export_learnings, on_wire=False)
    procedures = verb(export_procedures, on_wire=False)
    mirror = verb(export_mirror, on_wire=False)
