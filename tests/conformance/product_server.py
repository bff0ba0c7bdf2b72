"""The product's own surface over HTTP, without the token that the suite cannot send.

usage: python -m tests.conformance.product_server PORT
"""

from __future__ import annotations

import sys

import uvicorn

from tacit.app.open import connect, current_settings, hook_caller
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.mcp.http import HOST, http_app
from tacit.doors.mcp.sdk_server import build


def main(port: int) -> None:
    """Serve until stopped."""
    settings = current_settings()
    memory = LazyMemory(lambda creates: connect(settings, hook_caller(str(settings.cwd)), create=creates, at_door=True))
    app = http_app(build(memory, over_http=True), port)
    uvicorn.run(app, host=HOST, port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
