"""What a settings file may hold in the place of a name or a value that it may not."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args, get_origin, get_type_hints


def possible_values(shape: type[Any], error: str) -> str:
    """Return the fields or values that are possible in the place of an unknown one."""
    if values := _choices(shape, error):
        return f"it may be {', '.join(values[:-1])} or {values[-1]}; docs/formats.md says what they mean"
    found = re.search(r"unknown field `[^`]*`(?: - at `\$\.(\w+)`)?", error)
    table = found[1] if found and found[1] else ""
    inner = get_type_hints(shape).get(table) if table else shape
    fields: tuple[str, ...] = getattr(inner, "__struct_fields__", ())
    if not found or not fields:
        return "docs/formats.md lists what the file may hold"
    return f"{f'[{table}]' if table else 'it'} may hold {', '.join(fields)}; docs/formats.md says what they mean"


def _choices(shape: type[Any], error: str) -> tuple[str, ...]:
    """Return the values of a setting that has only some, if the error is about one."""
    found = re.match(r"Invalid enum value .* - at `\$\.([\w.]+)`", error)
    inner: Any = shape
    for name in found[1].split(".") if found else ():
        inner = get_type_hints(inner).get(name) if isinstance(inner, type) else None
    return tuple(map(str, get_args(inner))) if found and get_origin(inner) is Literal else ()
