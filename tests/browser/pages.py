"""Every page and action of the dashboard in a real browser, in both themes. `make test-web` runs this file."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tacit.doors.web.control_socket import ask
from tests.browser.chromium import PATIENCE_S, Browser, Tab, running_browser
from tests.browser.demo_server import MARK

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
THEMES = ("light", "dark")
DARK_PICTURES = ("today", "review")


class Served:
    """A dashboard in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "run" / f"web-{MARK}"

    def link(self) -> str:
        """Return a link, as `tacit open` prints it."""
        return str(ask(self._socket, "link")["url"])

    def code(self) -> str:
        """Return a code, as `tacit open --code` prints it."""
        return str(ask(self._socket, "code")["person_code"])


@contextmanager
def served(folder: Path, what: str) -> Iterator[Served]:
    """Start a dashboard of a memory, and end it."""
    words = [sys.executable, "-m", "tests.browser.demo_server", str(folder), what]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline().startswith(b"http://127.0.0.1:")
        yield Served(folder)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of this run."""
    with running_browser() as started:
        yield started


@pytest.fixture
def demo() -> Iterator[Served]:
    """A dashboard with something on every page."""
    # The name of the folder is in the pictures.
    with tempfile.TemporaryDirectory(prefix="shop-") as folder, served(Path(folder), "demo") as found:
        yield found


@pytest.fixture(params=THEMES)
def open_tab(request: pytest.FixtureRequest, browser: Browser) -> Callable[[Served], tuple[Tab, str]]:
    """Return a function that opens a dashboard in a theme, and gives the page and its folder."""

    def opened(dashboard: Served) -> tuple[Tab, str]:
        tab = browser.tab()
        tab.theme(request.param)
        link = dashboard.link()
        tab.go(link)
        tab.until("location.pathname.endsWith('/') && document.readyState === 'complete'")
        settled(tab)
        return tab, link.partition("/enter")[0]

    opened.theme = request.param
    return opened


def settled(tab: Tab) -> None:
    """Wait until nothing is being loaded: no part of the page, no chart, no graph."""
    tab.until(
        "!document.querySelector('.htmx-request') && [...document.querySelectorAll('[hx-trigger=load]')].every("
        "(one) => one.innerText !== 'Looking …') && [...document.querySelectorAll('[data-chart], .graph')].every("
        "(one) => one.childElementCount || one.textContent)"
    )


def sound(tab: Tab, folder: str) -> None:
    """Check that the page had no error, and asked nobody else for anything."""
    host = folder.rpartition("/")[0]
    assert [] == tab.problems
    assert [] == [one for one in tab.requests if not one.startswith(host)]


def links(tab: Tab, part: str) -> list[str]:
    """Return the addresses in the page that contain a part."""
    found = tab.run("[...document.links].map(a => a.href.split('#')[0])")
    return [one for one in dict.fromkeys(found) if part in one]


def test_a_payload_that_runs_is_noticed(browser: Browser) -> None:
    """The checks below would say so: a script that runs, an error, a request to elsewhere."""
    tab = browser.tab()
    tab.go("data:text/html,<img src=http://evil.example:9/x onerror=tacit_ran(7)>")
    tab.until("true")
    tab.run("new Promise(done => setTimeout(done, 0))")
    tab.until("document.images[0].complete")

    assert any("a payload ran: 7" in one for one in tab.problems)
    assert any("evil.example" in one for one in tab.requests)


def test_every_page(demo: Served, open_tab, figures) -> None:
    """Each page in this theme: no error, no foreign request, its own colours; pictures for the docs."""
    tab, folder = open_tab(demo)
    theme = open_tab.theme
    tab.go(f"{folder}/search?q=staging+port")
    fact = next(one for one in links(tab, "/record/fact_"))
    tab.go(f"{folder}/procedures")
    procedure = links(tab, "/procedure/")[0]
    tab.go(f"{folder}/review")
    edit = links(tab, "/edit")[0]
    pages = {
        "today": f"{folder}/", "search": f"{folder}/search?q=staging+port", "record": fact,
        "review": f"{folder}/review", "procedures": f"{folder}/procedures", "procedure": procedure,
        "edit": edit, "person": f"{folder}/person", "newest": f"{folder}/search",
    }  # fmt: skip
    for name, address in pages.items():
        tab.go(address)
        settled(tab)
        back = tab.run("getComputedStyle(document.body).backgroundColor")
        assert ("rgb(21, 24, 27)" if theme == "dark" else "rgb(251, 250, 248)") == back
        assert "UTC" not in tab.run("[...document.querySelectorAll('time')].map(t => t.textContent).join()")
        if name not in ("edit", "person", "newest") and (theme == "light" or name in DARK_PICTURES):
            tab.picture(IMAGES / f"dashboard-{name}{'-dark' if theme == 'dark' else ''}.png")
        tab.size(360, 700)
        assert tab.run("document.documentElement.scrollWidth <= 360"), f"{name} is wider than a phone"
        assert "then" not in tab.run("document.querySelector('footer').innerText"), "a phone has no such keys"
        tab.size(980, 640)
    sound(tab, folder)
    figures("pages in a browser", len(pages))


def test_a_new_user_decides_reviews_and_finds_why(demo: Served, open_tab) -> None:
    """The whole way by keyboard and mouse: a conflict, the code, lessons by keys, why a record was told."""
    tab, folder = open_tab(demo)
    assert 2 == tab.run("document.querySelectorAll('.conflict').length")
    tab.click(".conflict button[value=newer]")
    settled(tab)
    assert "Settled: the newer fact replaced the older one." in tab.text()
    assert 1 == tab.run("document.querySelectorAll('.conflict').length")

    tab.go(f"{folder}/person")
    tab.type(demo.code())
    tab.key_to_page("Enter")
    assert "You now act as yourself" in tab.text(), tab.text()

    tab.key("g")
    tab.key_to_page("r")
    title = "document.activeElement.querySelector('h2').innerText"
    first = tab.run(title)
    tab.key("j")
    second = tab.run(title)
    tab.key("k")
    assert first == tab.run(title) != second
    tab.key_to_page("a")
    assert "On trial" in tab.text()
    assert second == tab.run(title)
    tab.key_to_page("d")
    assert "Discarded" in tab.text()
    tab.key_to_page("e")
    tab.key_to_page("Escape")
    assert "/review" == tab.run("location.pathname").removeprefix(urlsplit(folder).path)
    tab.key_to_page("e")
    tab.run("document.querySelector('[name=correction]').value = 'make login'")
    tab.click("form.stack button")
    assert "Edited and on trial" in tab.text()
    tab.key_to_page("o")
    assert "/record/lesson_" in tab.run("location.pathname")

    tab.key_to_page("/")
    tab.type("staging 8443")
    tab.until("document.querySelector('#hits .hit details')")
    settled(tab)
    tab.click("#hits .hit a")
    settled(tab)
    assert "Why we believe this" in tab.text()
    assert "s-42" in tab.run("document.querySelector('#told').parentElement.innerText")
    sound(tab, folder)


def test_search_as_you_type_with_filters(demo: Served, open_tab) -> None:
    tab, folder = open_tab(demo)
    tab.go(f"{folder}/search")
    tab.type("staging")
    tab.until("document.querySelector('#hits details') && document.querySelector('#hits').innerText.includes('8443')")
    tab.until("document.querySelector('#hits').innerText.includes('In sessions')")
    tab.run("{const s = document.querySelector('[name=kind]'); s.value = 'procedure';"
            "s.dispatchEvent(new Event('change', {bubbles: true}))}")  # fmt: skip
    tab.until("document.querySelector('#hits').innerText.includes('Deploy staging')")
    tab.until("!document.querySelector('#hits').innerText.includes('8443 behind')")
    sound(tab, folder)


def test_today_has_two_columns_and_a_legend_with_figures(demo: Served, open_tab) -> None:
    """None of the four lists stands alone in a row, and the newest figures are shown before the mouse is over any."""
    tab, _folder = open_tab(demo)
    tab.size(1200, 800)
    tops = tab.run("[...document.querySelectorAll('.columns > section')].map(s => s.getBoundingClientRect().top)")
    tab.until("document.querySelector('.u-legend')")
    legend = tab.run("document.querySelector('.u-legend').innerText")

    assert [2, 2] == [tops.count(top) for top in sorted(set(tops))]
    assert "--" not in legend


def test_escape_leaves_the_text_of_a_record(demo: Served, open_tab) -> None:
    tab, folder = open_tab(demo)
    tab.go(f"{folder}/search?q=staging+8443")
    tab.go(links(tab, "/record/fact_")[0])
    tab.run("document.querySelector('details.edit summary').click()")
    tab.run("document.querySelector('details.edit textarea').focus()")
    tab.key("Escape")

    assert not tab.run("document.querySelector('details.edit').open")


def test_a_record_is_rolled_back_and_its_graph_grows(demo: Served, open_tab) -> None:
    tab, folder = open_tab(demo)
    tab.go(f"{folder}/search?q=staging+8443")
    tab.go(links(tab, "/record/fact_")[0])
    settled(tab)
    tab.until("document.querySelectorAll('.graph .node').length === 2")
    tab.run("[...document.querySelectorAll('.graph .node')].find(n => !n.classList.contains('here')).focus()")
    tab.key("e")
    tab.until("document.querySelectorAll('.graph .node').length > 2")
    box = tab.run(
        "(() => { const b = document.querySelector('.graph .node.here circle').getBoundingClientRect();"
        "document.querySelector('.graph').scrollIntoView(); "
        "const c = document.querySelector('.graph .node.here circle').getBoundingClientRect();"
        "return {x: c.x + c.width / 2, y: c.y + c.height / 2}; })()"
    )
    for type, shift in (("mousePressed", 0), ("mouseMoved", 40), ("mouseReleased", 40)):
        tab.ask("Input.dispatchMouseEvent", type=type, x=box["x"] + shift, y=box["y"], button="left", clickCount=1)
    tab.click("form[action$=rollback] button")
    assert "Version 1 is back, as version 3." in tab.text()
    tab.click("form[action$=remove] button")
    assert "Taken out of use" in tab.text()
    sound(tab, folder)


def test_procedures_dry_run_disable_and_enable(demo: Served, open_tab) -> None:
    tab, folder = open_tab(demo)
    tab.go(f"{folder}/person")
    tab.type(demo.code())
    tab.key_to_page("Enter")
    tab.go(f"{folder}/procedures")
    tab.go(next(one for one in links(tab, "/procedure/")))
    settled(tab)
    before = tab.run("location.href")
    tab.run("document.querySelector('[name=\"param.version\"]')?.setAttribute('value', '1.2.3')")
    tab.run("document.querySelector('form[action$=dry-run] button').click()")
    tab.until("document.querySelector('#plan table')")
    assert "Nothing was run." in tab.text()
    assert before == tab.run("location.href")
    disables = tab.run("Boolean(document.querySelector('form[action$=disable]'))")
    for way in ("disable", "enable") if disables else ("enable", "disable"):
        tab.click(f"form[action$={way}] button")
        assert f"{way.capitalize()}d:" in tab.text()
    sound(tab, folder)


def test_the_theme_is_switched_and_kept(demo: Served, open_tab) -> None:
    tab, folder = open_tab(demo)
    back = "getComputedStyle(document.body).backgroundColor"
    before = tab.run(back)
    tab.run("document.getElementById('theme').click()")
    after = tab.run(back)
    tab.go(f"{folder}/search")

    assert before != after == tab.run(back)
    sound(tab, folder)


def test_who_leaves_sees_nothing_more(demo: Served, open_tab) -> None:
    tab, folder = open_tab(demo)
    tab.click("form[action$=leave] button")
    assert "closed to this browser" in tab.text()
    tab.go(f"{folder}/")

    assert "Staging" not in tab.text()
    assert 401 == tab.codes[f"{folder}/"]


def test_an_empty_memory_teaches(tmp_path: Path, open_tab) -> None:
    with served(tmp_path / "e", "empty") as dashboard:
        tab, folder = open_tab(dashboard)
        assert "Nothing is remembered here yet" in tab.text()
        for page in ("/search", "/review", "/procedures"):
            tab.go(folder + page)
            settled(tab)
            assert tab.run("document.querySelectorAll('.empty code').length") >= 1, page
        sound(tab, folder)


def test_500_stored_payloads_are_inert(tmp_path: Path, open_tab, figures) -> None:
    """On every page that shows one, nothing runs, nothing is loaded from elsewhere, and the text is there."""
    with served(tmp_path / "h", "hostile") as dashboard:
        tab, folder = open_tab(dashboard)
        seen: set[int] = set()
        done: set[str] = set()
        waiting = [f"{folder}{path}" for path in ("/", "/review", "/procedures", "/search", "/search?q=script")]
        while waiting:
            address = waiting.pop()
            if address in done:
                continue
            done.add(address)
            tab.go(address)
            settled(tab)
            fields = "[...document.querySelectorAll('input, textarea')].map(i => i.value).join(' ')"
            seen |= {int(one) for one in re.findall(r"x(\d+):", tab.text() + tab.run(fields))}
            found = links(tab, folder)
            waiting += [one for one in found if re.search(r"/(record|procedure)/\w+$|/edit\?at|/search\?", one)]
        assert [] == tab.problems
        assert set(range(500)) <= seen
        sound(tab, folder)
        figures("payloads seen as text in a browser", len(seen & set(range(500))))
        figures("hostile pages in a browser", len(done))


# -- other pages -------------------------------------------------------------------------------------------------------


class _OtherPage(BaseHTTPRequestHandler):
    """A server of somebody else on loopback: it serves one page, and keeps the cookies it is sent."""

    page = ""
    cookies: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.cookies.append(self.headers.get("Cookie", ""))
        body = self.page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def other_server(page: str) -> Iterator[int]:
    """Serve a page of somebody else; give its port."""
    _OtherPage.page, _OtherPage.cookies = page, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _OtherPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "evil.example"])
def test_a_page_of_another_server_can_do_nothing(demo: Served, open_tab, host: str) -> None:
    """Its forms are refused (CSRF), its scripts read nothing, its frames stay empty, and it gets no cookie of ours."""
    tab, folder = open_tab(demo)
    csrf = tab.run("document.querySelector('[name=csrf]').value")
    ids = tab.run("[...document.querySelector('.conflict form').querySelectorAll('[type=hidden]')].map(i => i.value)")
    fields = {"csrf": csrf, "id": ids[1], "other": ids[2], "way": "newer"}
    inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
    page = (
        (
            f'<form id=f method=post action="{folder}/settle">{inputs}</form><iframe src="{folder}/"></iframe>'
            f"<script>var read = 'nothing'; fetch('{folder}/', {{credentials: 'include'}}).then(r => r.text())"
            ".then(t => {{ read = t; }}).catch(() => {{ read = 'refused'; }});</script>"
        )
        .replace("{{", "{")
        .replace("}}", "}")
    )
    with other_server(page) as port:
        tab.go(f"http://{host}:{port}/")
        tab.until("read !== 'nothing'")
        assert "refused" == tab.run("read")
        assert "" == tab.run("(() => { try { return document.querySelector('iframe').contentDocument.body.innerText }"
                             "catch (error) { return '' } })()")  # fmt: skip
        tab.leave_by("document.getElementById('f').submit()")
        assert "refused" in tab.text()
        assert 403 == tab.codes[f"{folder}/settle"]
        assert [""] == list({one for one in _OtherPage.cookies if "tacit" in one} or {""})
    tab.go(f"{folder}/")
    settled(tab)
    assert 2 == tab.run("document.querySelectorAll('.conflict').length")


def test_a_name_that_was_bound_to_us_is_refused(demo: Served, open_tab) -> None:
    """DNS rebinding: evil.example leads to our address now, its page asks our port as its own origin."""
    tab, folder = open_tab(demo)
    parts = urlsplit(folder)
    evil = f"http://evil.example:{parts.port}"
    link = urlsplit(demo.link())
    for path in ("/", f"{parts.path}/", f"{link.path}?{link.query}", f"{parts.path}/static/app.js"):
        tab.go(evil + path)
        assert "answers to its own address only" in tab.text()
        assert 421 == tab.codes[evil + path]
