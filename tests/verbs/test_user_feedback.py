"""What a person's words leave behind: signals about what was shown, once, with a reason when there is none."""

from datetime import timedelta

from tacit.failures.injection_log import show_once
from tacit.lessons.user_feedback import record_feedback
from tacit.model.hook import ShownRecord
from tacit.testing import FakeClock, FakeLlm, temporary_memory


def told(m, type="signal."):
    return [
        (e.type, e.payload.get("how") or e.payload.get("why")) for e in m.events(limit=200) if e.type.startswith(type)
    ]


def show(m, clock, session="s1"):
    id = m.memorize("The staging API listens on port 8443").id
    show_once(m._c, session, [ShownRecord(id=id, text="the staging api")], "prompt")
    clock.advance(minutes=1)
    return id


def test_words_are_noted_once_about_what_was_shown_in_their_session():
    """Read twice they count once; another session's showings are not meant; a plain request leaves nothing."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as m:
        id = show(m, clock)

        assert [id] == record_feedback(m._c, "s1", "that worked, thanks", clock.now(), held=False)
        assert [] == record_feedback(m._c, "s1", "that worked, thanks", clock.now(), held=False)
        assert [] == record_feedback(m._c, "s2", "that worked, thanks", clock.now(), held=False)
        assert [] == record_feedback(m._c, "s1", "add a test for the parser", clock.now(), held=False)
        assert [("signal.abstained", "nothing was shown"), ("signal.positive", "pointed at")] == told(m)


def test_only_what_a_transcript_holds_is_confirmed():
    """Told by a hook it is a signal; read in a transcript there is an event that confirms it; both are kept apart."""
    clock = FakeClock()
    with temporary_memory(clock=clock) as m:
        show(m, clock)
        record_feedback(m._c, "s1", "perfect", clock.now(), held=False)
        assert [] == told(m, "confirmed:")
        record_feedback(m._c, "s1", "perfect", clock.now(), held=True)

        assert 1 == len(told(m, "confirmed:signal.positive"))
        assert [] == record_feedback(m._c, "s1", "great", clock.now() + timedelta(seconds=30), held=True)
        assert ("signal.abstained", "cooldown") == told(m)[0]


def test_a_model_reads_what_a_transcript_holds_and_rules_where_it_cannot():
    """It is asked for words in transcripts alone; what it doubts abstains, and when it fails rules read them."""
    clock = FakeClock()
    doubt = {"polarity": "positive", "confidence": 0.9, "hazards": ["sarcasm"]}
    sure = {"polarity": "negative", "confidence": 0.95, "hazards": []}
    llm = FakeLlm(doubt, sure, {"polarity": "great"})
    with temporary_memory(clock=clock, llm=llm) as m:
        id = show(m, clock)
        record_feedback(m._c, "s1", "perfect as always", clock.now(), held=False)
        assert [] == llm.asked
        clock.advance(minutes=2)
        assert [] == record_feedback(m._c, "s1", "oh, perfect", clock.now(), held=True)
        clock.advance(minutes=2)
        assert [id] == record_feedback(m._c, "s1", "nice, it deleted everything", clock.now(), held=True)
        clock.advance(minutes=2)
        assert [id] == record_feedback(m._c, "s1", "that worked", clock.now(), held=True)

        assert ["signal.positive", "signal.negative", "signal.abstained", "signal.positive"] == [
            t for t, _how in told(m)
        ]
