"""The table of methods: each has a name, a struct for its params, and a sentence. The schema is generated from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

from tacit.app.memory import Memory
from tacit.doors.rpc.protocol import PARAMS, Method, RpcError
from tacit.model.verb import arg

P = TypeVar("P", bound="Params")
Answer = dict[str, Any]


class Params(msgspec.Struct, frozen=True, kw_only=True):
    """The params of a method. Unknown names are ignored."""

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
    return {name: _reader(memory, row) for name, row in ROWS.items()}


def _reader(memory: Memory, row: RpcMethod) -> Method:
    def call(params: Mapping[str, Any]) -> Answer:
        try:
            asked = msgspec.convert(params, type=row.params)
        except msgspec.ValidationError as error:
            raise RpcError(PARAMS, str(error)) from None
        return row.call(_within(memory, row, asked), asked)

    return call


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
