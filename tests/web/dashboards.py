"""A dashboard over a temporary memory, and a browser without one: it keeps its cookie and posts forms."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path

from starlette.testclient import TestClient

from tacit.app.memory import Memory
from tacit.doors.call_activity import CallActivity
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.web.access import Access
from tacit.doors.web.app import Dashboard, Memories

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"


class Clock:
    """A clock of seconds that moves only when it is moved."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


class Web:
    """A dashboard, and one browser that looks at it."""

    def __init__(self, agent: Memory, person: Memory, folder: Path) -> None:
        self.agent, self.person, self.folder = agent, person, folder
        self.clock = Clock()
        self.access = Access(self.clock)
        self.activity = CallActivity()
        memories = Memories(LazyMemory(lambda _creates: nullcontext(agent)), LazyMemory(lambda _c: nullcontext(person)))
        self.dashboard = Dashboard(memories, self.access, [HOST, "localhost:8000"], self.activity, "demo")
        self.client = TestClient(self.dashboard.app, base_url=ORIGIN, follow_redirects=False)

    def at(self, path: str) -> str:
        """Return the address of a page."""
        return self.dashboard.folder + path

    def enter(self) -> Web:
        """Open a link, as the browser does that `tacit open` starts."""
        assert 200 == self.client.get(self.at(f"/enter?t={self.access.new_link()}")).status_code
        return self

    def become_person(self) -> Web:
        """Type the code of a terminal."""
        assert 303 == self.post("/person", code=self.access.new_code()).status_code
        return self

    def get(self, path: str, **headers: str):
        """Load a page."""
        return self.client.get(self.at(path), headers=headers)

    def csrf(self) -> str:
        """Return the token that forms of this browser hold."""
        return re.search('name="csrf" value="([^"]+)"', self.get("/person").text)[1]

    def post(self, path: str, **fields: str):
        """Send a form of a page."""
        data = {"csrf": self.csrf(), **fields}
        return self.client.post(self.at(path), data=data, headers={"Origin": ORIGIN})
