"""Names that announce a secret: `db_password`, `X-Api-Key`, `clientSecret`. A name is judged by its words."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from tacit.redact.rule import compiled

Announces = Literal["", "drawn", "secret"]
"""What a name says about its value: nothing; a secret if it looks random; a secret unless it is a dummy value."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SPLIT = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"
_SURE = _set("""
    password passwords passwd pwd passphrase passcode pass pw secret credential credentials cred creds apikey authtoken
    accesstoken secretkey privatekey accesskey passwort requirepass masterauth""")
_STUCK = r"password|passwd|passphrase|apikey|api_key|secret(?!ar|ly|s)|_pwd$|pwd$|authtoken|auth_token|accesstoken"
_BEARERS = _set("token tokens secrets jwt bearer pat")
_KEYS = _set("key keys")
# Words that make a key a secret: `access_key`, `signing_key`; a `cache_key` or a `primary_key` is not one.
_KEPT = _set("""
    api access secret private account shared encryption encrypt signing sign master auth client service license app
    storage admin hmac webhook session deploy ssh host ssl tls rsa consumer customer iam cos insert user ingest write
    server jwt aes des crypto data root symmetric rest integration project org organization subscription application
    developer dev live prod production vault personal machine runner agent activation""")
_MAYBE = _set("auth authorization access api session sessionid sid cookie csrf otp nonce salt pin sas hmac login")
# Words that turn a secret into something about it.
_ABOUT = _set("""
    url uri path file filename dir directory folder name names type types length len size count ttl timeout expiry
    expires expire expiration expired at policy field fields regex pattern prompt min max chars endpoint class mode
    algorithm alg enabled disabled required label hint reset index provider manager store storage vault env var ref
    reference scope scopes issuer audience version format prefix suffix header column table status state error message
    msg form input box button page link email attempts retries rotation public pub usage limit budget window bucket
    cache id ids arn schema validator helper util factory service test tests changed updated used cost price strength
    forgot confirm confirmation fingerprint thumbprint
    valid invalid create get set update delete check verify generate encoder parser tokenizer""")
_OF_OTHERS = _set("no is has get set max min num use public")
_COUNTED = _set("max num total prompt completion input output next page")
# Ids that are half of a key pair, and fields whose name does not show that they are secret.
_HALVES = r"(?i)(?:access|api|auth|secret)[_-]?key[_-]?id|client[_-]?key[_-]?data|secret[_-]?id|_authtoken"


@lru_cache(4096)
def announces(name: str) -> Announces:
    """Return what a name says about its value."""
    words = [word.lower() for word in compiled(_SPLIT).findall(name)]
    if not words:
        return ""
    if compiled(_HALVES).search(name):
        return "secret"
    last = words[-1] if not words[-1].isdigit() or len(words) == 1 else words[-2]
    if last in _ABOUT or words[0] in _OF_OTHERS:
        return ""
    if words[0] == "x" and last in ("key", "token", "auth"):
        return "secret"
    return _by_words(name.lower(), words)


def _by_words(small: str, words: list[str]) -> Announces:
    held = frozenset(words)
    if held & _SURE or compiled(_STUCK).search(small):
        return "secret"
    if held & _KEYS or small.endswith("key"):
        at = next((place for place, word in enumerate(words) if word in _KEYS), 0)
        if at and words[at - 1] in _KEPT:
            return "secret"
        return "drawn" if held & _KEYS or compiled(r"(?:api|access|private|auth)key").search(small) else ""
    if held & _BEARERS or small.endswith("token"):
        return "" if held & _COUNTED else "drawn"
    return "drawn" if held & _MAYBE else ""
