"""What every request passes before a page sees it: host, origin, size, token; and the headers of every answer."""

from __future__ import annotations

from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.doors.web.access import Access

COOKIE = "tacit"
ENTER = "/enter"
STATIC = "/static/"
MOST_BODY_BYTES = 64 * 1024
FORM = "application/x-www-form-urlencoded"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with `no-referrer`, a form of ours would come from the origin `null`
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_NO_COOKIE = (
    "This is tacit's dashboard. Open it with the command `tacit open`: it prints a link that works once.\n"
)  # fmt: skip


class RequestChecks:
    """Passes on what a browser of this machine asks for with its cookie, and refuses everything else unread.

    All pages lie below a folder with a random name. Cookies are not separated by port: without it, any other server
    on loopback would be sent ours.
    """

    def __init__(self, app: ASGIApp, access: Access, hosts: Collection[str], folder: str) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in hosts)
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and add the headers to its answer."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        path: str = scope["path"]

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        refused = self._refused(scope["method"], path, headers)
        if refused is None and not self._is_public(path):
            cookie = cookie_of(headers)
            session = self._access.session(cookie)
            scope["tacit.session"], scope["tacit.cookie"] = session, cookie
            if session is None:
                refused = PlainTextResponse(_NO_COOKIE, 401)
        if refused is not None:
            refused.headers["Connection"] = "close"
        await (refused or self._app)(scope, receive, sent)

    def _is_public(self, path: str) -> bool:
        return path == self._folder + ENTER or path.startswith(self._folder + STATIC)

    def _refused(self, method: str, path: str, headers: Headers) -> Response | None:
        """Return why a request is refused, from its head alone."""
        if headers.getlist("host") != [headers.get("host")] or headers.get("host") not in self._hosts:
            return PlainTextResponse("This server answers to its own address only.\n", 421)
        if not path.startswith(f"{self._folder}/"):
            return PlainTextResponse(_NO_COOKIE, 404)
        if method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are answered.\n", 405)
        origins = headers.getlist("origin")
        if not self._origins.issuperset(origins) or (method == "POST" and len(origins) != 1):
            return PlainTextResponse("Requests from other pages are refused.\n", 403)
        if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site") and path != self._folder + ENTER:
            return PlainTextResponse("Requests from other pages are refused.\n", 403)
        return _refused_body(method, headers)


def _refused_body(method: str, headers: Headers) -> Response | None:
    length = headers.get("content-length", "" if method == "POST" else "0")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
        return PlainTextResponse("A Content-Length is required.\n", 411)
    if len(length) > 9 or int(length) > MOST_BODY_BYTES or (method != "POST" and int(length)):
        return PlainTextResponse(f"The body is over {MOST_BODY_BYTES:,} bytes.\n", 413)
    if method == "POST" and headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return PlainTextResponse("Only forms are answered.\n", 415)
    return None


def cookie_of(headers: Headers) -> str:
    """Return the value of our cookie; empty if there is none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
