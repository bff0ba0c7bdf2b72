"""Two statements become one only when nothing is lost, and a contradiction is worth a person's time."""

import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import assume, given, strategies as st

from tacit.records.rules.compare_statements import Contradiction, DistinctFacts, SameFact, SimilarFact, compare
from tests.rules.claim_pairs import PAIRS
from tests.rules.pairs import HELD_OUT, TUNED
from tests.timing import assert_growth, cpu_s

KINDS = ("contradiction", "same", "distinct")
# Adding one of these to a statement says more.
WEIGHTY = ["staging", "API", "cache", "uses", "listens", "on", "not", "never", "Redis", "8443", "3.11", "5s", "`a.py`"]
OTHERS = ["the", "is", "don't", "no", "longer", "v1.2", "10,000", "--force", "-B", "and", ",", "instead", "of", "over"]
OTHERS += ["prefer", "if", "when", "also", "owned", "by", "Alice:", "(CI)", "In", "prod,", "?", "=", "<=", "runs"]

HOSTILE = (
    *(
        "",
        " ",
        "\x00",
        "\ud800",
        "\u202e",
        "'; DROP TABLE facts; --",
        "`" * 50,
        "not " * 300,
        "," * 300,
        "\u0301" * 300,
    ),
    *(
        "\ufdfa" * 90,
        "n't",
        "'s",
        "-",
        "?",
        "not",
        "- - -",
        "9" * 5000,
        "is 1 s",
        "\u0660 is \u00b2",
        "((((",
        "a" * 9000,
    ),
)

statements = st.lists(st.sampled_from([*WEIGHTY, *OTHERS]), min_size=1, max_size=12).map(" ".join)
texts = st.one_of(st.text(), statements, st.sampled_from(HOSTILE))


def kind(a: str, b: str) -> str:
    """Name the verdict."""
    named = {SameFact: "same", DistinctFacts: "distinct", Contradiction: "contradiction", SimilarFact: "similar"}
    return named[type(compare(a, b))]


def precision(table: Counter[tuple[str, str]], name: str) -> float:
    """Share of the verdicts `name` that a reader agrees with."""
    given_so = sum(count for (_, said), count in table.items() if said == name)
    return table[name, name] / given_so


def recall(table: Counter[tuple[str, str]], name: str) -> float:
    """Share of the pairs a reader calls `name` that were found."""
    return table[name, name] / sum(count for (meant, _), count in table.items() if meant == name)


@pytest.mark.parametrize(("name", "pairs", "least_recall"), [("tuned", TUNED, 0.9), ("held-out", HELD_OUT, 0.7)])
def test_readers_agree(
    name: str, pairs: tuple[tuple[str, str, str], ...], least_recall: float, figures: Callable[..., None]
) -> None:
    """No two different facts are called the same; nine of ten contradictions are real."""
    # What is only offered is not merged: both stay.
    table = Counter((meant, kind(a, b).replace("similar", "distinct")) for meant, a, b in pairs)

    lines = [f"\n{name}, {len(pairs)} pairs".ljust(23) + "".join(f"{said:>15}" for said in KINDS)]
    lines += [f"{meant:>22}" + "".join(f"{table[meant, said]:>15}" for said in KINDS) for meant in KINDS]
    for sort in ("contradiction", "same"):
        shown = f"precision {precision(table, sort):.2f}, recall {recall(table, sort):.2f}"
        lines.append(f"{sort:>22}  {shown}")
        figures(f"{sort} on {len(pairs)} {name} pairs:", shown)
    print("\n".join(lines))  # noqa: T201 - the table is what a reader of the test wants to see
    assert 1.0 == precision(table, "same")
    assert 0.9 <= precision(table, "contradiction")
    assert least_recall <= recall(table, "contradiction")


def test_roles_ended_uses_and_other_words(figures: Callable[..., None]) -> None:
    """S20: of a hundred new pairs, written before their rules: what is called a conflict or nearly the same, is."""
    table = Counter((meant, kind(a, b)) for meant, a, b in PAIRS)

    assert 100 == len(PAIRS)
    for sort, least in (("contradiction", 0.9), ("similar", 0.6)):
        exact, found = precision(table, sort), recall(table, sort)
        figures(f"S20, {sort} on 100 new pairs:", f"precision {exact:.2f}, recall {found:.2f}")
        assert 0.9 <= exact
        assert least <= found
    assert 0 == sum(count for (_meant, said), count in table.items() if said == "same")


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("The staging API listens on 8443", "The staging API listens on 9443", "number: 8443 / 9443"),
        ("The staging API listens on 9443", "The staging API listens on 8443", "number: 9443 / 8443"),
        ("We need Python 3.12", "We need Python 3.11", "version: 3.12 / 3.11"),
        ("The cache uses Redis", "The cache uses Memcached", "name after 'uses': Redis / Memcached"),
        ("Force-push to main", "Never force-push to main", "negation"),
        ("The flag is on", "The flag is off", "negation: on / off"),
        ("The freeze ends on 2024-05-01", "The freeze ends on 2024-05-08", "date: 2024-05-01 / 2024-05-08"),
        ("Alice owns billing", "Bob owns billing", "owner: Alice / Bob"),
        ("We use npm", "We use pnpm, not npm", "preference: npm / pnpm"),
        ("Alice owns billing", "Bob owns billing now", "owner: Alice / Bob"),
        ("The billing owner is Bob", "Billing is owned by Alice", "owner: Bob / Alice"),
        ("We deploy with Jenkins", "We no longer use Jenkins", "no longer used: Jenkins"),
        ("We stopped using Kafka", "Events go through Kafka", "no longer used: Kafka"),
    ],
)
def test_a_contradiction_names_the_difference(a: str, b: str, why: str) -> None:
    """The reason is one phrase, in the order the statements were given."""
    assert Contradiction(why) == compare(a, b)


