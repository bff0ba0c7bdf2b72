"""Corrections are found anywhere in a prompt, typed, and cut where they end; what only looks like one is none."""

import hashlib
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tacit.failures.rules.corrections.find import corrections_in, forbids
from tacit.model.failure import CORRECTION_TYPES
from tacit.text.frame import REMINDERS_HEAD, is_own
from tests.timing import assert_growth, cpu_s

CORPUS = Path(__file__).with_name("corrections.jsonl")
ANY_TEXT = st.text(st.characters(codec=None, categories=None))  # lone surrogates and NUL too
WORDS = (
    "use prefer always never stop using switch don't do not no, it's X npm `uv add` instead of rather than over to, . "
    "; : ? ! ( ) \n \n\n ``` > - + from renamed called now we you if the \t \ue000 \" ' — run"
)
PIECES = st.lists(st.sampled_from(WORDS.split(" ")), max_size=60).map(" ".join)


def folded(text):
    """Return a text as it is compared."""
    return " ".join(text.casefold().split())


def rows():
    """Return the labelled prompts."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def is_blind(row):
    """Say whether a prompt belongs to the third that the rules were never fitted to."""
    return int(hashlib.sha256(row["prompt"].encode()).hexdigest(), 16) % 3 == 0


def score(some):
    """Return precision, recall, and how many of the right ones have the right type."""
    found = right = wanted = typed = 0
    for row in some:
        expect = {(folded(original), folded(corrected)): type for type, original, corrected in row["expect"]}
        got = {(folded(one.original), folded(one.corrected)): one.type for one in corrections_in(row["prompt"])}
        found, wanted, right = found + len(got), wanted + len(expect), right + len(got.keys() & expect.keys())
        typed += sum(got[key] == expect[key] for key in got.keys() & expect.keys())
    return right / found, right / wanted, typed / right


@pytest.mark.parametrize("part", ["tuned", "blind"])
def test_most_are_found_and_hardly_anything_else_is(part, figures):
    """Precision comes before recall, also on the prompts the rules were not fitted to."""
    some = [row for row in rows() if is_blind(row) == (part == "blind")]
    precision, recall, typed = score(some)
    for name, value in (("precision", precision), ("recall", recall), ("types right", typed)):
        figures(f"corrections {part} {name}", f"{value:.3f}")
    figures(f"corrections {part} prompts", len(some))

    assert precision >= 0.95
    assert recall >= 0.8
    assert typed >= 0.85


def test_the_corpus_is_large_and_half_of_it_are_traps():
    """No prompt is in it twice."""
    all_rows = rows()
    traps = [row for row in all_rows if not row["expect"]]

    assert len(all_rows) >= 240
    assert len(all_rows) == len({row["prompt"] for row in all_rows})
    assert 0.4 <= len(traps) / len(all_rows) <= 0.65
    assert {type for row in all_rows for type, *_ in row["expect"]} <= set(CORRECTION_TYPES)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("use bun instead of npm.", ("npm", "bun")),
        ("     use bun instead of npm", ("npm", "bun")),
        ("\n\n  Use bun instead of npm\n\nand here is a long\nparagraph about something else.", ("npm", "bun")),
        ('use "bun add" instead of `npm install`!', ("npm install", "bun add")),
        ("use bun instead of npm, it is faster and the lockfile is smaller", ("npm", "bun")),
        ("use bun instead of npm (see the README) for everything", ("npm", "bun")),
        ("Fix it. And use bun instead of npm because CI has no npm. Then stop.", ("npm", "bun")),
    ],
)
def test_a_correction_ends_where_its_clause_ends(prompt, expected):
    """Neither a paragraph nor punctuation nor quotes belong to it, and spaces before it shift nothing."""
    [found] = corrections_in(prompt)

    assert expected == (found.original, found.corrected)
    assert "tool-preference" == found.type


def test_the_sentence_it_came_from_is_kept_whole():
    """One sentence, with its quotes, on one line."""
    [found] = corrections_in("The build is red.  Please use `uv add`   instead of pip. Thanks.")

    assert "Please use `uv add` instead of pip." == found.sentence


def test_what_is_said_twice_is_one():
    """Said again in one prompt, in whatever case, it is the same; the surer one stays."""
    [found] = corrections_in("use pnpm instead of npm. From now on, use PNPM instead of NPM.")

    assert "From now on, use PNPM instead of NPM." == found.sentence


def test_what_the_memory_said_is_not_learned_again():
    """The frame the hook opens its notes with is the one that is passed over."""
    assert is_own(REMINDERS_HEAD)
    assert [] == corrections_in(f"{REMINDERS_HEAD}\n- use pnpm instead of npm\n- never force-push")


def test_confidence_tells_a_rule_from_a_guess():
    """What is said for every time is surer than what names no counterpart; words nobody knows interrupt nothing."""
    [rule] = corrections_in("from now on use pnpm instead of npm")
    [guess] = corrections_in("switch to uv")
    [unknown] = corrections_in("use frobnicate instead of wibble")

    assert 0.95 == rule.confidence > guess.confidence >= 0.6 > unknown.confidence


@pytest.mark.parametrize(
    "ban", ["don't use npm", "Do not use npm", "never use npm", "stop using npm", "we don't use npm"]
)
def test_a_ban_names_what_is_banned_and_replaces_nothing(ban):
    """The ban itself is what is to be done; who rewrites can tell it from a replacement."""
    [found] = corrections_in(ban)

    assert ("npm", ban, True) == (found.original, found.corrected, forbids(found.corrected))
    assert not forbids("pnpm")


@given(st.one_of(ANY_TEXT, PIECES))
def test_any_text_is_survived_and_nothing_is_invented(text):
    """What is found stands in its sentence, the sentence in the prompt, and the rest is in bounds."""
    whole = re.sub("[\ue000-\uf8ff]", "�", " ".join(text.split()))
    for found in corrections_in(text):
        assert found.corrected.strip()
        assert found.original in found.sentence
        assert found.corrected in found.sentence
        assert 0 <= found.confidence <= 1
        assert found.type in CORRECTION_TYPES
        assert [] == [word for word in found.sentence.split() if word not in whole]


HOSTILE = {
    "spaces": ("use ", " "), "uses": ("", "use "), "not": ("use a", " not"), "commas": ("use a", ","),
    "instead": ("", "instead of "), "always": ("", "always "), "quotes": ("", '"'), "backticks": ("", "`a"),
    "calls": ("", "a("), "dots": ("use ", "."), "lines": ("", "use x\n"), "leads": ("", "please "), "no": ("", "no "),
    "is": ("no the ", "is "), "renamed": ("", "a renamed "), "tags": ("", "<a>\n"), "stops": ("", "stop adding "),
    "colons": ("", "use: "), "words": ("never use ", "word"), "pairs": ("use ", "a instead of b and "),
    "fences": ("", "```\n"), "and": ("use a", " and b"), "dashes": ("", "- "), "tabs": ("", "\t"), "plus": ("", "+\n"),
}  # fmt: skip


def hostile(name, size):
    """Return a text of a size."""
    head, piece = HOSTILE[name]
    return head + piece * (size // len(piece))


def calls(text):
    """Count the calls it takes: work that no clock and no busy machine can blur."""
    count = 0

    def counted(_frame, event, _arg):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        corrections_in(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_twice_the_text_is_twice_the_work(name):
    """The number of calls grows with the text and not faster, for texts made to be slow."""
    corrections_in(hostile(name, 1_000))

    assert calls(hostile(name, 16_000)) <= 2.5 * calls(hostile(name, 8_000)) + 500


@pytest.mark.soak(only=True)
def test_time_is_in_proportion_to_the_text(figures):
    """Ten times the text takes about ten times the processor."""
    worst = 0.0
    for name in sorted(HOSTILE):

        def seconds(length, name=name):
            text = hostile(name, length)
            return cpu_s(lambda: corrections_in(text))

        short, long = assert_growth(seconds, 20_000, 200_000, factor=30, slack_s=0.03, what=name)
        worst = max(worst, long / max(short, 0.001))
    figures("corrections: ten times the text", worst, fold="max")


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("always run pytest with -x", "always run pytest with -x"),
        ("don't ever call git commit --amend", "don't ever call git commit --amend"),
        ("Never use git push --force on main.", "Never use git push --force on main"),
        ("always use python3 -m venv", "always use python3 -m venv"),
        ("Always deploy with the -v flag please", "Always deploy with the -v flag"),
        ("never commit without running make lint -j4 first", "never commit without running make lint -j4 first"),
        ("always pass --frozen to uv sync", "always pass --frozen to uv sync"),
        ("always run make lint before committing - it is quick", "always run make lint before committing"),
        ("always run make lint before committing -- no excuses", "always run make lint before committing"),
    ],
)
def test_an_option_of_a_command_does_not_end_a_rule(prompt, kept):
    """A dash between two clauses does."""
    assert [kept] == [one.corrected for one in corrections_in(prompt)]
