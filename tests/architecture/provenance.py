"""Follows the SQL of every execute call back to the source, to tell whether all of its text stands there.

Text may be put together from literals, constants and functions that return nothing else; a value that comes from
anywhere else is a finding, unless it is formatted as a number. A parameter that reaches an executor makes its function
an executor, so callers are followed.
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator

from tests.architecture.source import Module

EXECUTORS = ("execute", "executemany", "executescript")
ANY = "*"

Path = tuple[int | str, ...]  # which part of a value: an index each, or ANY
Chain = tuple[ast.AST, ...]  # the scope an expression stands in, then those around it, the module last
Function = ast.FunctionDef | ast.AsyncFunctionDef
_GIVING = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.comprehension, ast.Call)


class Provenance:
    """Reads a set of modules as one program."""

    def __init__(self, modules: Iterable[Module], trusted: Iterable[str] = ()) -> None:
        self._modules = list(modules)
        self._trusted = {key.rsplit("::", 1)[1].rsplit(".", 1)[-1] for key in trusted}
        self._scopes = [(m, chain) for m in self._modules for chain in _chains((m.tree,))]
        self._functions: dict[str, list[Chain]] = defaultdict(list)
        for _, chain in self._scopes:
            if isinstance(chain[0], Function):
                self._functions[chain[0].name].append(chain)
        self._sinks: dict[str, set[tuple[int, str, Path]]] = {name: {(0, "sql", ())} for name in EXECUTORS}
        self._open: set[tuple[int, Path]] = set()
        self._constants: dict[str, list[tuple[ast.expr, Path, Chain]]] = {}

    def findings(self) -> list[str]:
        """Return every place where text from elsewhere reaches an executor."""
        found: set[str] = set()
        known = -1
        while known != (known := sum(map(len, self._sinks.values()))):  # a new sink may make its callers sinks
            found = {finding for module, chain in self._scopes for finding in self._scope(module, chain)}
        return sorted(found)

    def _scope(self, module: Module, chain: Chain) -> Iterator[str]:
        for call in (n for n in _own(chain[0]) if isinstance(n, ast.Call)):
            for position, keyword, path in sorted(self._sinks.get(_called(call), ()), key=str):
                given = [k.value for k in call.keywords if k.arg == keyword] or call.args[position : position + 1]
                for node in given:
                    if not self._fixed(node, chain, path):
                        yield f"{module.name}:{call.lineno}: {ast.unparse(node)}"

    def _fixed(self, node: ast.expr, chain: Chain, path: Path = ()) -> bool:
        step = (id(node), path)
        if step in self._open:
            return True  # a value built on itself adds nothing; its other sources decide
        self._open.add(step)
        try:
            return self._look(node, chain, path)
        finally:
            self._open.discard(step)

    def _look(self, node: ast.expr, chain: Chain, path: Path) -> bool:
        def all_fixed(nodes: Iterable[ast.expr], part: Path = path) -> bool:
            return all(self._fixed(n, chain, part) for n in nodes)

        match node:
            case ast.Constant():
                return True
            case ast.JoinedStr(values=parts):
                return all_fixed((p.value for p in parts if isinstance(p, ast.FormattedValue) and not _number(p)), ())
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return all_fixed((left, right), (ANY, *path[1:]) if path else ())
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
            case ast.IfExp(body=body, orelse=other):
                return all_fixed((body, other))
            case ast.BoolOp(values=parts):
                return all_fixed(parts)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return self._sequence(parts, chain, path)
            case ast.Dict(values=parts):
                return all_fixed(parts, path[1:])
            case ast.DictComp(value=part) | ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.SetComp(elt=part):
                return self._fixed(part, chain, path[1:])
            case ast.Starred(value=inner):
                return self._fixed(inner, chain, path)
            case ast.Subscript(value=inner, slice=ast.Slice()):
                return self._fixed(inner, chain, path)
            case ast.Subscript(value=inner, slice=index):
                at = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else ANY
                return self._fixed(inner, chain, (at, *path))
            case ast.Call():
                return self._call(node, chain, path)
            case ast.Name(id=name):
                return name in self._trusted or self._name(name, chain, path)
            case ast.Attribute(attr=name) if name.isupper():
                return name in self._trusted or self._constant(name, path)
        return False

    def _sequence(self, parts: list[ast.expr], chain: Chain, path: Path) -> bool:
        if not path:
            return all(self._fixed(part, chain) for part in parts)
        at, rest = path[0], path[1:]
        if isinstance(at, int) and at < len(parts) and not any(isinstance(p, ast.Starred) for p in parts):
            return self._fixed(parts[at], chain, rest)
        return all(self._fixed(p, chain, (ANY, *rest) if isinstance(p, ast.Starred) else rest) for p in parts)

    def _call(self, call: ast.Call, chain: Chain, path: Path) -> bool:
        name = _called(call)
        if name in self._trusted:
            return True
        match call:
            case ast.Call(func=ast.Attribute(value=separator, attr="join"), args=[parts]):
                return self._fixed(separator, chain) and self._fixed(parts, chain, (ANY,))
            case ast.Call(func=ast.Attribute(value=inner, attr="values" | "strip" | "lower" | "upper"), args=[]):
                return self._fixed(inner, chain, path)
            case ast.Call(func=ast.Attribute(value=inner, attr="replace"), args=[ast.Constant(), ast.Constant()]):
                return self._fixed(inner, chain, path)
            case ast.Call(func=ast.Attribute(value=inner, attr="get"), args=[_]):
                return self._fixed(inner, chain, (ANY, *path))
            case ast.Call(func=ast.Attribute(value=inner, attr="items"), args=[]):
                return self._fixed(inner, chain, (ANY, *path[2:]))
            case ast.Call(func=ast.Attribute(value=inner, attr="format"), args=args, keywords=keywords):
                return all(self._fixed(n, chain) for n in (inner, *args, *(k.value for k in keywords)))
            case ast.Call(func=ast.Name(id="tuple" | "list" | "sorted" | "str"), args=[inner]):
                return self._fixed(inner, chain, path)
        returns = [
            (n.value, scope)
            for scope in self._functions.get(name, ())
            for n in _own(scope[0])
            if isinstance(n, ast.Return) and n.value is not None
        ]
        return bool(returns) and all(self._fixed(value, scope, path) for value, scope in returns)

    def _name(self, name: str, chain: Chain, path: Path) -> bool:
        for depth, scope in enumerate(chain):
            given = [pair for node in _giving(scope) for pair in _given(node, name)]
            if isinstance(scope, Function):
                parameters = [a.arg for a in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)]
                if name in parameters:
                    position = parameters.index(name) - (parameters[0] in {"self", "cls"})
                    self._sinks.setdefault(scope.name, set()).add((position, name, path))
                    return all(self._fixed(value, chain[depth:], part + path) for value, part in given)
            if given:
                return all(self._fixed(value, chain[depth:], part + path) for value, part in given)
        return self._constant(name, path)

    def _constant(self, name: str, path: Path) -> bool:
        if name not in self._constants:
            self._constants[name] = [
                (value, part, (m.tree,))
                for m in self._modules
                for body in (m.tree.body, *(n.body for n in m.tree.body if isinstance(n, ast.ClassDef)))
                for node in body
                for value, part in _given(node, name)
            ]
        given = self._constants[name]
        return bool(given) and all(self._fixed(value, scope, part + path) for value, part, scope in given)


def _number(part: ast.FormattedValue) -> bool:
    """Tell whether the format lets whole numbers through only: `{n:d}`."""
    return part.format_spec is not None and ast.unparse(part.format_spec) in {"f'd'", 'f"d"'}


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _chains(chain: Chain) -> Iterator[Chain]:
    """Yield the scope and every function inside it, each with the scopes around it."""
    yield chain
    rest = list(ast.iter_child_nodes(chain[0]))
    while rest:
        node = rest.pop()
        if isinstance(node, Function):
            yield from _chains((node, *chain))
        else:
            rest += ast.iter_child_nodes(node)


@functools.cache
def _own(scope: ast.AST) -> list[ast.AST]:
    """Return the nodes of a scope without those of functions inside it."""
    found: list[ast.AST] = []
    rest = list(ast.iter_child_nodes(scope))
    while rest:
        node = rest.pop()
        if not isinstance(node, Function):
            found.append(node)
            rest += ast.iter_child_nodes(node)
    return found


@functools.cache
def _giving(scope: ast.AST) -> list[ast.AST]:
    """Return the nodes of a scope that give something to a name: few of them do, and each name asks again."""
    return [node for node in _own(scope) if isinstance(node, _GIVING)]


def _given(node: ast.AST, name: str) -> Iterator[tuple[ast.expr, Path]]:
    """Yield what the statement gives to the name: the expression, and which part of it."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from ((value, path) for path in _places(target, name))
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield from ((value, path) for path in _places(target, name))
        case ast.AugAssign(target=target, value=value):
            yield from ((value, path) for path in _places(target, name))
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield from ((value, (ANY, *path)) for path in _places(target, name))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append" | "add"), args=[value]) if (
            owner == name
        ):
            yield ast.List([value], ast.Load()), ()
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="extend"), args=[value]) if owner == name:
            yield value, ()


def _places(target: ast.expr, name: str) -> Iterator[Path]:
    """Yield where the name stands in an assignment's target."""
    match target:
        case ast.Name(id=found) if found == name:
            yield ()
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for index, part in enumerate(parts):
                yield from ((index, *path) for path in _places(part, name))
        case ast.Starred(value=inner):
            yield from _places(inner, name)
