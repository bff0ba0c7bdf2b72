"""Who is refused: other hosts, other pages, no token, forged forms, large bodies."""

from __future__ import annotations

import re

import anyio
import pytest
from starlette.testclient import TestClient

from tacit.doors.web.access import CODE_S, LINK_S, MOST_LINKS, MOST_SESSIONS, MOST_TRIES, PERSON_S, Access
from tacit.doors.web.app import ACTIONS, PAGES
from tacit.doors.web.request_checks import MOST_BODY_BYTES
from tests.web.dashboards import HOST, ORIGIN

FOREIGN_HOSTS = (
    "evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8001", "127.0.0.1:8000.evil.example",
    "localhost.evil.example:8000", "LOCALHOST:8000.", "0.0.0.0:8000", "[::1]:8000", "", "127.0.0.1:8000@evil.example",
)  # fmt: skip
FOREIGN_ORIGINS = (
    "null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1", "http://127.0.0.1:8001",
    "http://127.0.0.1:8000.evil.example", "file://", "",
)  # fmt: skip


@pytest.mark.parametrize("path", ["/", "/enter", "/static/app.css", "/nothing", "/record/x"])
def test_every_answer_has_the_headers(web, path):
    """No script but ours, no frame around us, nothing kept by caches of pages."""
    headers = web.get(path).headers
    policy = headers["content-security-policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert ("DENY", "nosniff") == (headers["x-frame-options"], headers["x-content-type-options"])
    assert "no-store" == headers["cache-control"]
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused(web, host):
    """A name that was bound to our address anew (DNS rebinding) is not ours, cookie or not."""
    answer = web.get("/", Host=host)

    assert (421, False) == (answer.status_code, "Today" in answer.text)


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_is_refused(web, origin):
    """A page of another origin, another port or no origin may neither read nor post."""
    body = {"csrf": web.csrf(), "code": "x"}

    assert 403 == web.get("/", Origin=origin).status_code
    assert 403 == web.client.post(web.at("/person"), data=body, headers={"Origin": origin}).status_code


def test_rebinding_step_by_step_finds_nothing(web):
    """A page of evil.example:8000 loads; its name now leads here; neither its requests nor a stolen path get in."""
    other = TestClient(web.dashboard.app, base_url="http://evil.example:8000", follow_redirects=False)
    link = web.at(f"/enter?t={web.access.new_link()}")
    codes = [
        other.get(path, headers=headers).status_code
        for path in ("/", web.at("/"), link, web.at("/static/app.js"))
        for headers in ({}, {"Origin": "http://evil.example:8000"}, {"Sec-Fetch-Site": "same-origin"})
    ]

    assert {421} == set(codes)
    assert 200 == web.client.get(link).status_code  # it was not even looked at


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_says_is_from_elsewhere_is_refused(web, site):
    """Another server on loopback is the same site; its pages are not ours."""
    assert 403 == web.get("/", **{"Sec-Fetch-Site": site}).status_code
    assert 200 == web.get("/", **{"Sec-Fetch-Site": "same-origin"}).status_code


def test_a_post_needs_an_origin(web):
    answer = web.client.post(web.at("/person"), data={"csrf": web.csrf(), "code": "x"})

    assert 403 == answer.status_code


def test_without_a_cookie_there_is_one_sentence(web):
    """Who has no cookie learns how to get one, and nothing else."""
    stranger = TestClient(web.dashboard.app, base_url=ORIGIN)
    web.agent.memorize("Staging listens on 8443")
    answers = [stranger.get(web.at(path.replace("{id}", "x"))) for path in PAGES]
    answers += [
        stranger.post(web.at(path.replace("{id}", "x")), data={"way": "both"}, headers={"Origin": ORIGIN})
        for path in ACTIONS
    ]

    assert {401} == {one.status_code for one in answers}
    assert 1 == len({one.text for one in answers})
    assert "tacit open" in answers[0].text


def test_the_pages_lie_in_a_folder_nobody_guesses(web):
    """Cookies are shared by all ports of a host: ours is sent to nobody who does not know the folder."""
    link = web.at(f"/enter?t={web.access.new_link()}")
    cookie = web.client.get(link).headers["set-cookie"]

    assert re.search(rf"; HttpOnly; Path={web.dashboard.folder}/; SameSite=strict$", cookie)
    assert re.fullmatch("/[0-9a-f]{16}", web.dashboard.folder)
    assert 404 == web.client.get("/").status_code


def test_a_link_works_once_and_not_for_long(web):
    token, late = web.access.new_link(), web.access.new_link()
    first, second = (web.get(f"/enter?t={token}").status_code for _ in range(2))
    web.clock.seconds += LINK_S

    assert (200, 401) == (first, second)
    assert [401] * 3 == [web.get(f"/enter?t={one}").status_code for one in (late, "", "x" * 1_000)]


def test_wrong_cookies_open_nothing(web):
    for cookie in ("", "tacit=", "tacit=x", "tacit=é", "other=1; tacit=" + "x" * 5_000, "tacit=a=b; ;;", "\x7f"):
        stranger = TestClient(web.dashboard.app, base_url=ORIGIN)
        answer = stranger.get(web.at("/"), headers={"Cookie": cookie.encode("latin-1")})
        assert 401 == answer.status_code, cookie


def test_who_leaves_has_left(web):
    cookie = web.client.cookies.get("tacit")

    assert 200 == web.post("/leave").status_code
    assert 401 == web.get("/", Cookie=f"tacit={cookie}").status_code


def test_links_and_sessions_are_bounded():
    """Whoever asks for links all day long fills nothing."""
    access = Access(lambda: 0.0)
    links = [access.new_link() for _ in range(MOST_LINKS + 1)]
    cookies = [access.enter(access.new_link()) for _ in range(MOST_SESSIONS + 1)]

    assert "" == access.enter(links[0])
    assert access.session(cookies[0]) is None
    assert access.session(cookies[1]) is not None


@pytest.mark.parametrize("path", [*sorted(ACTIONS), "/person", "/person/stop", "/leave"])
def test_a_form_without_its_token_does_nothing(web, path):
    """Every action needs the token of its page: none, another one's and a wrong one are refused."""
    where = web.at(path.replace("{id}", "x"))
    tokens = ({"other": "x"}, {"csrf": ""}, {"csrf": "x"}, {"csrf": web.csrf()[:-1]}, {"csrf": "é"})
    codes = [web.client.post(where, data=data, headers={"Origin": ORIGIN}).status_code for data in tokens]

    assert [403] * len(tokens) == codes
    assert 200 == web.get("/").status_code  # and the session stands


@pytest.mark.parametrize("path", [path for path in sorted(ACTIONS) if path not in PAGES])
def test_no_action_is_done_by_looking(web, path):
    """GET changes nothing: there is no such page."""
    assert web.get(path.replace("{id}", "x")).status_code in (404, 405)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(web, method):
    assert 405 == web.client.request(method, web.at("/"), headers={"Origin": ORIGIN}).status_code


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"content-length": str(MOST_BODY_BYTES + 1)}, 413), ({"content-length": "9" * 30}, 413),
        ({"content-length": "-1"}, 411), ({"content-length": "1e3"}, 411), ({}, 411),
        ({"transfer-encoding": "chunked"}, 411), ({"content-length": "3", "transfer-encoding": "chunked"}, 411),
        ({"content-length": "3", "content-type": "text/plain"}, 415),
        ({"content-length": "3", "content-type": "application/json"}, 415),
    ],
)  # fmt: skip
def test_a_body_is_judged_before_it_is_read(web, headers, code):
    """What is too large, of unknown length or no form is refused by its head alone."""
    head = {"host": HOST, "origin": ORIGIN, "content-type": "application/x-www-form-urlencoded", **headers}
    head["cookie"] = f"tacit={web.client.cookies.get('tacit')}"
    scope = {
        "type": "http", "method": "POST", "path": web.at("/settle"), "query_string": b"", "http_version": "1.1",
        "headers": [(name.encode(), value.encode()) for name, value in head.items()],
    }  # fmt: skip
    sent = []

    async def receive():
        pytest.fail("the body was read")

    async def send(message):
        sent.append(message)

    anyio.run(web.dashboard.app, scope, receive, send)

    assert code == sent[0]["status"]
    assert (b"connection", b"close") in sent[0]["headers"]


