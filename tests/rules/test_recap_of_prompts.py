"""A recap tells what a person typed: beside what was copied, the last open question, and not what was taken back."""

import pytest

from tacit.sessions.rules.own_words import own_words
from tacit.sessions.rules.recap_text import recap_text

from .test_recap import ran, said, told

SCREEN = (
    "┃\n┃ Ask anything…\n┃ Build\n\n● Tip: receipts can be printed twice. Is this set up in our config, check the till"
)
SHELL = "❯ time make receipt --year 2026 \\\n   --till 3 | tee out.log\nlevel=INFO msg=printing\n"
FAILED = "$ make receipt --till 3 \\\n  --year 2026\nerror: no such till: 3\nexit status 1"


@pytest.mark.parametrize(("prompt", "typed"), [
    (SCREEN, "Tip: receipts can be printed twice. Is this set up in our config, check the till"),
    (f"{SHELL}\nDo we print anything when the till is shut?", "Do we print anything when the till is shut?"),
    (f"{SHELL}\nhmm but it was there before when I used three tills?",
     "hmm but it was there before when I used three tills?"),
    (SHELL, ""),
    (FAILED, "make receipt --till 3: error: no such till: 3"),
    ("⨯ Error: Invalid TILL_KEY: too short\n    at open (till.ts:14:2)", "Error: Invalid TILL_KEY: too short"),
    ("shop on \ue0a0 main [!⇡] via 🐹 v1.25.2\n❯ make till\nerror: no rule", "make till: error: no rule"),
    ("run it as\nreceipt \\\n  --till 3 \\\n  -v", "run it as receipt \\ --till 3 \\ -v"),
    ("- round half up again\n-print it twice", "round half up again, print it twice"),
    ("it is for personal use\ndark colours please", "it is for personal use, dark colours please"),
    ("Can you install\nthe till", "Can you install the till"),
])  # fmt: skip
def test_what_a_person_typed_beside_what_was_copied(prompt, typed):
    """Readers: a pasted command was told as a request without the question below it, options lost their dashes, and a
    prompt that began with a copied screen or error was not told at all."""
    assert typed == own_words(prompt)


def test_the_last_open_question_is_told_if_only_a_remark_follows():
    """A blind judge: "why am I getting this error?" was not told because "i am trying to sign up" came after it."""
    begun = [
        one
        for word in ("till", "shop", "receipt", "drawer", "scale", "label", "coin", "card")
        for one in (said(f"Add a page about the {word} of the store with its history"), ran(f"make {word}"))
    ]

    asked = told(*begun, said('why am I getting a "Failed to fetch" error'), said("i am trying to sign up")).asked

    assert 'why am I getting a "Failed to fetch" error' in asked


def test_a_last_request_in_another_language_is_told():
    begun = [
        one
        for word in ("kasse", "laden", "bon", "lade", "waage", "schild", "muenze", "karte")
        for one in (said(f"Add a page about the {word} of the store with its history"), ran(f"make {word}"))
    ]

    assert "Bons künftig auf ganze Cent runden" == told(*begun, said("Bons künftig auf ganze Cent runden")).asked[-1]


def test_what_follows_a_prompt_that_is_taken_back_is_told():
    """A blind judge: "sorry wrong chat. ignore last message." was told, and so was what it took back."""
    asked = told(
        said("Round receipts half up"), ran("make till"), said("Reuse the branch of the drawer"),
        said("sorry wrong chat. ignore last message. i think the receipt can be shorter"),
    ).asked  # fmt: skip

    assert ("Round receipts half up", "i think the receipt can be shorter") == asked


def test_of_many_prompts_after_the_work_it_is_said_that_there_were_others():
    """Two blind judges: two of 36 prompts after the last command read as if there were no others."""
    work = said("Count the tills of the museum"), ran("make")
    asks = [
        said(f"Paint the {name} of the shop in another colour") for name in ("door", "roof", "fence", "gate", "sign")
    ]

    def then(*turns):
        return [one for one in recap_text(told(*work, *turns)).splitlines() if one.startswith("Then asked")]

    assert ["Then asked: Paint the door of the shop in another colour."] == then(asks[0])
    assert all(one.startswith("Then asked, among other things: ") for one in then(*asks * 4, said("Sweep the floor")))


def test_what_a_session_is_for_is_told_if_the_first_prompt_is_a_chore():
    """A blind judge: a session began with a checkout, and the question that all of it was about was left out."""
    chore = said("check out the main branch and fetch the tills")
    purpose = said("I am trying to find out whether the tills of the museum count faster with the new index or without")
    requests = (
        "fix the broken lamp above the entrance", "move all chairs into the small hall", "rename the shop on its sign",
        "extend the opening hours in winter", "improve the print of receipts", "sort the visitors by country",
        "review the contract with the bakery", "test the alarm of the cellar door",
    )  # fmt: skip
    work = [turn for one in requests for turn in (said(one), *[ran("make")] * 30)]

    assert any(one.startswith("I am trying to find out") for one in told(chore, purpose, *work).asked)
