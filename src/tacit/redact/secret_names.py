"""Names that announce a secret: `db_password`, `X-Api-Key`, `clientSecret`. A name is judged by its words."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from tacit.redact.rule import compiled

Announces = Literal["", "drawn", "key", "secret"]
"""What a name says about its value: nothing; a secret if it looks random; one unless it is a dummy value or a name,
such as `theme-mode`; one unless it is a dummy value.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SPLIT = r"[A-Z]+(?![a-z])|[A-Z]?[a-zäöüßñçãéè]+|\d+"
_PASSWORDS = _set("""
    password passwords passwd pwd passphrase passcode passwort kennwort contraseña contrasena senha authtoken
    accesstoken requirepass masterauth psk pass passe pw secret credential credentials cred creds""")
_JOINED_KEYS = _set("apikey secretkey privatekey accesskey")
# Words that announce a secret at the end of a name only: `passThreshold`, `credFile` and `pw_count` do not.
_LAST_ONLY = _set("pass pw cred creds credential credentials")
_STUCK = (
    r"password|passwd|passphrase|passwort|kennwort|apikey|api_key|secret(?!ar|ly|s)|_pwd$|pwd$|authtoken|auth_token"
    r"|accesstoken|(?:db|store|key|root|admin|user|my|pg|sql|smtp|ftp|mail|web|proxy|redis|mongo|ldap|ssh|vnc|wifi|app"
    r"|login|sudo|trust|src|dest|cert|pfx|jks|master|dba|svc|rpc|mq|imap|sys|bind)pass$"
)
_BEARERS = _set("token tokens secrets jwt bearer pat")
_KEYS = _set("key keys")
# Words that make a key a secret: `access_key`, `signing_key`.
_KEPT = _set("""
    api access secret private account shared encryption encrypt signing sign master auth license hmac webhook deploy
    ssh ssl tls rsa consumer iam cos jwt aes des crypto symmetric subscription vault activation ingest insert
    integration developer personal runner""")
_ADDRESSES = _set("""
    cache partition sort query redis primary foreign storage idempotency map dict lookup group hash range composite
    index row object s3 bucket route item unique memo react list state i18n translation locale config registry hot
    shortcut arrow public pub""")
_MAYBE = _set("auth authorization access api session sessionid sid cookie csrf otp nonce salt pin sas hmac login")
# Words that turn a secret into something about it.
_ABOUT = _set("""
    url uri path paths file files filename dir directory folder name names type types length len size count counts ttl
    timeout expiry expires expire expiration expired at policy field fields regex pattern prompt min max chars endpoint
    class mode algorithm alg enabled disabled required label hint reset index provider manager store storage vault env
    var vars ref refs reference scope scopes issuer audience version format prefix suffix header headers column table
    status state error errors message msg form input box button page link email attempts retries rotation public pub
    usage limit limits budget window bucket cache id ids arn schema validator helper util utils factory service test
    tests changed updated used cost price strength forgot confirm confirmation fingerprint thumbprint valid invalid
    create get set update delete check verify generate encoder parser tokenizer threshold rate ratio score mark through
    rounds rule rules history age days hours seconds ms view screen dialog modal title placeholder description doc docs
    help option options arg args param params flag flags handler callback hook listener event events action route
    router middleware guard controller strategy generator hasher resolver loader reader writer migration icon visible
    toggle match matches mismatch equal same rotated deleted created removed exists missing found present source
    sources location owner by from to in of kind map list array dict order bytes bits total number num spec suite
    request response result results support based less bound binding values fds fail failed fails percent pct summary
    report manager managers settings exception failure flow step steps""")
_OF_OTHERS = _set(
    "publishable no is has get set max min num use public should can was are needs requires missing invalid"
)
_COUNTED = _set("max num total prompt completion input output next page per used")
# Ids that are half of a key pair, and fields whose name does not show that they are secret.
_HALVES = r"(?i)(?:access|api|auth|secret)[_-]?key[_-]?id|client[_-]?key[_-]?data|secret[_-]?id|_authtoken"
_SETTERS = r"(?:set|with|add|use|put|update|change|using|from)(?=[A-Z_]).*"


def without_setter(name: str) -> str:
    """Return a name without the verb of a setter: `setPassword` sets the password."""
    last = name.rpartition(".")[2]
    if compiled(_SETTERS).fullmatch(last):
        return compiled(r"[a-z]+_?").sub("", last, count=1)
    return last


@lru_cache(4096)
def announces(name: str) -> Announces:
    """Return what a name says about its value."""
    words = [word.lower() for word in compiled(_SPLIT).findall(name)]
    if not words:
        return ""
    if compiled(_HALVES).search(name):
        return "key"
    last = words[-1] if not words[-1].isdigit() or len(words) == 1 else words[-2]
    if last in _ABOUT or last.removesuffix("s") in _ABOUT or words[0] in _OF_OTHERS:
        return ""
    if words[0] == "x" and last in ("key", "token", "auth"):
        return "secret"
    return _by_words(name.lower(), words, last)


def _by_words(small: str, words: list[str], last: str) -> Announces:
    held = frozenset(words)
    if last in _PASSWORDS or held & (_PASSWORDS - _LAST_ONLY) or compiled(_STUCK).search(small):
        if held & _JOINED_KEYS or (last in _KEYS and "secret" not in held):
            return "key"
        # Secrets have names, in Kubernetes and elsewhere: `existingSecret: db-creds-1`.
        return "key" if last == "secret" else "secret"
    if held & _JOINED_KEYS:
        return "key"
    if held & _KEYS or small.endswith("key"):
        at = next((place for place, word in enumerate(words) if word in _KEYS), 0)
        if at and words[at - 1] in _KEPT:
            return "key"
        # A key of a cache, a table or a list is an address, whatever it looks like.
        if at and words[at - 1] in _ADDRESSES:
            return ""
        return "drawn" if held & _KEYS or compiled(r"(?:api|access|private|auth)key").search(small) else ""
    if held & _BEARERS or small.endswith("token"):
        return "" if held & _COUNTED else "drawn"
    return "drawn" if held & _MAYBE else ""
