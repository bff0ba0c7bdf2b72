"""The house stands because imports go down its floors only."""

from __future__ import annotations

import ast
import sys

from tests.house.source import PACKAGE, Module, imports, modules

FLOOR = {
    "errors": 0,
    "model": 0,
    "version": 0,
    "logs": 1,
    "shell": 1,
    "text": 1,
    "files": 2,
    "judge": 2,
    "ports": 2,
    "posting": 2,
    "capture": 3,
    "clock": 3,
    "embed": 3,
    "llm": 3,
    "run": 3,
    "store": 3,
    "vectors": 3,
    "config": 4,
    "flows": 4,
    "memory": 5,
    "agents": 5,
    "guards": 5,
    "minds": 5,
    "redactors": 5,
    "stores": 5,
    "house": 6,
    "__init__": 7,
    "bench": 7,
    "demo": 7,
    "doors": 7,
    "testing": 7,
    "__main__": 8,
}
# Steps that are not down, each with its reason.
LEVEL_STEPS = {
    ("bench", "__init__"): "it measures what users call",
    ("bench", "doors"): "hooks are measured through their own door",
    ("bench", "testing"): "it builds temporary stores",
    ("demo", "__init__"): "it shows what users call",
    ("doors", "__init__"): "doors may speak to the public face",
    ("doors", "bench"): "the command `tacit bench` hands over to it",
    ("doors", "demo"): "the command `tacit demo` hands over to it",
    ("model", "errors"): "a value that cannot be made says why",
    ("testing", "__init__"): "it opens what users open",
}
# Rooms behind a port: everyone else gets them as arguments.
ADAPTERS = {"clock", "embed", "llm", "run", "store"}
MAY_WIRE = {
    "house": "the composition root",
    "stores": "its hands: opens, copies and restores stores",
    "minds": "its minds: loads the embedder and the model",
    "agents": "its eyes on agents: calls their hooks as they would",
    "testing": "puts fakes in the place of adapters",
}
# Rooms of peers that must not know each other; the named one may see the others.
PEERS = {"store": None, "doors": "cli"}

# What a room below the third floor may import besides the standard library.
THIRD_PARTIES = {
    "model": {"msgspec"},
    "shell": {"tree_sitter", "tree_sitter_bash"},
    "text": {"Stemmer", "ahocorasick_rs", "yaml"},
    "judge": {"re2"},
}
# Work that has one room.
SOLE_ROOMS = {
    # Agents keep their sessions in SQLite too; and a cold hook looks into ours without the house.
    "sqlite3": {"store", "bench", "capture", "doors"},
    "subprocess": {"run", "bench", "demo"},
}
# The only readers of the environment.
ENVIRONMENT_READERS = {
    "config.py": "makes settings of it",
    "house.py": "hands it to config",
    "minds.py": "hands a key to the adapter that needs it",
    "guards.py": "a home is a place the guard knows",
    "agents.py": "agents' folders are moved by variables of their own",
    "bench/redteam.py": "its agents set variables, as hostile ones would",
    "doors/hooks/cold.py": "stands on the standard library alone",
    "doors/hooks/lean.py": "as the cold path does",
}


def steps() -> list[tuple[Module, str, tuple[str, ...]]]:
    """Return (module, room it imports, dotted path) for every import within the package."""
    return [(m, target(path), path) for m in modules() for path in imports(m) if path[0] == "tacit"]


def target(path: tuple[str, ...]) -> str:
    """Return the room an import leads to: `tacit.errors` to errors, `tacit.open_memory` to the face."""
    return path[1] if len(path) > 1 and path[1] in FLOOR else "__init__"


def test_every_room_has_a_floor() -> None:
    """A new room is given its floor before it is furnished."""
    assert [] == sorted({m.room for m in modules()} - FLOOR.keys())


def test_every_import_goes_down() -> None:
    """A room imports only from the floors below it, or from itself."""
    wrong = [
        f"{module.name} (F{FLOOR[module.room]}) imports {'.'.join(path)} (F{FLOOR[room]})"
        for module, room, path in steps()
        if room != module.room and (module.room, room) not in LEVEL_STEPS and FLOOR[room] >= FLOOR[module.room]
    ]

    assert [] == wrong


def test_level_steps_are_level() -> None:
    """An exception may excuse a step on one floor, never a step up."""
    assert [] == [step for step in LEVEL_STEPS if FLOOR[step[0]] != FLOOR[step[1]]]


def test_only_the_house_wires() -> None:
    """Nobody but the composition root, and the adapters themselves, names an adapter."""
    wrong = [
        f"{module.name} imports {'.'.join(path)}"
        for module, room, path in steps()
        if room in ADAPTERS and room != module.room and module.room not in ADAPTERS and module.room not in MAY_WIRE
    ]

    assert [] == wrong


def test_peers_do_not_know_each_other() -> None:
    """One store never imports another, nor one door another; the command line alone opens every door."""
    folders = {
        m.dotted[1:3] for m in modules() if m.room in PEERS and len(m.path.parent.parts) > len(PACKAGE.parts) + 1
    }
    wrong = [
        f"{module.name} imports {'.'.join(path)}"
        for module, _, path in steps()
        if module.dotted[1:3] in folders
        and path[1:3] in folders
        and module.room == path[1]
        and module.dotted[2] not in {path[2], PEERS[module.room]}
    ]

    assert [] == wrong


def test_lower_floors_stand_on_the_standard_library() -> None:
    """Below the third floor only the third parties that were chosen for a room are imported there."""
    wrong = [
        f"{module.name} imports {path[0]}"
        for module in modules()
        if FLOOR[module.room] < 3
        for path in imports(module, types=False)
        if path[0] != "tacit"
        and path[0] not in sys.stdlib_module_names
        and path[0] not in THIRD_PARTIES.get(module.room, set())
    ]

    assert [] == wrong


def test_some_work_has_one_room() -> None:
    """SQL is spoken in the store, and processes are started by `run`, alone."""
    wrong = [
        f"{module.name} imports {path[0]}"
        for module in modules()
        for path in imports(module)
        if path[0] in SOLE_ROOMS and module.room not in SOLE_ROOMS[path[0]]
    ]

    assert [] == wrong


def test_the_environment_is_read_in_one_place() -> None:
    """Settings are values: nobody else looks into the environment."""
    wrong = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        if module.name not in ENVIRONMENT_READERS
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) in {("os", "environ"), ("os", "getenv"), ("os", "environb")}
    ]

    assert [] == wrong
