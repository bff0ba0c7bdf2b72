"""The arguments of verbs as types that JSON can hold, for doors that read JSON."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import msgspec

from tacit.app.verbs.declare import Argument


def type_on_wire(one: Argument) -> Any:
    """Return the type of an argument without None: paths and times are texts, iterables are lists."""
    parts = {one.type, *get_args(one.type)}
    kind = str if parts & {Path, datetime} else one.type
    return list[get_args(kind)[0]] if get_origin(kind) is Iterable else kind  # type: ignore[misc]


def params_struct(
    title: str, arguments: Iterable[tuple[str, Argument, Any]], bases: tuple[type[msgspec.Struct], ...], **options: Any
) -> type[msgspec.Struct]:
    """Make a struct from arguments: each with its name at a door, its declaration, and its type at that door."""
    fields: list[Any] = []
    for name, one, kind in arguments:
        # Bounds are of the number, not of the number or None.
        hint = Annotated[kind, one.meta] if one.meta else kind
        hint = hint | None if one.optional else hint
        if one.many:
            fields.append((name, tuple[hint, ...], ()))  # type: ignore[valid-type]
        elif one.default is inspect.Parameter.empty:
            fields.append((name, hint))
        else:
            fields.append((name, hint, one.default))
    return msgspec.defstruct(title, fields, bases=bases, frozen=True, kw_only=True, **options)
