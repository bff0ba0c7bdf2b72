"""Methods made from declared verbs, except those that are written by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec

from tacit.app.memory import Memory
from tacit.app.verbs.argument_types import params_struct, type_on_wire
from tacit.app.verbs.declare import Argument, Verb
from tacit.app.verbs.registry import every_verb
from tacit.doors.rpc.method_table import ROWS, Answer, Params, RpcMethod
from tacit.model.payload import plain
from tacit.model.record import Record, RecordPage


def fill() -> None:
    """Add a method to the table for every verb whose arguments can be JSON."""
    for verb in every_verb():
        name = wire_name(verb)
        if verb.on_wire and name not in ROWS and (params := _params(verb, name)) is not None:
            ROWS[name] = RpcMethod(params, _call(verb, partial(_document, verb)), verb.sentence, verb.is_whole)


def offer(name: str, verb: Verb[..., Any], document: Callable[[Any], Answer]) -> None:
    """Add a verb to the table under a given name, optionally with its own result."""
    params = _params(verb, name)
    if params is None:
        raise TypeError(f"{verb.full_name} takes an argument that cannot be JSON")
    ROWS[name] = RpcMethod(params, _call(verb, document), verb.sentence, verb.is_whole)


def wire_name(verb: Verb[..., Any]) -> str:
    """Return the name of a verb on the wire: `entity.add`, `recall`."""
    noun = {"learned": "learn"}.get(verb.noun, verb.noun)
    noun = noun.removesuffix("ies") + "y" if noun.endswith("ies") else noun.removesuffix("s")
    return f"{noun}.{verb.name.rstrip('_')}" if noun else verb.name


def _params(verb: Verb[..., Any], name: str) -> type[Params] | None:
    title = "".join(part.capitalize() for part in name.replace("_", ".").split("."))
    try:
        made = params_struct(title, ((one.name, one, type_on_wire(one)) for one in _arguments(verb)), (Params,))
        msgspec.json.schema(made)
    except (TypeError, NotImplementedError):
        return None  # something only a program can hand over
    return cast("type[Params]", made)


def _arguments(verb: Verb[..., Any]) -> list[Argument]:
    """Return the arguments of a verb that are its own: all methods take a namespace."""
    return [one for one in verb.arguments() if one.name not in Params.__struct_fields__]


def _call(verb: Verb[..., Any], document: Callable[[Any], Answer]) -> Any:
    def call(memory: Memory, params: Params) -> Answer:
        given = {one.name: getattr(params, one.name) for one in _arguments(verb)}
        many = [value for one in _arguments(verb) if one.many for value in given.pop(one.name)]
        return document(verb.of(memory)(*many, **given))

    return call


def _document(verb: Verb[..., Any], result: Any) -> Answer:
    """Return a result as a JSON object, whose shape depends only on the declared type of the result."""
    declared = str(inspect.unwrap(verb.function).__annotations__.get("return", ""))
    if declared in ("list[Record]", "Records"):
        return {"records": _plain(result)}
    match result:
        case None:
            return {"record": None} if "Record" in declared else {"ok": True}
        case Record():
            return {"record": _plain(result)}
        case RecordPage():
            return {"records": _plain(result.records), "next": result.next, "notices": list(result.notices)}
        case _ if isinstance(found := _plain(result), dict):
            return found
        case _:
            return {"result": _plain(result)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else plain(value)
