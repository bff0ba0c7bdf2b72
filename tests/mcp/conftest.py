"""An MCP client in this process: the SDK's own, in both eras of the protocol."""

import anyio
import pytest
from mcp import Client

from tacit.app.open import connect, current_caller, current_settings
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.mcp.sdk_server import build
from tacit.model.record import replace as changed

ERAS = ("2026-07-28", "legacy")


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Give a folder to work in, outside any project."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    monkeypatch.setenv("USER", "ann")
    return folder


class Session:
    """Calls tools of a server, one connection a call."""

    def __init__(self, server, memory, mode):
        self.server, self.memory, self.mode = server, memory, mode

    def __call__(self, tool, /, **arguments):
        return self.do(lambda client: client.call_tool(tool, arguments))

    def do(self, work):
        """Do something with a client."""

        async def run():
            async with Client(self.server, mode=self.mode) as client:
                return await work(client)

        return anyio.run(run)

    def good(self, tool, /, **arguments):
        """Call a tool that must work, and return its structured content."""
        result = self(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def bad(self, tool, /, **arguments):
        """Call a tool that must fail, and return its error."""
        result = self(tool, **arguments)
        assert result.is_error
        error = result.structured_content["error"]
        assert result.content[0].text.startswith(error["message"])
        assert "Traceback" not in result.content[0].text
        return error


def session_of(settings, caller, mode="auto", **options):
    """Return a session with the memory that the settings name, as its server opens it."""
    caller = type(caller)(changed(caller.origin, actor="agent"), caller.clock)
    memory = LazyMemory(lambda creates: connect(settings, caller, create=creates, at_door=True))
    return Session(build(memory, **options), memory, mode)


@pytest.fixture(params=ERAS)
def session(request, work):
    """Give a session with the memory of the working folder, in each era of the protocol."""
    settings = current_settings()
    made = session_of(settings, current_caller(settings), request.param)
    yield made
    made.memory.close()
