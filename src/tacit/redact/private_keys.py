"""Private keys in blocks: PEM, OpenSSH, PGP and PuTTY, complete or truncated, with real or escaped line ends."""

from __future__ import annotations

from tacit.redact.rule import SecretRule

_LINE = r"(?:[A-Za-z0-9+/=:,. _-]|\\[nr]|\\\\[nr]|[\r\n\t\"'>])"
_PEM = (
    rf"-----BEGIN[ A-Z0-9_-]{{0,60}}PRIVATE KEY(?: BLOCK)?-----(?:{_LINE}(?!-----)){{0,20000}}+{_LINE}?"
    r"(?:-----END[ A-Z0-9_-]{0,60}KEY(?: BLOCK)?-----|KEY(?: BLOCK)?-----|-----)?"
)
_PUTTY = r"Private-Lines: \d{1,4}\r?\n(?P<secret>(?:[A-Za-z0-9+/=]{1,80}+\r?\n?){1,200})"
_SSH2 = r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(?P<secret>(?:[^-]|-(?!---)){1,20000}+)---- END"

_WHY = "it is the block of a private key"

BLOCKS = (
    SecretRule("private-key-pem", _WHY, "private-key", ("-----BEGIN",), _PEM, lambda found: len(found[0]) >= 64),
    SecretRule("private-key-putty", _WHY, "private-key", ("Private-Lines:",), _PUTTY),
    SecretRule("private-key-ssh2", _WHY, "private-key", ("---- BEGIN",), _SSH2),
)
