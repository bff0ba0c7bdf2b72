"""The table of methods: each has a name, a struct for its params, and a sentence. The schema is generated from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from tacit.app.memory import Memory
from tacit.doors.rpc.protocol import PARAMS, Method, RpcError
from tacit.model.verb import arg

P = TypeVar("P", bound="Params")
Answer = dict[str, Any]


class Params(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The params of a method. An unknown name is an error: what it was meant to change would stay as it is."""

    namespace: Annotated[str, arg("Only this namespace of the scope, to read and to write.")] = ""
    create: Annotated[bool, arg("Begin the namespace if it does not exist yet; for methods that write.")] = False


class Nothing(Params, frozen=True):
    """No params."""


class RpcMethod(NamedTuple):
    """One method."""

    params: type[Params]
    call: Callable[[Memory, Any], Answer]
    says: str
    whole: bool = False
    """Whether it is about the store or whole scopes, and cannot be called in a namespace."""


ROWS: dict[str, RpcMethod] = {}


def method(name: str, params: type[P]) -> Callable[[Callable[[Memory, P], Answer]], Callable[[Memory, P], Answer]]:
    """Add a function to the table. Its docstring becomes the description in the schema."""

    def put(call: Callable[[Memory, P], Answer]) -> Callable[[Memory, P], Answer]:
        ROWS[name] = RpcMethod(params, call, " ".join((call.__doc__ or "").split()))
        return call

    return put


def bound(memory: Memory) -> dict[str, Method]:
    """Return the methods of a memory; each parses its params into a struct."""
    return {name: _reader(memory, name, row) for name, row in ROWS.items()}


def _reader(memory: Memory, name: str, row: RpcMethod) -> Method:
    takes = ", ".join(row.params.__struct_fields__) or "no params"

    def call(params: Mapping[str, Any]) -> Answer:
        try:
            asked = msgspec.convert(params, type=row.params)
        except msgspec.ValidationError as error:
            raise RpcError(PARAMS, str(error), {"code": "usage", "hint": f"{name} takes {takes}"}) from None
        if (unknown := next(_unknown(params, asked), None)) is not None:
            inside, fields = unknown
            raise RpcError(PARAMS, f"unknown field `{inside}`", {"code": "usage", "hint": f"it takes {fields}"})
        return row.call(_within(memory, row, asked), asked)

    return call


def _unknown(given: Any, read: Any) -> Iterator[tuple[str, str]]:
    """Return the names that a value was given and did not take, with those it takes.

    The structs of stored payloads ignore unknown names, so that an older version can read what a newer one wrote.
    """
    if isinstance(read, msgspec.Struct) and isinstance(given, Mapping):
        known = read.__struct_fields__
        yield from ((str(name)[:80], ", ".join(known)) for name in given if name not in known)
        for name in known:
            yield from _unknown(given.get(name), getattr(read, name))
    elif isinstance(read, list | tuple) and isinstance(given, list):
        for one, value in zip(given, read, strict=False):
            yield from _unknown(one, value)


def _within(memory: Memory, row: RpcMethod, asked: Params) -> Memory:
    """Return the memory, narrowed to the namespace that a caller names."""
    if not asked.namespace:
        return memory
    if row.whole:
        raise RpcError(PARAMS, "this method knows no namespaces; leave out `namespace`")
    return memory.within(asked.namespace, create=asked.create)


def schema() -> Answer:
    """Return every method with the JSON Schema of its params."""
    names = list(ROWS)
    schemas, shapes = msgspec.json.schema_components([ROWS[name].params for name in names])
    return {
        "jsonrpc": "2.0",
        "methods": [
            {"name": name, "description": ROWS[name].says, "params": shape}
            for name, shape in zip(names, schemas, strict=True)
        ],
        "$defs": shapes,
    }
