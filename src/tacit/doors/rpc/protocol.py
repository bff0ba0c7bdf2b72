"""JSON-RPC 2.0: requests, notifications and batches in, one reply per id out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tacit.errors import CitationProtected, Conflict, NotFound, PersonNeeded, Refused, TacitError, UsageError

PARSE, REQUEST, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
BLOCKED, IMMUNE, MISSING, MEMORY_IMMUNE, SUPERSEDE, CONFLICT = -32000, -32001, -32002, -32003, -32004, -32005
MOST_BYTES = 10 * 1024 * 1024
MOST_BATCH = 1_000
_ENDLESS = (float("inf"), float("-inf"))
Method = Callable[[Mapping[str, Any]], Any]


class RpcError(Exception):
    """An error with a code from the table of codes."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def reply(methods: Mapping[str, Method], line: bytes) -> bytes:
    """Answer one message. The answer is empty for a notification or a batch of them."""
    if len(line) > MOST_BYTES:
        return _said(_error(None, RpcError(REQUEST, f"a message has at most {MOST_BYTES:,} bytes")))
    try:
        message = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return _said(_error(None, RpcError(PARSE, "invalid JSON")))
    if not isinstance(message, list):
        answer = _answer(methods, message)
        return _said(answer) if answer is not None else b""
    if not message or len(message) > MOST_BATCH:
        return _said(_error(None, RpcError(REQUEST, f"a batch has 1 to {MOST_BATCH:,} requests")))
    answers = [answer for one in message if (answer := _answer(methods, one)) is not None]
    return _said(answers) if answers else b""


def _no_number(name: str) -> None:
    """Refuse values such as NaN, which Python reads as numbers and JSON does not allow."""
    raise ValueError(name)


def troubled(what: str) -> bytes:
    """Return an error reply for when no answer could be made."""
    return _said(_error(None, RpcError(INTERNAL, what)))


def _answer(methods: Mapping[str, Method], message: Any) -> dict[str, Any] | None:
    if not isinstance(message, dict):
        return _error(None, RpcError(REQUEST, "a request must be an object"))
    id = message.get("id")
    silent = "id" not in message
    if not silent and not _is_id(id):
        return _error(None, RpcError(REQUEST, "an id must be a string, a number or null"))
    try:
        result = _called(methods, message)
    except RpcError as error:
        # Whoever sends no id wants no answer, but one whose message is no request does not know better.
        return None if silent and error.code != REQUEST else _error(id, error)
    return None if silent else {"jsonrpc": "2.0", "id": id, "result": result}


def _is_id(id: Any) -> bool:
    # A number beyond all floats is read as infinity, which no reply can say.
    return id is None or (isinstance(id, str | int | float) and not isinstance(id, bool) and id not in _ENDLESS)


def _called(methods: Mapping[str, Method], message: Mapping[str, Any]) -> Any:
    name, params = message.get("method"), message.get("params", {})
    if message.get("jsonrpc") != "2.0" or not isinstance(name, str):
        raise RpcError(REQUEST, 'a request needs "jsonrpc": "2.0" and a method')
    if name not in methods:
        raise RpcError(METHOD, f"there is no method {name[:80]!r}")
    if not isinstance(params, dict):
        raise RpcError(PARAMS, "params must be an object, with names")
    try:
        json.dumps(params, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise RpcError(PARAMS, "a string in the params is not valid Unicode") from None
    try:
        return methods[name](params)
    except RpcError:
        raise
    except TacitError as error:
        raise RpcError(_code(error), error.message, _details(error)) from None
    except Exception as error:
        # The last line of defence of a server: one request must not end it.
        raise RpcError(INTERNAL, f"something unexpected happened: {type(error).__name__}") from None


def _details(error: TacitError) -> dict[str, Any]:
    found: dict[str, Any] = {"code": error.code, "hint": error.hint}
    if isinstance(error, CitationProtected):
        found |= {"memory_id": error.details.get("id"), "cited_by": error.details.get("cited_by")}
    if _code(error) == SUPERSEDE:
        found["reason"] = error.message
    return found


def _code(error: TacitError) -> int:
    if isinstance(error, NotFound):
        return MISSING
    if isinstance(error, CitationProtected):
        return MEMORY_IMMUNE
    if isinstance(error, PersonNeeded | Refused):
        return IMMUNE
    if isinstance(error, UsageError):
        return PARAMS
    if isinstance(error, Conflict):
        return SUPERSEDE if "circle" in error.details else CONFLICT
    return INTERNAL


def _error(id: Any, error: RpcError) -> dict[str, Any]:
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": id, "error": body}


def _said(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=True, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):
        # A result that is no JSON must not end the server either, nor take the other answers of a batch along.
        if isinstance(value, list):
            return b"[" + b", ".join(_said(one).rstrip() for one in value) + b"]\n"
        return _said(_error(value["id"], RpcError(INTERNAL, "the answer cannot be written as JSON")))
