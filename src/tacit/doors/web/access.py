"""Who may see the dashboard: one-time links, cookies, and the code by which a person acts in a browser."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable

LINK_S = 120.0
"""How long a link with a token can be used, once."""
CODE_S = 600.0
PERSON_S = 8 * 3600.0
"""How long a browser has the rights of a person after the code."""
MOST_TRIES = 5
MOST_LINKS, MOST_SESSIONS = 20, 50
# Letters and digits that nobody takes for another one.
_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
_CODE_LETTERS = 8


class BrowserSession:
    """One browser that came with a valid link."""

    def __init__(self) -> None:
        self.csrf = secrets.token_urlsafe(24)
        self.person_until = 0.0
        self.notice = ""
        """What the next page says about the last action."""
        self.last = "/"
        """The page that was shown last: after the code, a person is there again."""


class Access:
    """The links, sessions and code of one dashboard. All are kept in memory as hashes, and end with the process."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._links: dict[bytes, float] = {}
        self._sessions: dict[bytes, BrowserSession] = {}
        self._code: tuple[bytes, float] | None = None
        self._tries = 0

    def new_link(self) -> str:
        """Return a token that opens the dashboard once."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._links[_digest(token)] = self._now() + LINK_S
            _shorten(self._links, MOST_LINKS)
        return token

    def enter(self, token: str) -> str:
        """Exchange a token for the value of a cookie; empty if the token is unknown, used or too old."""
        with self._lock:
            if self._links.pop(_digest(token), 0.0) <= self._now():
                return ""
            cookie = secrets.token_urlsafe(32)
            self._sessions[_digest(cookie)] = BrowserSession()
            _shorten(self._sessions, MOST_SESSIONS)
        return cookie

    def session(self, cookie: str) -> BrowserSession | None:
        """Return the session of a cookie. It is looked up by its hash, so the time taken tells nothing."""
        return self._sessions.get(_digest(cookie)) if cookie else None

    def leave(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_digest(cookie), None)

    def new_code(self) -> str:
        """Return a code for a person's terminal; the code before it no longer works."""
        code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LETTERS))
        with self._lock:
            self._code, self._tries = (_digest(code), self._now() + CODE_S), 0
        return f"{code[:4]}-{code[4:]}"

    def become_person(self, session: BrowserSession, typed: str) -> bool:
        """Give a session the rights of a person if the code is right. A code works once, and has a few tries."""
        code = "".join(letter for letter in typed[:40].upper() if letter in _LETTERS)
        with self._lock:
            if self._code is None or self._code[1] <= self._now():
                return False
            self._tries += 1
            if not secrets.compare_digest(self._code[0], _digest(code)):
                self._code = None if self._tries >= MOST_TRIES else self._code
                return False
            self._code = None
            session.person_until = self._now() + PERSON_S
            # What was on the page before was made for other rights.
            session.csrf = secrets.token_urlsafe(24)
        return True

    def is_person(self, session: BrowserSession) -> bool:
        """Return whether a session has the rights of a person now."""
        return session.person_until > self._now()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="replace")).digest()


def _shorten(kept: dict[bytes, float] | dict[bytes, BrowserSession], most: int) -> None:
    """Drop the oldest entries over a number."""
    while len(kept) > most:
        del kept[next(iter(kept))]
