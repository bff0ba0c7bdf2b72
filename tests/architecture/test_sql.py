"""All SQL text stands in the source; values travel as parameters; every table belongs to tenants."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.provenance import Provenance
from tests.architecture.source import PACKAGE, Module, functions, modules

# SQL text that the check cannot follow, each with its reason: "store/…/module.py::NAME" for a constant,
# "store/…/module.py::function" for a function that returns fixed text.
TRUSTED: dict[str, str] = {}
# Tables without a tenant column, each with its reason.
TENANTLESS: dict[str, str] = {
    "sqlite/meta": "says what the file is, before any tenant",
    "sqlite/migrations": "says what was done to the file",
    "postgres/meta": "says what the store is, before any tenant",
    "postgres/migrations": "says what was done to the store",
    "sqlite/search": "a derived index: its gate column holds tenant and scope as one token",
    "sqlite/temp": "the words of that index, read once to write a file of it",
    "sqlite/word_changes": "numbers of rows only; what is in them is read with the tenant of each",
}

TABLE = re.compile(r"CREATE\s+(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?(\w+)", re.I)


def rooms() -> list[Module]:
    """Return the modules that may speak SQL."""
    return [m for m in modules() if m.room == "store"]


def test_sql_text_stands_in_the_source() -> None:
    """What reaches execute is put together, if at all, from text of the source; nothing else is spliced in."""
    assert [] == Provenance(rooms(), TRUSTED).findings()


SOUND = [
    "def f(c, x): c.execute('SELECT 1', (x,))",
    "GET = 'SELECT 1'\ndef f(c): c.execute(GET)",
    "ALL = ('A', 'B')\ndef f(c):\n for sql in ALL: c.execute(sql)",
    "STEPS = ((1, 'x', ('A', 'B')),)\ndef f(c):\n for n, name, steps in STEPS:\n  for s in steps: c.execute(s)",
    "def run(c, sql): c.execute(sql)\ndef f(c): run(c, 'SELECT 1')",
    "def f(c, x): c.execute('SELECT 1' if x else 'SELECT 2')",
    "COLUMNS = 'a, b'\nGET = f'SELECT {COLUMNS} FROM t'\ndef f(c): c.execute(GET + ' WHERE a = ?')",
    "def marks(x): return ', '.join('?' * len(x))\ndef f(c, x): c.execute(f'SELECT 1 WHERE a IN ({marks(x)})', x)",
    "def w(x):\n p = ['a']\n p.append('b')\n return ' AND '.join(p), [x]\ndef f(c, x):\n s, v = w(x)\n c.execute(s, v)",
    "V = {n: f'PRAGMA user_version={n:d}' for n in NUMBERS}\ndef f(c, n): c.execute(V[n])",
    "class C:\n T = 'a'\n def f(s, c): c.execute(f'SELECT 1 FROM {s.T}')",
    "def f(c, sql): c.execute(sql.replace('?', '%s'))\ndef g(c): f(c, 'SELECT ?')",
    "BY = {'a': ('a DESC', 1)}\ndef f(c, x):\n key, n = BY[x]\n c.execute(f'SELECT 1 ORDER BY {key}')",
]
SPLICED = [
    "def f(c, x): c.execute(f'SELECT {x}')\ndef g(c, y): f(c, y.text)",
    "def f(c, x): c.execute('SELECT ' + x.y)",
    "def f(c, x): c.execute(f'SELECT {x.y!r:>10}')",
    "def f(c, x): c.execute('SELECT %s' % x)",
    "def f(c, x): c.executemany('SELECT {}'.format(x.y), [])",
    "def f(c, x):\n sql = 'SELECT 1'\n sql += x.y\n c.execute(sql)",
    "def run(c, sql): c.execute(sql)\ndef f(c, x): run(c, f'SELECT {x.y}')",
    "def f(c, x): c.executescript(' '.join(x.y))",
    "def w(x):\n p = ['a']\n p.append(x.y)\n return ' AND '.join(p)\ndef f(c, x): c.execute(w(x))",
    "def f(c, x):\n for name, sql in x.items(): c.execute(sql)\ndef g(c): f(c, read())",
    "def f(c): c.execute(open('x.sql').read())",
    "class C:\n T = 'a'\nclass D(C):\n T = read()\n def f(s, c): c.execute(f'SELECT 1 FROM {s.T}')",
    "def f(c, x): c.execute('SELECT ?'.replace('?', x.y))",
    "from elsewhere import GET\ndef f(c): c.execute(GET)",
]


@pytest.mark.parametrize(
    ("source", "sound"), [*((source, True) for source in SOUND), *((source, False) for source in SPLICED)]
)
def test_the_check_tells_them_apart(source: str, sound: bool) -> None:
    """The check itself finds every way of splicing text into SQL, and leaves the sound ways alone."""
    room = Module(PACKAGE / "store" / "example.py", ast.parse(source), source.count("\n") + 1)

    assert sound is (Provenance([room]).findings() == [])


def schema() -> dict[str, str]:
    """Return every CREATE TABLE of the stores: store/name -> statement, constants that stand in it filled in."""
    constants: dict[str, ast.expr] = {}
    found: dict[str, str] = {}
    for module in rooms():
        for item in module.tree.body:
            if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
                constants[item.targets[0].id] = item.value
        for text in [literal(node, constants) for node in ast.walk(module.tree) if isinstance(node, TEXTS)]:
            for hit in TABLE.finditer(text):
                name, statement = f"{module.path.parent.name}/{hit.group(1)}", text[hit.start() :].split(";", 1)[0]
                found[name] = max(found.get(name, ""), statement, key=len)  # the whole, not a part of it
    return found


TEXTS = (ast.Constant, ast.JoinedStr, ast.BinOp)


def literal(node: ast.expr, constants: dict[str, ast.expr]) -> str:
    """Return the text of an expression as far as it is known."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(literal(part, constants) for part in parts)
        case ast.FormattedValue(value=inner):
            return literal(inner, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return literal(left, constants) + literal(right, constants)
        case ast.Name(id=name) if name in constants:
            return literal(constants[name], constants)
    return ""


def test_every_table_names_its_tenant() -> None:
    """A table without a tenant column could answer across the wall."""
    without = {name for name, statement in schema().items() if not re.search(r"\btenant\b", statement, re.I)}

    assert [] == sorted(without - TENANTLESS.keys())
    assert [] == sorted(TENANTLESS.keys() - without), "no longer needs its excuse"


def test_what_is_trusted_exists() -> None:
    """An exception leaves the list with the code it excused."""
    names = {f"{m.name}::{name}" for m in rooms() for name, _ in functions(m.tree)}
    for module in rooms():
        for statement in module.tree.body:
            names |= {f"{module.name}::{n.id}" for n in ast.walk(statement) if isinstance(n, ast.Name)}

    assert [] == sorted(TRUSTED.keys() - names)
