"""The floor: whether the best hit answers at all."""

from hypothesis import given, strategies as st

from tacit.model.query import Signal
from tacit.search.rules.relevance_cutoff import named, only_by_kind, relevance_of_each, relevant
from tacit.text.rank_fusion import FusedHit
from tacit.text.tokens import query_tokens
from tests.rules.test_trust import record

STAGING = record(body="the staging api listens on port 8443")


def fused(cosine=None):
    signals = [Signal("lexical", 1.0, 1.0, 0.6, 0.6, 1)]
    if cosine is not None:
        signals.append(Signal("semantic", cosine, 1.0, 0.4, 0.4, 1))
    return FusedHit("fact_1", 1.0, tuple(signals))


def answers(query, records=10, cosine=None):
    return relevant(query_tokens(query), fused(cosine), STAGING, records)


def test_sharing_words_is_enough():
    """A question whose words the record holds is answered, in a small memory and in a large one."""
    assert answers("which port does staging use?")
    assert answers("staging port", records=100_000)


def test_sharing_one_word_of_many_is_not_enough_in_a_crowd():
    """The more records there are, the more the best one has to share."""
    query = "how do zebras migrate over the savanna and which port of call do they use"

    assert answers(query, records=10)
    assert not answers(query, records=10_000)


def test_meaning_counts_beside_words():
    """A record that shares no word is relevant if it is close enough in meaning; a negative cosine adds nothing."""
    assert answers("doctor", cosine=0.5)
    assert not answers("doctor", cosine=0.05)
    assert not answers("doctor", cosine=-1.0)


@given(st.text(max_size=80), st.floats(-1, 1), st.integers(0, 10**7), st.integers(0, 10**7))
def test_the_floor_only_rises_with_the_number_of_records(query, cosine, few, many):
    """What is not relevant among few is not relevant among more; an empty query has no answer by words."""
    few, many = sorted((few, many))

    assert answers(query, few, cosine) or not answers(query, many, cosine)
    assert query_tokens(query) or not answers(query, few)


def fit(query, *bodies, cosines=()):
    """Return the numbers of the turns that are relevant by themselves."""
    signals = [(Signal("semantic", cosine, 1.0, 0.4, 0.4, 1),) for cosine in cosines] or [()] * len(bodies)
    ranked = [(FusedHit(str(at), 1.0, signals[at]), record(body=body)) for at, body in enumerate(bodies)]
    return sorted(int(id) for id, share in relevance_of_each(query_tokens(query), ranked).items() if share >= 1)


def test_each_turn_is_relevant_by_itself():
    """The word that tells, or the meaning, must be shared; a word that many turns hold tells little."""
    payments = ["class SubscriptionManager", "python manage.py dbshell", "manager.renew()", "the manager", "manage"]
    asked = "why were customers charged twice"

    assert [] == fit("which package manager do we use", *payments)
    assert [] == fit("which package manager do we use", *payments, cosines=(0.15, 0.08, 0.03, 0.06, 0.04))
    assert [0] == fit(asked, "users are charged twice", "the charge", "a charge", cosines=(0.3, 0.06, -0.2))
    assert [0] == fit(asked, "users are charged twice", "the charge", "a charge")
    assert [1] == fit("doctor", "the charge", "a physician", cosines=(0.1, 0.5))


def test_what_is_not_near_in_meaning_is_not_judged_by_words_alone():
    """A newcomer's trial: rules that shared one common word with a question stood above its answer."""
    by_words = fused()
    tokens = query_tokens("which port of the harbour takes larger ferries")

    assert relevant(tokens, by_words, STAGING, 50)
    assert not relevant(tokens, by_words, STAGING, 50, beyond=0.0)
    assert relevant(tokens, by_words, STAGING, 50, beyond=0.2)


def test_a_tag_that_says_of_what_kind_a_record_is_answers_no_question():
    """A newcomer's trial: "which atomic type …" found each rule by its tag `type:workflow-step`."""
    rule = record(body="use uv as the package manager", tags=("correction", "type:workflow-step", "python"))
    asked = query_tokens("which atomic type did we use")

    assert only_by_kind(asked, fused(), rule)
    assert not relevant(asked, fused(), rule, 10)
    assert not only_by_kind(query_tokens("python"), fused(), rule)
    assert not only_by_kind(query_tokens("type of package"), fused(), rule)


def test_two_words_that_tell_enough_need_no_meaning():
    """A long turn holds what was asked and is close to nothing in meaning; one word alone is not enough."""
    asked, long = "is redis reachable from the internet", "redis is open, says the host: it answers on the internet"
    others = [f"redis step {number}" for number in range(8)]
    cosines = (0.0, *[0.1] * 9)

    assert [0] == fit(asked, long, "the internet", *others, cosines=cosines)


def test_a_record_is_named_by_its_title_or_all_of_its_text():
    """Case, spacing and a question mark do not matter; a part of a text is no name, and an empty field has none."""
    term = record(title="The Who", body="a band")

    assert [True] * 3 == [named(term, query) for query in ("the  who?", "THE WHO", "a band")]
    assert [False] * 3 == [named(term, query) for query in ("the", "a", "who")]
    assert not named(record(title="", body="x"), "?")
