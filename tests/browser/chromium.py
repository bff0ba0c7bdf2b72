"""A headless chromium over its debugging pipe: pages that are loaded, clicked and typed into, and what they did."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_S = 120
_FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-gpu",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none",
    "--password-store=basic", "--use-mock-keychain", "--host-resolver-rules=MAP evil.example 127.0.0.1",
)  # fmt: skip
_KEYS = {"Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, "")}
# Gives the browser its two ends of the pipe under the numbers that it wants.
_START = "import os, sys; r, w, *a = sys.argv[1:]; os.dup2(int(r), 3); os.dup2(int(w), 4); os.execv(a[0], a)"
# A script that runs says so in the console, where it counts as an error.
_WATCH = "window.tacit_ran = (number) => console.error('a payload ran: ' + number);"


def program() -> str:
    """Return the path of a browser; empty if there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), "")


class Browser:
    """A running chromium."""

    def __init__(self, folder: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        # The browser reads 3 and writes 4, whatever numbers are free here.
        reads, writes = (fcntl.fcntl(one, fcntl.F_DUPFD, 20) for one in (ours[0], theirs[1]))
        flags = [*_FLAGS, f"--user-data-dir={folder}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(reads), str(writes), program(), *flags, "about:blank"],
            pass_fds=(reads, writes), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )  # fmt: skip
        for one in (ours[0], theirs[1], reads, writes):
            os.close(one)
        self._to, self._from = ours[1], os.fdopen(theirs[0], "rb")
        self._number = 0
        self._answers: dict[int, Queue[dict[str, Any]]] = {}
        self.tabs: dict[str, Tab] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        kept = b""
        while part := os.read(self._from.fileno(), 1 << 20):
            *messages, kept = (kept + part).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self._answers[message["id"]].put(message)
                elif message.get("sessionId") in self.tabs:
                    self.tabs[message["sessionId"]].heard(message["method"], message["params"])

    def ask(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        self._number += 1
        number, answer = self._number, Queue[dict[str, Any]]()
        self._answers[number] = answer
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._to, json.dumps(message).encode() + b"\0")
        found = answer.get(timeout=PATIENCE_S)
        del self._answers[number]
        if "error" in found:
            raise RuntimeError(f"{method}: {found['error']['message']}")
        return found["result"]

    def tab(self) -> Tab:
        """Open a page with cookies and storage of its own."""
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tabs[session] = tab = Tab(self, session)
        tab.begin()
        return tab

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        os.close(self._to)
        self._from.close()


class Tab:
    """One page: what it loaded, what it said in its console, and how to use it."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.codes: dict[str, int] = {}

    def begin(self) -> None:
        """Listen to everything."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
        self.size(980, 640)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to the page."""
        return self._browser.ask(method, self._session, **params)

    def heard(self, method: str, params: dict[str, Any]) -> None:
        """Keep what the page did."""
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Network.responseReceived":
            self.codes[params["response"]["url"]] = params["response"]["status"]
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(f"console: {[one.get('value') for one in params['args']]}")
        elif method == "Runtime.exceptionThrown":
            self.problems.append(f"exception: {params['exceptionDetails'].get('exception', {}).get('description')}")
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{params['entry']['source']}: {params['entry']['text']}")

    def size(self, width: int, height: int) -> None:
        """Set the size of the window."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name: str) -> None:
        """Say that the reader's system is light or dark, and wants no motion."""
        features = [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page, and return its value; a promise is awaited."""
        found = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until an expression is true in the page; while the page changes, it is asked anew."""
        script = (
            "new Promise((done, failed) => { const end = Date.now() + "
            f"{PATIENCE_S * 500}; const look = () => {{ if ({condition}) done(true); "
            f"else if (Date.now() > end) failed(new Error({json.dumps(condition)} + ' in ' + location.href)); "
            "else setTimeout(look, 20); }; look(); })"
        )
        for _ in range(10):
            try:
                self.run(script)
                return
            except RuntimeError as error:
                # The page went away while it was asked: the next one is asked.
                if not any(words in str(error) for words in ("navigat", "context", "Promise was collected")):
                    raise
        raise RuntimeError(f"the page never rests: {condition}")

    def go(self, address: str) -> None:
        """Load an address, and wait until the page is there."""
        self.run("window.tacit_old = true")
        self.ask("Page.navigate", url=address)
        self.until("!window.tacit_old && document.readyState === 'complete'")

    def leave_by(self, script: str) -> None:
        """Do something that leads to another page, and wait until that is there."""
        self.run("window.tacit_old = true")
        self.run(f"(() => {{ {script} }})()")
        self.until("!window.tacit_old && document.readyState === 'complete'")

    def click(self, selector: str) -> None:
        """Click on something that leads to another page."""
        self.leave_by(f"document.querySelector({json.dumps(selector)}).click()")

    def key(self, name: str) -> None:
        """Press a key."""
        key, number, text = _KEYS[name] if name in _KEYS else (name, ord(name.upper()), name)
        common = {"key": key, "windowsVirtualKeyCode": number}
        self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def key_to_page(self, name: str) -> None:
        """Press a key that leads to another page."""
        self.run("window.tacit_old = true")
        self.key(name)
        self.until("!window.tacit_old && document.readyState === 'complete'")

    def type(self, text: str) -> None:
        """Type a text where the focus is, key by key. A field takes the focus some time after it is loaded."""
        self.until("document.activeElement.matches('input, textarea')")
        for letter in text:
            self.ask("Input.dispatchKeyEvent", type="char", text=letter)

    def text(self) -> str:
        """Return the text of the page."""
        return str(self.run("document.body.innerText"))

    def picture(self, path: Path) -> None:
        """Write what is seen to a file."""
        found = self.ask("Page.captureScreenshot", format="png", optimizeForSpeed=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start a browser, and end it."""
    with tempfile.TemporaryDirectory(prefix="tacit-browser-", ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder))
        try:
            yield browser
        finally:
            browser.close()
