"""Reads the package's own source for the house tests."""

from __future__ import annotations

import ast
import functools
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "tacit"


@dataclass(frozen=True)
class Module:
    """One source file: where it lies, relative to the package, and its syntax tree."""

    path: Path
    tree: ast.Module
    lines: int

    @property
    def name(self) -> str:
        """The path relative to the package: `store/sqlite/write.py`."""
        return self.path.relative_to(PACKAGE).as_posix()

    @property
    def dotted(self) -> tuple[str, ...]:
        """The package the module's relative imports start from, and its own name: `("tacit", "store", "write")`."""
        parts = ("tacit", *self.path.relative_to(PACKAGE).with_suffix("").parts)
        return parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts

    @property
    def room(self) -> str:
        """The room the module stands in: the name of its top folder, or its own."""
        return Path(self.name).parts[0].removesuffix(".py")


@functools.cache
def modules() -> tuple[Module, ...]:
    """Return every module of the package, in a fixed order.

    They are millions of objects that stay until the end; the collector would look through them again and again.
    """
    gc.disable()
    try:
        return tuple(_read(path) for path in sorted(PACKAGE.rglob("*.py")))
    finally:
        gc.freeze()
        gc.enable()


def _read(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(path, ast.parse(text, str(path)), len(text.splitlines()))


@functools.cache
def imports(module: Module, *, types: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return every import anywhere in the module, functions included, as a dotted path with the imported name.

    `types=False` leaves out those for the type checker only, which never run.
    """
    return tuple(_imports(module, types))


def _imports(module: Module, types: bool) -> Iterator[tuple[str, ...]]:
    unused = set() if types else {n for node in ast.walk(module.tree) if _is_typing(node) for n in ast.walk(node)}
    package = module.dotted if module.path.name == "__init__.py" else module.dotted[:-1]
    for node in (n for n in ast.walk(module.tree) if n not in unused):
        match node:
            case ast.Import(names=names):
                yield from (tuple(alias.name.split(".")) for alias in names)
            case ast.ImportFrom(module=target, names=names, level=level):
                start = package[: len(package) - level + 1] if level else ()
                for alias in names:
                    yield (*start, *(target.split(".") if target else ()), alias.name)
            case ast.Call(func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__")):
                if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                    yield tuple(node.args[0].value.split("."))


def _is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function with its qualified name, methods and inner functions included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)
