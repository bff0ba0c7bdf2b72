"""The URL of a server store in the form that may be stored and shown: without its password."""

from __future__ import annotations

from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from tacit.errors import UsageError

_TELLING = ("host", "port", "user", "dbname")


def shown(url: str) -> str:
    """Return a URL with only user and address. An invalid URL is refused without being repeated."""
    parts = _parts(url)
    login, at, host = parts.netloc.rpartition("@")
    query = urlencode([(name, value) for name, value in parse_qsl(parts.query) if name in _TELLING], safe="/")
    # Joined by hand: without a host, the library would leave out the slashes.
    return f"postgresql://{login.partition(':')[0]}{at}{host}{parts.path}{'?' if query else ''}{query}"


def not_a_url() -> UsageError:
    """Return the error for an invalid URL. It does not repeat the URL, because a misread part may be the password."""
    return UsageError(
        "this is not the URL of a PostgreSQL server",
        "write postgresql://user@host:port/database; write special characters of a password as %xx",
    )


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise not_a_url() from None
    ports = [host.rpartition("]")[2].partition(":")[2] for host in parts.netloc.rpartition("@")[2].split(",")]
    sound = url.isprintable() and " " not in url and all(port.isdecimal() or not port for port in ports)
    # A password with a slash in it ends the host name too early, and the rest appears here.
    if not sound or "@" in parts.path:
        raise not_a_url()
    return parts
