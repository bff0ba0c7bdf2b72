"""Python one-liners, parsed by Python's own parser: what they run and delete, as shell commands."""

from __future__ import annotations

import ast
import base64
import binascii
import re
import shlex
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from tacit.guard.code.actions import DELETES_UNKNOWN, UNKNOWN, PossibleCommand, path_of
from tacit.guard.code.network import network_actions
from tacit.text.patterns import lazy_pattern

_RUNS = frozenset({
    "system", "popen", "getoutput", "getstatusoutput", "run", "call", "check_call", "check_output", "Popen",
    "execvp", "execv",
    "execlp", "execl", "spawnvp", "spawnlp", "create_subprocess_shell", "create_subprocess_exec", "spawn", "pexpect",
})  # fmt: skip
_AMBIGUOUS = frozenset({"run", "call", "spawn"})
_TREES = frozenset({"rmtree", "removedirs", "remove_tree"})
_FILES = frozenset({"remove", "unlink", "rmdir", "truncate"})
_FILE_OWNERS = frozenset({"os", "shutil", "pathlib", "Path"})
_GETTERS = frozenset({"getattr", "__getattribute__", "attrgetter", "methodcaller", "get"})
UNNAMED = "?"
"""The name of what is called where it is only made when the code runs."""
_SITE_FILE = lazy_pattern(r"\bsite\b.*\.pth\b", re.S)
MOST_DEPTH = 4
MOST_CHARS = 10_000


class _Code:
    """One piece of code: the names it defines, and the strings it keeps in variables."""

    def __init__(self, tree: ast.AST, depth: int, source: str = "") -> None:
        self.depth, self.source = depth, source
        self.names: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.imported: set[str] = set()
        self.lists: dict[str, ast.List | ast.Tuple] = {}
        self.loops: dict[str, list[str | None]] = {}
        """The names of loops over lists that are written out, with the values they take."""
        self.calls = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.names |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom):
                self.imported |= {alias.name for alias in node.names if node.module in ("subprocess", "os", "pty")}
                self.names |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                text = self.text(node.value)
                if isinstance(node.value, ast.List | ast.Tuple):
                    self.lists[node.targets[0].id] = node.value
                self.texts.pop(node.targets[0].id, None)
                if text is not None:
                    self.texts[node.targets[0].id] = text
            elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
                listed = node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else []
                self.loops[node.target.id] = [self.text(one) for one in listed]
            elif isinstance(node, ast.Call):
                self.calls.append(node)
        self.given = _given(tree, source)
        """Calls whose first argument is a parameter, with what that may be; None where that is not written out."""

    def name(self, call: ast.expr) -> str:
        """Return the name of the called function: `system` for os.system, an alias of it, or getattr(os, "system")."""
        if isinstance(call, ast.Attribute):
            return call.attr
        if isinstance(call, ast.Name):
            return self.names.get(call.id, call.id)
        if isinstance(call, ast.Subscript):
            return self.text(call.slice) or UNNAMED
        if isinstance(call, ast.Call) and self.name(call.func) in _GETTERS and call.args:
            return self.text(call.args[-1]) or UNNAMED
        return UNNAMED if isinstance(call, ast.Call) else ""

    def text(self, node: ast.expr) -> str | None:
        """Return the string value of an expression, where it is simple."""
        match node:
            case ast.Constant(value=str(value)):
                return value
            case ast.Constant(value=bytes(value)):
                return value.decode(errors="replace")
            case ast.Name(id=name):
                return self.texts.get(name)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                first, second = self.text(left), self.text(right)
                known = first is not None and second is not None and len(first) + len(second) <= MOST_CHARS
                return f"{first}{second}" if known else None
            case ast.BinOp(op=ast.Div(), left=left, right=right):
                folder, below = self.text(left), self.text(right)
                return f"{folder}/{below}" if folder is not None and below is not None else None
            case ast.JoinedStr(values=parts):
                return "".join(self.text(p) or UNKNOWN if isinstance(p, ast.Constant) else UNKNOWN for p in parts)
            case ast.Call():
                return self._called(node)
        return None

    def _called(self, node: ast.Call) -> str | None:
        name = self.name(node.func)
        if name in ("expanduser", "Path", "str", "abspath", "PosixPath") and node.args:
            return self.text(node.args[0])
        if name in ("joinpath", "join") and isinstance(node.func, ast.Attribute) and node.args:
            owner = [node.func.value] if name == "joinpath" else []
            parts = [self.text(one) for one in (*owner, *node.args)]
            return "/".join(part for part in parts if part) if all(part is not None for part in parts) else None
        if (
            name in ("b64decode", "fromhex", "unhexlify")
            and node.args
            and (text := self.text(node.args[0])) is not None
        ):
            try:
                packed = base64.b64decode(text) if name == "b64decode" else bytes.fromhex(text)
                return packed.decode(errors="replace")
            except (ValueError, binascii.Error):
                return None
        if name in ("decode", "strip", "lower") and isinstance(node.func, ast.Attribute):
            return self.text(node.func.value)
        if name == "join" and isinstance(node.func, ast.Attribute) and node.args:
            parts = [self.text(one) for one in getattr(node.args[0], "elts", [None])]
            mark = self.text(node.func.value)
            return mark.join(one or "" for one in parts) if mark is not None and None not in parts else None
        if name in ("mkdtemp", "gettempdir", "mkstemp"):
            return "/tmp/new"  # noqa: S108
        return "~" if name == "home" and not node.args else None


