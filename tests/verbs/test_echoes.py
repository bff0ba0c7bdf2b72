"""What tacit itself has shown is not learned again: not as a correction, a failure, a fact, a candidate or a signal."""

import pytest

from tacit import UsageError
from tacit.failures.rules.corrections.find import corrections_in
from tacit.loop.answer_hook import answer_hook
from tacit.loop.context import context
from tacit.loop.session_start import session_start
from tacit.model.hook import HookCall
from tacit.testing import temporary_memory
from tacit.text.frame import CONTEXT_HEAD, MANIFEST_HEAD, OWN_FRAMES, REMINDERS_HEAD, echoes, is_own, unechoed
from tests.verbs.test_learn_from_sessions import take_in, transcript

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
    return [block, block.partition("\n")[2], notes, f"{MANIFEST_HEAD}\n{listed}", f"{REMINDERS_HEAD}\n{listed}"]


def test_every_frame_is_known_for_ours(shown):
    """Each is an echo, alone and among other words; a text without it stays as it is, to the letter."""
    assert all(echoes(text) and echoes(f"look:\n{text}\nthanks") for text in shown)
    left = [unechoed(f"look:\n\n{text}\n\nthanks") for text in shown]

    assert all(one.startswith("look:") and one.endswith("thanks") for one in left)
    assert not any(rule in one for one in left for rule in RULES)
    assert "a\n\n- b [x]" == unechoed("a\n\n- b [x]")


def test_every_producer_opens_with_a_line_that_is_recognised(tmp_path, shown):
    """The block, its second line, a hook's notes and a manifest; and no frame is recognised that nobody produces."""
    with temporary_memory(folder=tmp_path / "asked", actor="user") as memory:
        memory.memorize(RULES[0])
        memory.learned.correction("npm", "bun")
        opened = str(memory.manifest(query="bun or npm")["frame"])
        begun = session_start(memory._c).text.split("\n\n")
    block, after_its_first_line, notes, *_made = shown
    lines = [text.partition("\n")[0] for text in (block, after_its_first_line, notes, opened)]

    assert [CONTEXT_HEAD, REMINDERS_HEAD, MANIFEST_HEAD] == lines[1:]
    lines += [part.partition("\n")[0] for part in begun]
    assert all(map(is_own, lines))
    assert set(OWN_FRAMES) == {frame for frame in OWN_FRAMES if any(line.startswith(frame) for line in lines)}


@pytest.mark.parametrize(
    "line", ["1. [importance 0.7; unverified] x", "- [lesson; evidenced] x", "- [rule; by the user] x"]
)
def test_an_entry_alone_is_recognised(line):
    """A fact, a lesson and a rule, as the block lists them."""
    assert is_own(line)


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
        assert ["other cat notes"] == [one.key for one in learnt.failures]
        assert not any(rule in one.body for one in learnt.failures for rule in RULES)


def test_it_is_not_memorized_again(shown):
    """Memory says whose words they are; the fact itself, in a sentence, is merged as ever."""
    with temporary_memory() as memory:
        for text in shown:
            with pytest.raises(UsageError, match="shown by tacit itself"):
                memory.memorize(text)

        assert memory.memorize(RULES[0]).id