def test_the_code_works_once(web):
    """The rights of a person come with the code of the terminal, once, and end by themselves."""
    code = web.access.new_code()
    wrong = web.post("/person", code="ABCD-EFGH")
    right, again = (web.post("/person", code=code.lower()) for _ in range(2))

    assert (403, 303, 403) == (wrong.status_code, right.status_code, again.status_code)
    assert "as yourself ✓" in web.get("/").text
    web.clock.seconds += PERSON_S
    assert "as yourself ✓" not in web.get("/").text


def test_a_code_cannot_be_guessed(web):
    """After a few wrong tries the right code is wrong too; so it is when it is old, or another was made."""
    code = web.access.new_code()
    for _ in range(MOST_TRIES):
        web.post("/person", code="AAAA-AAAA")
    guessed = web.post("/person", code=code)
    old = web.access.new_code()
    web.clock.seconds += CODE_S
    late = web.post("/person", code=old)
    replaced = web.access.new_code()
    web.access.new_code()
    other = web.post("/person", code=replaced)
    none = web.post("/person", code="")

    assert [403] * 4 == [one.status_code for one in (guessed, late, other, none)]


def test_the_rights_of_a_person_can_be_given_back(web):
    web.become_person()
    before = web.csrf()

    assert 303 == web.post("/person/stop").status_code
    assert "Act as yourself" in web.get("/").text
    assert before == web.csrf()


def test_one_browser_has_rights_the_other_not(web):
    """The code gives rights to the browser it was typed in."""
    web.become_person()
    other = TestClient(web.dashboard.app, base_url=ORIGIN)
    other.get(web.at(f"/enter?t={web.access.new_link()}"))

    assert "as yourself ✓" not in other.get(web.at("/")).text