@pytest.mark.parametrize(
    ("a", "b", "ended"),
    [
        ("Feature flags are served by LaunchDarkly", "We dropped LaunchDarkly last month", "LaunchDarkly"),
        ("Metrics are sent to Datadog", "We stopped using Datadog in March 2026", "Datadog"),
        ("Mail is sent by SendGrid", "We got rid of SendGrid this year", "SendGrid"),
        ("Tests run with pytest", "We no longer run tests with pytest", "tests"),
        ("Builds run on Jenkins", "We no longer run builds on Jenkins", "builds"),
    ],
)
def test_when_it_ended_and_what_it_is_called_hide_no_contradiction(a: str, b: str, ended: str) -> None:
    """S20: "last month" was taken for a part of the name, and "tests" for the verb."""
    assert Contradiction(f"no longer used: {ended}") == compare(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Feature flags are served by LaunchDarkly", "We dropped LaunchDarkly for the mobile app last month"),
        ("Tests run with pytest", "We no longer run tests with nose"),
        ("We deploy on Fridays", "We dropped the Friday meeting last month"),
    ],
)
def test_another_end_is_no_contradiction(a: str, b: str) -> None:
    """S20: of something else, or only for somebody that the other does not speak of."""
    assert not isinstance(compare(a, b), Contradiction)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("port 8443 is used by staging API", "staging API uses port 8443"),
        ("Lint runs before tests", "Tests run before lint"),
        ("X listens on 8443", "X listens on 8443 and 9090"),
        ("Use plan A", "Use plan B"),
        ("Use plan A", "Use the plan"),
        ("Run just test", "Run test"),
        ("Use your token", "Use our token"),
        ("Allow * origins", "Allow origins"),
        ("Nobody owns billing", "Nothing owns billing"),
        ("The limit is 10 Mb", "The limit is 10 MB"),
        ("The API is on 8443?", "The API is on 8443"),
        ("Retries should be enabled", "Retries are enabled"),
        ("Run `tool -v`", "Run `tool -V`"),
        ("Needs 3.11+", "Needs 3.11"),
    ],
)
def test_what_could_be_lost_is_never_merged(a: str, b: str) -> None:
    """Order, additions, case of flags, strength and small words that carry meaning keep two facts apart."""
    assert not isinstance(compare(a, b), SameFact)


def test_a_text_too_long_to_be_a_statement_merges_only_when_equal() -> None:
    """Beyond the first hundreds of words only case, spaces and composed characters are forgiven."""
    long = "The worker retries failed jobs. " * 100

    assert SameFact("equal text") == compare(long, long.upper().replace(" ", "  "))
    assert DistinctFacts() == compare(long, long.replace("The worker", "Worker"))


@given(texts, texts)
def test_any_two_texts_are_judged_the_same_way_round(a: str, b: str) -> None:
    """The verdict never raises, repeats itself, and does not depend on the order; its reason is one short line."""
    verdict = compare(a, b)

    assert verdict == compare(a, b)
    assert type(verdict) is type(compare(b, a))
    if not isinstance(verdict, DistinctFacts):
        assert verdict.why.isprintable()
        assert len(verdict.why) < 200


@given(texts.filter(bool))
def test_a_text_is_the_same_as_itself(text: str) -> None:
    """Whatever it holds."""
    assert isinstance(compare(text, text), SameFact)


@given(st.one_of(statements, st.text("ab 019.,-%()=/'`"), st.text()), st.data())
def test_another_number_is_never_the_same(text: str, data: st.DataObject) -> None:
    """Changing one number anywhere keeps two statements apart."""
    numbers = list(re.finditer(r"[0-9]+", text))
    assume(numbers)
    number = data.draw(st.sampled_from(numbers))
    other = data.draw(st.integers(0, 10**6).filter(lambda drawn: drawn != int(number[0])))

    assert not isinstance(compare(text, text[: number.start()] + str(other) + text[number.end() :]), SameFact)


@given(statements, st.sampled_from(WEIGHTY))
def test_one_more_word_of_weight_is_never_the_same(text: str, word: str) -> None:
    """Adding a word keeps two statements apart unless the word says nothing."""
    assert not isinstance(compare(text, f"{text} {word}"), SameFact)


@pytest.mark.parametrize(
    "unit", ["word ", "a", "\u0316\u0301", "not ", ", not x", "8443,", "((", "`", "\u7aef\u53e3 ", "\ufdfa", "In a, "]
)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    """A million hostile characters take about four times as long as a quarter of them."""

    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        return cpu_s(lambda: compare(text + " x", text + " y"))

    # Quadratic time would be sixteenfold and, at this size, minutes; the half second forgives small numbers.
    assert_growth(seconds, 250_000, 1_000_000, factor=10, slack_s=0.5)


def test_statements_of_the_greatest_length_are_judged_quickly(figures: Callable[..., None]) -> None:
    """Repeated words are the worst case of laying two sequences side by side; they stay bounded."""
    dice = random.Random(7)
    worst = 0.0
    for _ in range(50):
        one = " ".join(dice.choice("ab") + "x" for _ in range(390))
        other = one.replace("ax bx", "bx ax", dice.randint(1, 60))
        worst = max(worst, cpu_s(lambda one=one, other=other: compare(one, other)))
    figures("slowest comparison of 390 words in ms:", round(1000 * worst, 1), fold="max")

    assert worst < 5
