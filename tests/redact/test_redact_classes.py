"""Classes of secrets and of look-alikes, with generated members: secrets go, look-alikes stay, and each says why."""

from __future__ import annotations

import pytest

from tacit.redact import BUILT_IN, Redactor, find, why
from tests.redact.generated import HEX, KEY_PLACES, LOOKALIKES, PASSWORDS, PLACES, TOKENS, Draw, encoded, half
from tests.redact.test_redact import tag

REDACTOR = Redactor(tag)
MEMBERS = 20


def left(texts: list[tuple[str, str]]) -> list[str]:
    """Return the texts in which their secret is left."""
    return [text for text, secret in texts if secret in REDACTOR.clean(text)]


@pytest.mark.parametrize("kind", TOKENS)
def test_formats_of_2026_go_wherever_they_stand(kind: str) -> None:
    """R16: tokens of the issuers it lists, and of others: bare, in a sentence, in a call, in colour, after a key."""
    texts = []
    for seed in range(MEMBERS):
        token = TOKENS[kind](Draw(seed))
        secret = token.removeprefix("SSWS ")
        places = ("{}", "I pasted {} here", "c = Client('{}')", "\x1b[33m{}\x1b[0m", "X={}", "?x={}&y=1")
        texts += [(place.format(token), secret) for place in places]

    assert [] == left(texts)


@pytest.mark.parametrize("family", PLACES)
def test_passwords_go_by_their_place(family: str) -> None:
    """R16: short ones, letters alone, words, a slash or a dollar in front; in fields, setters, sentences, blocks."""
    texts = []
    for kind, make in PASSWORDS.items():
        for seed in range(MEMBERS):
            secret = make(Draw(seed))
            if family == "after a blank" and secret[0] in "/$":
                continue
            # In a sentence or a query, these look like a path.
            if family in ("sentences", "connection strings") and kind in ("a slash in front", "a dollar in front"):
                continue
            texts += [(place.format(secret), secret) for place in PLACES[family]]

    missed = left(texts)

    assert len(missed) <= 0.02 * len(texts), missed


def test_values_after_blanks_and_in_commands_go() -> None:
    """S28: `aws configure set`, `git config`, `npm config set`, `gh secret set`, fish, and other command lines."""
    texts = []
    for seed in range(MEMBERS):
        secret = Draw(seed).some(24)
        texts += [(place.format(secret), secret) for place in KEY_PLACES]

    assert [] == left(texts)


@pytest.mark.parametrize("kind", ["github", "password"])
def test_a_secret_in_pieces_goes(kind: str) -> None:
    """R16: joined by an operator, by a compiler, by a shell at the end of a line: every piece goes."""
    for seed in range(MEMBERS):
        body = Draw(seed).some(36)
        secret, name = ("ghp_" + body, "t") if kind == "github" else (body, "db_password")
        one, two = half(secret)
        for text in (
            f'{name} = "{one}" + "{two}";', f"{name} = '{one}' + '{two}'", f'{name} = ("{one}"\n     "{two}")',
            f'{name} = "{one}" .\n', f'${name} = "{one}" . "{two}";', f"export {name}={one}\\\n{two}",
            f'{name} = "{one}" +\n    "{two}"',
        )[: 7 if kind == "github" else 3]:  # fmt: skip
            cleaned = REDACTOR.clean(text)
            assert two not in cleaned, text
            assert one not in cleaned or two not in text, text


def test_escaped_and_encoded_secrets_go() -> None:
    """R16: unicode escapes in JSON, and base64 around a line with a secret."""
    for seed in range(MEMBERS):
        body = Draw(seed).some(36)
        assert body not in REDACTOR.clean('{"t":"\\u0067hp_' + body + '"}')
        assert body not in REDACTOR.clean('{"t":"ghp\\u005f' + body + '"}')
        assert body not in REDACTOR.clean('{"pass\\u0077ord": "' + body + '"}')
        for inner in (f"token=ghp_{body}\n", f"DB_PASSWORD={body}\nPORT=1", f'{{"password": "{body}"}}'):
            wrapped = encoded(inner)
            for text in (f"payload: {wrapped}", f"echo {wrapped} | base64 -d > .env", wrapped):
                assert wrapped not in REDACTOR.clean(text), text


def test_what_is_around_a_joined_secret_stays() -> None:
    """Only the pieces and what joins them go: the quotes, the name and the rest of the line stay."""
    text = 'const t = "ghp_wQgSo6z9" + "vecyE3lrSHH746IDYdoqU9OEYIA2";\nnext();\n'

    cleaned = REDACTOR.clean(text)

    assert cleaned.startswith('const t = "[redacted:github:')
    assert cleaned.endswith(']";\nnext();\n')


def test_encoded_text_without_a_secret_stays() -> None:
    """Base64 of a sentence, of a picture, of a digest is left alone."""
    for text in ("the token bucket refills ten times a second", "hello world, this is a test", "author: Ann Key"):
        assert REDACTOR.clean(encoded(text)) == encoded(text)


@pytest.mark.parametrize("kind", LOOKALIKES)
def test_what_engineers_read_stays(kind: str) -> None:
    """L6: names of tests, counts, thresholds, keys of caches, help, public keys, placeholders, ids, types, code."""
    texts = {LOOKALIKES[kind](Draw(seed)) for seed in range(100)}

    assert [] == [text for text in sorted(texts) if REDACTOR.clean(text) != text]


@pytest.mark.parametrize("name", ["session", "key", "cache_key", "object_key", "nonce", "build"])
def test_a_digest_is_no_secret_under_a_common_name(name: str) -> None:
    """L6: a hash, a UUID or the beginning of one after a name that may mean anything stays."""
    for seed in range(MEMBERS):
        draw = Draw(seed)
        for value in (draw.some(32, HEX), draw.some(64, HEX), draw.uuid(), draw.uuid()[:33]):
            assert f"{name}: {value}" == REDACTOR.clean(f"{name}: {value}")


def test_every_change_says_why() -> None:
    """Each rule has an id and a plain sentence, and what is found carries them; the secret is in neither."""
    texts = [place.format("Kq8zT4wN2xRb") for places in PLACES.values() for place in places]
    texts += [make(Draw(1)) for make in TOKENS.values()]
    texts += ['t = "ghp_wQgSo6z9" + "vecyE3lrSHH746IDYdoqU9OEYIA2"', encoded("token=ghp_" + "a1B2" * 9)]

    found = [one for text in texts for one in find(text)]

    assert len(found) >= len(texts)
    assert all(one.rule and why(one.rule).strip() for one in found)
    assert not any("Kq8zT4wN2xRb" in one.rule + why(one.rule) for one in found)
    assert all((rule.id and " it " in f" {rule.why} ") or "its " in rule.why for rule in BUILT_IN)


def test_rules_with_one_id_say_the_same() -> None:
    """An id stands for one sentence."""
    assert len({rule.id for rule in BUILT_IN}) == len({(rule.id, rule.why) for rule in BUILT_IN})