def python_as_shell(code: str, depth: int = 0) -> Iterator[str] | None:
    """Translate Python code to shell commands with the same effect, or return None if it is not Python."""
    try:
        with warnings.catch_warnings():
            # Python's warnings about this code must not reach our caller.
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return chain(_told(_Code(tree, depth, code)), network_actions(code, texts))


def _told(code: _Code) -> Iterator[str]:
    for node in code.calls:
        name = code.name(node.func)
        args = [code.text(arg) for arg in node.args]
        if name in _RUNS and args and _starts_program(code, name, node, args):
            yield from _commands(code, name, node, args)
        elif name == UNNAMED and args and args[0]:
            # Whatever it is that is called.
            yield PossibleCommand(args[0])
        elif name in ("kill", "killpg") and node.args and isinstance(node.args[0], ast.Constant | ast.UnaryOp):
            yield f"kill -- {ast.unparse(node.args[0])}"
        elif name in ("move", "rename", "replace") and len(args) == 2 and args[0] and args[1] and _is_files(node):
            yield f"mv -- {path_of(args[0])} {path_of(args[1])}"
        elif name in ("exec", "eval") and args and isinstance(node.func, ast.Name):
            inner = (
                python_as_shell(args[0], code.depth + 1) if args[0] is not None and code.depth < MOST_DEPTH else None
            )
            yield from inner if inner is not None else (f"eval {UNKNOWN}",)
        else:
            yield from _files(code, name, node, args)


def _starts_program(code: _Code, name: str, node: ast.Call, args: list[str | None]) -> bool:
    """Return whether a call of `run` or `call` starts a program: `asyncio.run(main())` does not."""
    if name not in _AMBIGUOUS or args[0] is not None or isinstance(node.args[0], ast.List | ast.Tuple):
        return True
    if not isinstance(node.func, ast.Attribute):
        return name in code.imported
    owner = node.func.value
    return isinstance(owner, ast.Name) and code.names.get(owner.id, owner.id) in ("subprocess", "os")


_INDIRECT = lazy_pattern(r"\b(?:globals|locals|vars|getattr|eval|exec|partial|map|__dict__)\b")


