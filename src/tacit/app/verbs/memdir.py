"""The memory directory: topic files, and the notes that follow them."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.memdir import instruction_filter, select as selecting, status as state, sync as syncing, topic_notes
from tacit.memdir.file_notes import folder_of
from tacit.memdir.memory_tool import MemoryTool


class Memdir(Noun):
    """The memory directory of this project."""

    NOUN = "memdir"
    WHOLE = True

    sync = verb(syncing.sync, creates=True)
    status = verb(state.state)
    findings = verb(state.findings)
    accept = verb(state.accept, who="person")
    reject = verb(state.reject, who="person")
    select = verb(selecting.select)
    choose = verb(selecting.choose, creates=True)
    remember = verb(topic_notes.remember, creates=True)
    log = verb(topic_notes.log, creates=True)
    diff = verb(topic_notes.diff)
    history = verb(topic_notes.versions)
    restore = verb(topic_notes.restore)
    forget = verb(topic_notes.forget)
    vouched = verb(instruction_filter.vouched)

    def tool(self, *, writes: bool = True) -> MemoryTool:
        """Return Anthropic's memory tool for this directory. While everything is switched off, it is read-only."""
        if writes:
            self._c.writable()
        return MemoryTool(folder_of(self._c), self._c.redact, ask=self._c.memdir_rules.ask)
