"""The log: what was kept, learned, told and stopped, newest first."""

from tacit.loop.answer_hook import answer_hook
from tacit.model.hook import HookCall
from tacit.model.session import ToolCall, ToolOutcome
from tacit.testing import temporary_memory

FACT = "Our staging cluster is called blue-otter"


def shell(moment, command, session, call, **outcome):
    """Make a call of the shell, before it or after it failed."""
    return HookCall(
        agent="claude", moment=moment, session=session, hears=True,
        tool=ToolCall(name="Bash", kind="shell", command=command, call=call),
        outcome=ToolOutcome(**outcome) if outcome else None,
    )  # fmt: skip


def test_what_happened_is_listed_with_ids_that_why_explains(tmp_path):
    """N6: "why was my agent told this?" begins here."""
    with temporary_memory(folder=tmp_path) as memory:
        assert [] == memory.log()
        fact = memory.remember(FACT)
        told = HookCall(agent="claude", moment="prompt", session="s", prompt="which staging cluster?", hears=True)
        answer_hook(memory._c, told)
        error = "sh: gti: command not found"
        answer_hook(memory._c, shell("after_tool", "gti status", "s", "a", ok=False, exit_code=127, output=error))
        answer_hook(memory._c, shell("before_tool", "gti status", "s2", "b"))
        entries = memory.log()
        kept, stopped = memory.log(what="kept"), memory.log(what="stopped")

        assert {"kept", "told at a prompt", "a command failed", "told before a command"} <= {
            one.what for one in entries
        }
        assert sorted(entries, key=lambda one: one.at, reverse=True) == entries
        assert [(fact.id[-8:], FACT)] == [(one.id, one.text) for one in kept]
        assert {"stopped a command because of"} == {one.what for one in stopped}
        assert all(memory.why(one.id).sentences for one in entries)
        assert 1 == len(memory.log(limit=1))


def test_what_a_person_changed_is_in_the_log_too(tmp_path):
    """Edits, removals, deletions, approvals and undone writes; a record out of use says so."""
    with temporary_memory(folder=tmp_path, actor="user") as memory:
        fact = memory.memorize("The API listens on 8443")
        memory.revise(fact.id, body="The API listens on 9443")
        memory.retire(fact.id)
        gone = memory.memorize("Staging runs on Friday")
        memory.forget(gone.id)
        memory.undo()
        said = [(one.what, one.text) for one in memory.log(what="changed")]

    assert ("deleted for good", "1 record") in said
    assert {"changed", "undid a write of", "deleted for good"} <= {what for what, _text in said}