def _given(tree: ast.AST, source: str) -> dict[int, list[ast.expr | None]]:
    """Return the uses of parameters as first arguments of calls, with what the calls of their function give for them.

    A use is known by the call it is in. Only plain functions that are only called are followed.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    if not functions or _INDIRECT.search(source):
        return {}
    nodes = list(ast.walk(tree))
    calls: dict[str, list[ast.Call]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.setdefault(node.func.id, []).append(node)
    named = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    defined = Counter(one.name for one in functions)
    methods = {
        one.name for node in nodes if isinstance(node, ast.ClassDef) for one in node.body if hasattr(one, "name")
    }
    found: dict[int, list[ast.expr | None]] = {}
    for function in functions[:MOST_FUNCTIONS]:
        name, args = function.name, function.args
        called = calls.get(name, [])
        is_plain = len(called) == named[name] and defined[name] == 1 and name not in methods
        if not is_plain or function.decorator_list or args.vararg or args.kwarg:
            continue
        parameters = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        inner = list(ast.walk(function))
        stored = {one.id for one in inner if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        stored |= {arg.arg for one in inner if one is not function for arg in _parameters(one)}
        for number, parameter in enumerate(parameters):
            uses = [one for one in inner if isinstance(one, ast.Call) and one.args
                    and isinstance(one.args[0], ast.Name) and one.args[0].id == parameter]  # fmt: skip
            if parameter not in stored:
                found.update((id(one), [_argument(call, number, parameter) for call in called]) for one in uses)
    return found


MOST_FUNCTIONS = 50


def _parameters(node: ast.AST) -> list[ast.arg]:
    args = getattr(node, "args", None)
    return [*args.posonlyargs, *args.args, *args.kwonlyargs] if isinstance(args, ast.arguments) else []


def _argument(call: ast.Call, number: int, parameter: str) -> ast.expr | None:
    """Return what a call gives for a parameter, if that is written out."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if len(call.args) > number:
        return call.args[number]
    return next((word.value for word in call.keywords if word.arg == parameter), None)


def _is_files(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in ("os", "shutil")


def _commands(code: _Code, name: str, node: ast.Call, args: list[str | None]) -> Iterator[str]:
    """Return what a call runs: for the name of a loop, each of its values."""
    first = node.args[0].id if isinstance(node.args[0], ast.Name) else ""
    values = code.loops.get(first, [])
    yield from (one if one is not None else f"{UNKNOWN} x" for one in values)
    given = [] if values or args[0] is not None or first in code.lists else code.given.get(id(node), [])
    for one in given:
        called = ast.Call(node.func, [one, *node.args[1:]], node.keywords) if one else None
        yield _command(code, name, called, [code.text(one), *args[1:]]) if one and called else f"{UNKNOWN} x"
    if not values and not given:
        yield _command(code, name, node, args)


def _command(code: _Code, name: str, node: ast.Call, args: list[str | None]) -> str:
    if name.startswith(("exec", "spawn")) and len(args) > 1:
        first = node.args[1]
        listed = first.elts if isinstance(first, ast.List | ast.Tuple) else node.args[1:]
        return " ".join(_quoted(code.text(part)) for part in listed) or f"{UNKNOWN} x"
    if args[0] is not None:
        return args[0]
    first = node.args[0]
    if isinstance(first, ast.Call) and code.name(first.func) == "split":
        # `"…".split()` and `shlex.split("…")`
        said = code.text(first.args[0]) if first.args else code.text(getattr(first.func, "value", first))
        return said if said is not None else f"{UNKNOWN} x"
    given = code.lists.get(node.args[0].id) if isinstance(node.args[0], ast.Name) else node.args[0]
    if isinstance(given, ast.List | ast.Tuple):
        return " ".join(_quoted(code.text(part)) for part in given.elts)
    return f"{UNKNOWN} x"


def _quoted(text: str | None) -> str:
    return shlex.quote(text) if text is not None else UNKNOWN


def _files(code: _Code, name: str, node: ast.Call, args: list[str | None]) -> Iterator[str]:
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    path = args[0] if args else code.text(owner) if owner is not None else None
    if name in _TREES:
        yield f"rm -rf -- {path_of(path) if path is not None else UNKNOWN}"
    elif name in _FILES and path is not None and (args or isinstance(owner, ast.Call | ast.Name)):
        yield f"rm -f -- {path_of(path)}"
    elif name in ("remove", "unlink") and (
        getattr(owner, "id", "") in _FILE_OWNERS or (name == "unlink" and owner is not None)
    ):
        yield DELETES_UNKNOWN
    elif name in ("write_text", "write_bytes") and owner is not None and path is not None:
        yield f": > {path_of(code.text(owner) or path)}"
    elif name == "open" and len(args) > 1 and args[0] is None and _SITE_FILE.search(code.source):
        yield ": > ~/.local/lib/python3/site-packages/x.pth"
    elif name == "open" and len(args) > 1 and args[0] is not None and (args[1] or "")[:1] in ("w", "a", "x"):
        yield f": {'>>' if (args[1] or '').startswith('a') else '>'} {path_of(args[0])}"
