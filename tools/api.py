"""Prints every public name of tacit with its signature and first sentence.

usage: api.py print|write

`write` puts the text into docs/api.txt; a test compares the two. Signatures are read from the source, not from the
running objects, so that the text is the same under every Python version.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from tacit.app.verbs.declare import Verb

FACES = ("tacit", "tacit.testing")
TARGET = Path(__file__).resolve().parents[1] / "docs" / "api.txt"
HEAD = "Every public name of tacit. Written by `make api`; a test compares it with the source.\n"
CONSTRUCTORS = {"__init__", "__new__"}
SPECIAL = {"__call__", "__contains__", "__enter__", "__exit__", "__getitem__", "__iter__", "__len__"}

Def = ast.FunctionDef | ast.AsyncFunctionDef


def text() -> str:
    """Return the whole description."""
    lines = [HEAD]
    for name in FACES:
        face = importlib.import_module(name)
        lines.append(name)
        for public in sorted(face.__all__, key=str.casefold):
            lines += [f"    {line}" for line in describe(public, getattr(face, public))]
        lines.append("")
    lines.append("the nouns of a Memory")
    for noun in nouns():
        lines += [f"    {line}" for line in describe_class(noun.__name__, noun)]
    lines.append("")
    return "\n".join(lines)


def nouns() -> Iterator[type]:
    """Yield the classes of what a Memory holds, and of what they hand out."""
    from tacit.app.memory import Memory
    from tacit.app.verbs.registry import NOUNS
    from tacit.episodes.open_episode import OpenEpisode

    yield from (noun for noun in (*NOUNS, OpenEpisode) if noun is not Memory)


def describe(name: str, thing: object) -> Iterator[str]:
    """Yield the lines that describe one public name."""
    if inspect.isclass(thing):
        yield from describe_class(name, thing)
    elif inspect.isfunction(thing):
        node = definition(thing.__module__, thing.__qualname__)
        yield f"def {signature(node, name)}" if isinstance(node, Def) else f"def {name}(…)"
    elif inspect.ismodule(thing):
        yield f"module {name}"
    else:
        yield assignment(name) or f"{name}: {type(thing).__name__}"


def describe_class(name: str, cls: type) -> Iterator[str]:
    """Yield a class with its bases, constructor, fields, properties and methods, inherited ones of ours included."""
    bases = [base.__name__ for base in cls.__bases__ if base is not object]
    yield f"class {name}({', '.join(bases)})" if bases else f"class {name}"
    if said := sentence(cls):
        yield f"    {said}"
    seen: set[str] = set()
    for ours in (c for c in cls.__mro__ if c.__module__.split(".")[0] == "tacit"):
        node = definition(ours.__module__, ours.__qualname__)
        for member, line in members(node) if isinstance(node, ast.ClassDef) else ():
            if member in seen:
                continue
            seen.add(member)
            value = inspect.getattr_static(cls, member, None)
            yield f"    def {member}({arguments(value)})" if isinstance(value, Verb) else f"    {line}"
            if said := sentence(getattr(value, "func", getattr(value, "fget", value))):
                yield f"        {said}"


def sentence(thing: object) -> str:
    """Return the first sentence of what something says of itself; none for plain values."""
    text = thing.__doc__ if isinstance(thing, type | Verb) or inspect.isfunction(thing) else ""
    return " ".join((text or "").split("\n\n")[0].split())


def arguments(verb: Verb[..., Any]) -> str:
    """Return the arguments of a verb as Python spells them."""
    parts: list[str] = []
    named = False
    for one in verb.arguments():
        if not one.positional and not named:
            named = True
            parts += [] if any(part.startswith("*") for part in parts) else ["*"]
        default = "" if one.default is inspect.Parameter.empty or one.many else f" = {one.default!r}"
        parts.append(f"{'*' if one.many else ''}{one.name}: {spelled(one.type)}{' | None' * one.optional}{default}")
    return ", ".join(parts)


def spelled(hint: Any) -> str:
    """Return a type in one spelling, whatever the Python."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " | ".join(map(spelled, inner))
    if inner:
        return (
            f"{getattr(origin, '__name__', origin)}[{', '.join('…' if one is ... else spelled(one) for one in inner)}]"
        )
    return getattr(hint, "__name__", str(hint))


def members(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield (name, line) of every public member in the order of the source; overloads and setters once."""
    for item in node.body:
        match item:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if is_public(item.name):
                yield item.name, member_line(item)
            case ast.AnnAssign(target=ast.Name(id=name)) if is_public(name):
                value = f" = {ast.unparse(item.value)}" if item.value else ""
                yield name, f"{name}: {ast.unparse(item.annotation)}{value}"
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="verb"))):
                yield name, f"def {name}"
            case ast.Assign(targets=[ast.Name(id="NOUN")]):
                continue
            case ast.Assign(targets=[ast.Name(id=name)]) if is_public(name):
                yield name, f"{name} = {ast.unparse(item.value)}"


def is_public(name: str) -> bool:
    """Tell whether a member belongs to the face of its class."""
    return not name.startswith("_") or name in CONSTRUCTORS or name in SPECIAL


def member_line(node: Def) -> str:
    """Return a method or property as one line."""
    decorators = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
    if decorators & {"property", "cached_property"}:
        return f"{node.name}: {ast.unparse(node.returns) if node.returns else 'object'}  (property)"
    mark = "".join(f"@{name} " for name in ("classmethod", "staticmethod") if name in decorators)
    return f"{mark}def {signature(node, node.name)}"


def signature(node: Def, name: str) -> str:
    """Return name, arguments and result as the source writes them."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    prefix = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{prefix}{name}({ast.unparse(node.args)}){returns}"


@functools.cache
def tree(module: str) -> ast.Module:
    """Return the syntax tree of a loaded module."""
    return ast.parse(inspect.getsource(sys.modules[module]))


def definition(module: str, qualname: str) -> ast.AST | None:
    """Find a class or function in its module's source."""
    if module.split(".")[0] != "tacit":
        return None
    found: ast.AST = tree(module)
    for part in qualname.split("."):
        inside = [n for n in ast.walk(found) if isinstance(n, ast.ClassDef | Def) and n.name == part and n is not found]
        if not inside:
            return None
        found = inside[0]
    return found


def assignment(name: str) -> str:
    """Find a constant or type alias among the loaded modules of tacit."""
    for module in sorted(m for m in sys.modules if m.split(".")[0] == "tacit"):
        for item in tree(module).body:
            match item:
                case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                    return f"{name} = {ast.unparse(value)}"
                case ast.AnnAssign(target=ast.Name(id=found), annotation=kind) if found == name:
                    return f"{name}: {ast.unparse(kind)}"
    return ""


def main(arguments: list[str]) -> int:
    """Print or write the description."""
    if arguments == ["print"]:
        sys.stdout.write(text())
    elif arguments == ["write"]:
        TARGET.write_text(text(), encoding="utf-8")
        print(f"wrote {TARGET.name}")
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
