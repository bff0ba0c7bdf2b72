"""The dashboard as an ASGI app: routes, forms, cookies, and errors as pages."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import anyio
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tacit import logs
from tacit.app.open import redact_error
from tacit.doors.call_activity import CallActivity
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.web import procedures, record, review, search, today
from tacit.doors.web.access import PERSON_S, Access, BrowserSession
from tacit.doors.web.page import Action, Done, Page, PageRequest, PageView, Values
from tacit.doors.web.render import render
from tacit.doors.web.request_checks import COOKIE, ENTER, RequestChecks
from tacit.errors import Conflict, NotFound, PersonNeeded, Refused, StoreBusy, TacitError, UsageError
from tacit.version import __version__

STATIC = Path(__file__).parent / "static"
_FORM_S = 10.0
_MOST_FIELDS = 200
_log = logs.get("doors.web")
PAGES: dict[str, Page] = {
    "/": today.today, "/known": today.known, "/conflicts": today.conflicts, "/weeks": today.weeks,
    "/sessions": today.sessions, "/condition": today.condition, "/search": search.search, "/search/hits": search.hits,
    "/search/sessions": search.sessions,
    "/record/{id}": record.show, "/record/{id}/graph": record.graph,
    "/review": review.review, "/review/{id}/basis": review.basis, "/review/{id}/edit": review.form,
    "/procedures": procedures.procedures, "/procedure/{id}": procedures.show, "/procedure/{id}/runs": procedures.runs,
}  # fmt: skip
ACTIONS: dict[str, Action] = {
    "/settle": today.settle,
    "/record/{id}/rollback": record.roll_back, "/record/{id}/edit": record.edit, "/record/{id}/remove": record.remove,
    "/record/{id}/approve": record.approve,
    "/review/{id}/accept": review.accept, "/review/{id}/edit": review.edit, "/review/{id}/discard": review.discard,
    "/review/{id}/want": review.want, "/review/{id}/promote": review.promote,
    "/procedure/{id}/dry-run": procedures.dry_run, "/procedure/{id}/enable": procedures.enable,
    "/procedure/{id}/disable": procedures.disable,
}  # fmt: skip
_CODES = ((NotFound, 404), (Refused, 403), (UsageError, 400), (StoreBusy, 503), (Conflict, 409))


class Memories(NamedTuple):
    """The same memory twice: as agents may use it, and as a person may."""

    agent: LazyMemory
    person: LazyMemory

    def close(self) -> None:
        """Close both."""
        self.agent.close()
        self.person.close()


class Dashboard:
    """Answers requests with the pages of a memory."""

    def __init__(
        self, memories: Memories, access: Access, hosts: Collection[str], activity: CallActivity, title: str,
        folder: str = "",
    ) -> None:  # fmt: skip
        self.access = access
        self.folder = folder or f"/{secrets.token_hex(8)}"
        self._memories = memories
        self._activity = activity
        self._title = title
        routes = [
            Route(ENTER, self._enter), Route("/person", self._person), Route("/person", self._code, methods=["POST"]),
            Route("/person/stop", self._stop, methods=["POST"]), Route("/leave", self._leave, methods=["POST"]),
            *(Route(path, self._page(page)) for path, page in PAGES.items()),
            *(Route(path, self._action(action), methods=["POST"]) for path, action in ACTIONS.items()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]  # fmt: skip
        inner = Starlette(routes=[Mount(self.folder, routes=routes)], exception_handlers={404: self._missing})
        inner.router.redirect_slashes = False
        self.app: ASGIApp = RequestChecks(inner, access, hosts, self.folder)

    # -- pages and actions ---------------------------------------------------------------------------------------------

    def _page(self, page: Page) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            return await self._answered(request, page, dict(request.query_params), writes=False)

        return answer

    def _action(self, action: Action) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            fields = await self._form(request)
            if fields is None:
                return self._forged(request)
            return await self._answered(request, action, fields, writes=True)

        return answer

    async def _answered(self, request: Request, work: Page | Action, fields: dict[str, str], writes: bool) -> Response:
        """Do the work in a thread, with the memory that this browser may use; every error is a page."""
        session = _session(request)
        is_person = self.access.is_person(session)
        memory = self._memories.person if is_person else self._memories.agent
        asked = PageRequest(request.path_params, fields, is_person)

        def worked() -> Response:
            with self._activity.call():
                found = memory.use(lambda opened: work(opened, asked), writes=writes)
                return self._sent(request, found)

        try:
            return await run_in_threadpool(worked)
        except TacitError as error:
            code = next((number for kind, number in _CODES if isinstance(error, kind)), 500)
            return self._error(request, code, error.message, error.hint, needs_person=isinstance(error, PersonNeeded))
        except Exception as error:
            _log.debug("unexpected", exc_info=True)
            said = f"something unexpected happened: {type(error).__name__}"
            return self._error(request, 500, said, "`tacit doctor` shows more")

    def _sent(self, request: Request, found: PageView | Values | Done) -> Response:
        match found:
            case Values(values):
                return JSONResponse(values)
            case Done(next, notice):
                _session(request).notice = notice
                return RedirectResponse(self.folder + next, 303)
            case PageView(template, values):
                if request.method == "GET" and not _is_part(request):
                    _session(request).last = str(request.url).partition(self.folder)[2]
                return self._html(request, template, values)

    # -- who is asking -------------------------------------------------------------------------------------------------

    async def _enter(self, request: Request) -> Response:
        """Exchange the token of a link for a cookie; the page then leads to the first one.

        A redirect would not do: a browser does not send a strict cookie along with one that began elsewhere.
        """
        cookie = self.access.enter(request.query_params.get("t", ""))
        values = {"folder": self.folder, "is_open": bool(cookie), "version": __version__}
        response = HTMLResponse(render("enter.html", values), 200 if cookie else 401)
        if cookie:
            response.set_cookie(COOKIE, cookie, path=f"{self.folder}/", httponly=True, samesite="strict")
        return response

    async def _person(self, request: Request) -> Response:
        return self._html(request, "person.html", {"wrong": False, "hours": int(PERSON_S // 3600)})

    async def _code(self, request: Request) -> Response:
        fields = await self._form(request)
        if fields is None:
            return self._forged(request)
        session = _session(request)
        if not self.access.become_person(session, fields.get("code", "")):
            return self._html(request, "person.html", {"wrong": True, "hours": int(PERSON_S // 3600)}, 403)
        session.notice = "You now act as yourself in this browser."
        return RedirectResponse(self.folder + session.last, 303)

    async def _stop(self, request: Request) -> Response:
        if await self._form(request) is None:
            return self._forged(request)
        _session(request).person_until = 0.0
        _session(request).notice = "This browser has the rights of an agent again."
        return RedirectResponse(f"{self.folder}/", 303)

    async def _leave(self, request: Request) -> Response:
        if await self._form(request) is None:
            return self._forged(request)
        self.access.leave(request.scope["tacit.cookie"])
        response = HTMLResponse(render("enter.html", {"folder": self.folder, "is_open": False, "version": __version__}))
        response.delete_cookie(COOKIE, path=f"{self.folder}/")
        return response

    async def _form(self, request: Request) -> dict[str, str] | None:
        """Read the fields of a form; None if its token is not the one of this session."""
        try:
            with anyio.fail_after(_FORM_S):
                body = await request.body()
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
        except (TimeoutError, ValueError):
            return None
        given = fields.pop("csrf", "")
        return fields if hmac.compare_digest(given.encode(), _session(request).csrf.encode()) else None

    # -- answers -------------------------------------------------------------------------------------------------------

    def _html(self, request: Request, template: str, values: dict[str, Any], code: int = 200) -> Response:
        session = _session(request)
        is_part = _is_part(request)
        common = {
            "folder": self.folder, "csrf": session.csrf, "is_person": self.access.is_person(session),
            "here": request.url.path.removeprefix(self.folder), "project": self._title, "version": __version__,
            "is_part": is_part, "notice": "" if is_part else session.notice,
        }  # fmt: skip
        if not is_part:
            session.notice = ""
        return HTMLResponse(render(template, common | values), code)

    def _error(self, request: Request, code: int, said: str, hint: str, *, needs_person: bool = False) -> Response:
        # An error may quote what it refuses, or what is stored.
        values = {"said": redact_error(said), "hint": redact_error(hint), "needs_person": needs_person}
        return self._html(request, "error.html", values, code)

    def _forged(self, request: Request) -> Response:
        return self._error(request, 403, "the form is not from this page, or from before it changed", "load it again")

    async def _missing(self, request: Request, _error: Exception) -> Response:
        if request.scope.get("tacit.session") is None:
            return HTMLResponse("There is no such file.\n", 404)
        return self._error(request, 404, "there is no such page", "the links above lead to those there are")


def _is_part(request: Request) -> bool:
    """Return whether a page asks for a part of itself."""
    return request.headers.get("hx-request") == "true"


def _session(request: Request) -> BrowserSession:
    found: BrowserSession = request.scope["tacit.session"]
    return found
