"""Where a store on a server is, as it may be written down and shown: without its password."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_TELLING = ("host", "port", "user", "dbname")


def shown(url: str) -> str:
    """Give a URL with nothing in it but who and where."""
    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    query = urlencode([(name, value) for name, value in parse_qsl(parts.query) if name in _TELLING], safe="/")
    return urlunsplit(("postgresql", login.partition(":")[0] + at + host, parts.path, query, ""))
