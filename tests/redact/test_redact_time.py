"""Redaction takes time in proportion to the text, whatever the text: texts made to be slow are finished."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator

import pytest

from tacit.redact import BUILT_IN, Redactor
from tacit.redact.dummy_values import PLACEHOLDER, is_dummy_value, is_variable
from tacit.text.secret_marks import NAME_PARTS
from tests.timing import assert_growth, cpu_s

REDACTOR = Redactor(lambda _secret: "0123abcd")

# What the text begins with, and what is repeated to the end.
HOSTILE = {
    "one letter": ("", "a"),
    "names": ("", "password"),
    "names apart": ("", "password "),
    "operators": ("", "="),
    "pairs": ("", "key="),
    "quotes": ("", '"'),
    "backslashes": ("", "\\"),
    "open quote": ('password="', "a"),
    "escaped": ('password="', "\\a"),
    "addresses": ("", "://"),
    "no end of a password": ("", "://a:"),
    "at signs": ("://a:", "@"),
    "users": ("", "://a:b@"),
    "pem": ("-----BEGIN PRIVATE KEY-----", "A"),
    "pem heads": ("", "-----BEGIN PRIVATE KEY-----"),
    "dots": ("", ".ey"),
    "jwt": ("eyJ", "a.ey"),
    "signs": ("", "s."),
    "blanks": ("password", " "),
    "pipes": ("", "echo a |"),
    "curl": ("", "curl "),
    "curl -u": ("", "curl -u a:"),
    "braces": ("", "secret {"),
    "brackets": ("", ")"),
    "closed value": ("password=", ")"),
    "placeholders": ("", "token=[redacted:github:0123abcd] "),
    "lines": ("", "\n"),
    "tokens": ("", "ghp_" + "a1B2" * 9 + " "),
    "dashes": ("", "-"),
    "vendor": ("", "dropbox="),
    "commas": ("", ","),
    "netrc": ("", "login a password "),
    "uuids": ("", "key=9b2f0c3e-6f0e-4a55-9d1c-2f2b8e6a7c11 "),
    "k=v": ("", "a=1 "),
    "a line of YAML": ("db_password: ", "ab "),
    "ssh2 heads": ("", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"),
    "jwt tail": ("eyJhbGciOiJIUzI1NiJ9.ey", "a1B2"),
    "segments": ("", ":secret:token"),
    "password of signs": ("curl -u a:", "b:"),
    "list of pairs": ("", "key=1,"),
    "joined literals": ("", '"a" + '),
    "literals on lines": ("", '"a"\n '),
    "lines that go on": ("", "token\\\n"),
    "escapes": ("", "\\u0067hp_"),
    "base64 of names": ("", "dG9rZW49"),
    "base64 of names, apart": ("", "dG9rZW49 "),
    "cookies": ("", "Cookie: sid=a1B2c3D4e5F6g7H8i9J0; "),
    "sentences": ("", "password is a1B2!x "),
    "said before": ("", "abcdef1! as the password "),
    "blocks": ("", "password: |\n  a\n"),
    "setters": ("", 'setPassword("'),
    "slashes": ("", "/a1b2@"),
    "prefixes": ("", "a_b1C2d3E4f5G6h7I8j9K0l1 "),
    "logins": ("", "login with a / b1C2d3! "),
    "tables": ("", " | password | a"),
    "one word of many anchors": ("", "gh secret set A -b "),
}

# What follows each anchor, over and over.
FILLERS = ("", *'a=-.@|[_%"\\\n\u00e9', "A1b", ": ", "='", "a:b@", "=a1B2c3D4 ")
MOST_ROUNDS = 4
MOST_CALLS = 24
"""For each character of a text: about 1 s for a megabyte."""


def hostile(name: str, size: int) -> str:
    """Make a text of a size."""
    start, piece = HOSTILE[name]
    return start + piece * ((size - len(start)) // len(piece))


def dense(size: int) -> Iterator[tuple[str, str]]:
    """Give texts that are nothing but one anchor and what follows it."""
    anchors = sorted({anchor for rule in BUILT_IN for anchor in rule.anchors[:1]} | set(NAME_PARTS))
    for anchor in anchors:
        for filler in FILLERS:
            piece = anchor + filler
            yield repr(piece), piece * (size // len(piece))


def calls(text: str) -> int:
    """Count the calls it takes to clean a text: work that no clock and no busy machine can blur."""
    count = 0

    def counted(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        REDACTOR.clean(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    """The number of calls grows with the text and not faster, for texts made to be slow."""
    REDACTOR.clean(hostile(name, 1_000))

    once, twice = calls(hostile(name, 8_000)), calls(hostile(name, 16_000))

    assert twice <= 2.5 * once + 500


def test_any_mixture_of_pieces_is_linear(figures, budget) -> None:
    """What is slow may be a mixture: pieces drawn anew, repeated, twice as long, twice the work, and bounded for each
    character.
    """
    seed = random.SystemRandom().randrange(10**6)
    draw, rounds, most = random.Random(seed), budget(60, soak=5_000), 0.0
    pieces = [piece for _start, piece in HOSTILE.values()] + [
        "a1B2c3D4",
        " ",
        "\n",
        '"',
        "'",
        "=",
        ": ",
        "\\",
        "-",
        "/",
    ]
    for _ in range(rounds):
        unit = "".join(draw.choices(pieces, k=draw.randrange(1, 5)))
        short, long = unit * (3_000 // len(unit) + 1), unit * (6_000 // len(unit) + 2)
        REDACTOR.clean(short)
        # A quote that stays open at the end is one reading more: both cases count as once.
        once, twice = max(calls(short), calls(short + unit)), calls(long)
        most = max(most, twice / len(long))

        assert twice <= 2.5 * once + 500, (seed, unit)
        assert twice <= MOST_CALLS * len(long), (seed, unit)
    figures("redact: calls for each character", most, fold="max")


def test_dense_anchors_take_few_rounds(monkeypatch: pytest.MonkeyPatch, figures, budget) -> None:
    """A text that is nothing but anchors is looked through a few times, not once for each secret."""
    rounds, seen, most, count = 0, Redactor._seen, 0, 0

    def counted(self: Redactor, text: str) -> list:
        nonlocal rounds
        rounds += 1
        return seen(self, text)

    monkeypatch.setattr(Redactor, "_seen", counted)
    for name, text in dense(budget(800, soak=20_000)):
        rounds = 0
        REDACTOR.clean(text)
        most, count = max(most, rounds), count + 1

        assert rounds <= MOST_ROUNDS, name
    figures("dense texts redacted", count)
    figures("redact rounds", most, fold="max")


@pytest.mark.soak(only=True)
def test_time_is_in_proportion_to_the_text(figures) -> None:
    """Ten times the text takes about ten times the processor, for every anchor and what may follow it."""
    worst = 0.0
    for (name, short), (_name, long) in zip(dense(20_000), dense(200_000), strict=True):
        texts = {20_000: short, 200_000: long}
        once, ten = assert_growth(
            lambda length, texts=texts: cpu_s(lambda: REDACTOR.clean(texts[length])),
            20_000, 200_000, factor=30, slack_s=0.03, what=name,
        )  # fmt: skip
        worst = max(worst, ten / max(once, 0.001))
    figures("redact: ten times the text", worst, fold="max")


@pytest.mark.soak
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_finished(name: str, budget) -> None:
    """Input made to be slow ends: 200,000 characters here, a million in a soak."""
    text = hostile(name, budget(200_000, soak=1_000_000))

    cleaned, found = REDACTOR.found(text)

    assert len(found) == len(re.findall(PLACEHOLDER, cleaned)) - len(re.findall(PLACEHOLDER, text))


@pytest.mark.parametrize("piece", ["*", '*"', "$", "${", "{{", "<", "%", "[", "(", "@a", "x_", "your_", "_a"])
def test_a_value_of_signs_is_judged_at_once(piece: str) -> None:
    """A long row of what variables and examples are made of is read once, not in every way it could be split."""
    value = piece * 500 + "\u00e9!"

    assert not is_variable(value) or is_dummy_value(value)


def test_a_secret_behind_names_that_are_none_is_found() -> None:
    """What is refused a few times in one run of text does not hide the secret behind it."""
    text = "key=1,token=2,auth=3,session=no,password=hunter2x"

    assert "hunter2x" not in REDACTOR.clean(text)


def test_the_rest_of_a_long_secret_is_not_left() -> None:
    """A value goes whole, however long: what a limit cut off would stand there in the clear."""
    for before in ("password=", 'password="', "Authorization: Bearer ", "https://app:", "curl -u app:", "sig="):
        cleaned = REDACTOR.clean(before + "a1B2c3D4" * 5_000 + ('"' if '"' in before else "@host/x"))

        assert len(cleaned) < 100, before


def test_a_run_of_digits_in_a_word_is_judged_at_once() -> None:
    """A soak hung here: whether it is a name was tried for every way to read forty digits in groups of one to three."""
    text = f"mdb_sa_sk_key|pdl_sdbx_apikey_}}NRJS-<<<eyJrIjoi{'0' * 40}ƒ"

    assert REDACTOR.clean(text).startswith("mdb_sa_sk_")
