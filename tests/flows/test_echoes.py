"""What memory itself showed is not learned again: not as a correction, a failure, a fact, a candidate or a signal."""

import pytest

from tacit import UsageError
from tacit.failures.rules.corrections.find import corrections_in
from tacit.loop.answer_hook import answer_hook
from tacit.loop.context import context
from tacit.loop.reminders import OPEN
from tacit.model.hook import HookCall
from tacit.notes.manifest import FRAME
from tacit.testing import temporary_memory
from tacit.text.frame import echoes, unechoed
from tests.flows.test_distil import take_in, transcript

RULES = ("Always use bun instead of npm here", "Never run make deploy, use make ship instead")


@pytest.fixture
def shown(tmp_path):
    """Give what memory shows: the block, the block after its first line, a hook's notes, a manifest's frame."""
    with temporary_memory(folder=tmp_path / "shown", actor="user") as memory:
        for rule in RULES:
            memory.memorize(rule)
        block = context(memory._c, guidance=True).text
        call = HookCall(agent="claude", moment="prompt", session="s", prompt="how do I use make deploy or npm here?")
        notes = answer_hook(memory._c, call).context
    assert "instead" in notes
    listed = "\n".join(f"- {rule}" for rule in RULES)
    return [block, block.partition("\n")[2], notes, f"{FRAME}\n{listed}", f"{OPEN}\n{listed}"]


def test_every_frame_is_known_for_ours(shown):
    """Each is an echo, alone and among other words; a text without it stays as it is, to the letter."""
    assert all(echoes(text) and echoes(f"look:\n{text}\nthanks") for text in shown)
    left = [unechoed(f"look:\n\n{text}\n\nthanks") for text in shown]

    assert all(one.startswith("look:") and one.endswith("thanks") for one in left)
    assert not any(rule in one for one in left for rule in RULES)
    assert "a\n\n- b [x]" == unechoed("a\n\n- b [x]")


def test_a_prompt_that_holds_it_corrects_nobody(shown):
    """By itself, before and after a user's own words, indented or quoted."""
    for text in shown:
        quoted = "\n".join(f"> {line}" for line in text.splitlines())
        for prompt in (text, f"fix it please\n\n{text}", f"{text}\n\nfix it please", quoted):
            assert [] == corrections_in(prompt)


def test_a_transcript_that_holds_it_teaches_nothing(tmp_path, shown):
    """Neither its prompts nor the output of commands; and what tacit answers with a no is no failure."""
    rows = [row for text in shown for row in (f"go on\n{text}", ("cat notes", 1, text), ("tacit context", 0, text))]
    own = [("tacit lesson promote lesson_1", 5, "not yet"), ("tacit show x", 3, "nothing"), ("tacit forget x", 4, "no")]
    with temporary_memory(folder=tmp_path / "learns") as memory:
        paths = [transcript(tmp_path, name, *rows, *own) for name in ("s1", "s2")]
        learnt = memory.sessions.learn(take_in(memory, *paths))

        assert ((), ()) == (learnt.corrections, learnt.lessons)
        assert ["cat notes"] == [one.key for one in learnt.failures]
        assert not any(rule in one.body for one in learnt.failures for rule in RULES)


def test_it_is_not_memorized_again(shown):
    """Memory says whose words they are; the fact itself, in a sentence, is merged as ever."""
    with temporary_memory() as memory:
        for text in shown:
            with pytest.raises(UsageError, match="memory itself showed"):
                memory.memorize(text)

        assert memory.memorize(RULES[0]).id
