"""`tacit open`: a process of its own on loopback, which ends when nobody has looked for a while."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import uvicorn
from starlette.types import ASGIApp

from tacit.doors.call_activity import LOOK_EVERY_S, CallActivity
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.loopback_http import HOST, allowed_hosts, listening, quiet_config
from tacit.doors.loopback_token import MCP_PATH
from tacit.doors.web.access import Access
from tacit.doors.web.app import Dashboard, Memories
from tacit.doors.web.control_socket import ControlSocket
from tacit.doors.web.mcp_path import WithMcp
from tacit.doors.web.request_checks import ENTER
from tacit.errors import Conflict, PersonNeeded
from tacit.files.peer import one_arena

Tools = Callable[[LazyMemory, int], ASGIApp]
"""Makes the app of MCP for a memory and a port."""


class WebPlace(NamedTuple):
    """Which memory a dashboard is for: the files of its process in the home, and the name on its pages."""

    folder: Path
    mark: str
    title: str

    @property
    def socket(self) -> Path:
        """The socket for `tacit open`."""
        return self.folder / f"web-{self.mark}"

    @property
    def lock(self) -> Path:
        """The file whose lock the running process holds."""
        return self.folder / f"web-{self.mark}.lock"


def serve_web(
    memories: Memories, place: WebPlace, port: int, idle_s: float | None, is_person: Callable[[int], bool],
    tell: Callable[[str], None], tools: Tools | None = None,
) -> None:  # fmt: skip
    """Serve until a signal arrives, the home is gone, or nobody asked for the idle time.

    `is_person` says whether a process is a person's at a terminal. `tools` makes the app of MCP, which is served beside
    the pages. Raises Conflict if a dashboard runs already.
    """
    os.umask(0o077)
    one_arena()
    place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.folder.chmod(0o700)
    activity, access = CallActivity(), Access()
    with _alone(place.lock) as has_home, listening(port) as line:
        number = line.getsockname()[1]
        dashboard = Dashboard(memories, access, allowed_hosts(number), activity, place.title)

        def link(_pid: int) -> dict[str, Any]:
            with activity.call():
                url = f"http://{HOST}:{number}{dashboard.folder}{ENTER}?t={access.new_link()}"
                mcp = f"http://{HOST}:{number}{MCP_PATH}" if tools is not None else ""
                return {"url": url, "pid": os.getpid(), "port": number, "mcp": mcp}

        def code(pid: int) -> dict[str, Any]:
            if not is_person(pid):
                raise PersonNeeded("only a person may get a code", "run it yourself in a terminal, outside the agent")
            return {"person_code": access.new_code(), "pid": os.getpid()}

        app = dashboard.app
        if tools is not None:
            app = WithMcp(app, partial(tools, memories.agent, number), place.folder.parent, activity)
        server = uvicorn.Server(quiet_config(app))
        control = ControlSocket(place.socket, {"link": link, "code": code})
        try:
            tell(link(0)["url"])
            _run(server, line, control, lambda: activity.is_over(idle_s) or not has_home())
        finally:
            control.close()
            memories.close()


def _run(server: uvicorn.Server, line: Any, control: ControlSocket, is_over: Callable[[], bool]) -> None:
    def controlled() -> None:
        control.serve(lambda: server.should_exit or is_over(), LOOK_EVERY_S)
        server.should_exit = True

    def end(_number: int, _frame: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn ends by itself on these, and then raises them once more; one that comes before it began counts too.
        signal.signal(number, end)
    watching = threading.Thread(target=controlled, daemon=True)
    watching.start()
    anyio.run(server.serve, [line])


@contextmanager
def _alone(path: Path) -> Iterator[Callable[[], bool]]:
    """Hold the lock of a dashboard; give a function that says whether its file is still there."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict("the dashboard of this memory is open already", "`tacit open` prints its address") from None
        yield path.exists
    finally:
        os.close(handle)
