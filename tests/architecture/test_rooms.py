"""A room imports only rooms before it; what would point back is passed in by app/."""

from __future__ import annotations

import ast
import sys
from collections import Counter

from tests.architecture.source import PACKAGE, Module, imports, modules

# The reading order of docs/architecture.md: values, judgement, adapters, what nouns share, nouns, the rest.
ROOMS = (
    "errors", "version", "model", "logs", "clock", "text", "shell", "files", "http_json",
    "guard", "redact", "admission",
    "ports", "store", "vectors", "embed", "llm", "run",
    "records",
    "search", "facts", "failures", "sessions", "procedures", "episodes", "lessons", "notes", "memdir",
    "agents", "loop", "exchange", "app", "__init__", "doors", "testing", "bench", "demo", "__main__",
)  # fmt: skip
ORDER = {room: place for place, room in enumerate(ROOMS)}
MOST_MODULES = 25
# Pure rooms: what `rules/` may import beside the rules of other rooms.
PURE = {"errors", "model", "text", "shell", "guard", "redact", "admission"}
# Adapters behind a port: everyone else gets them as arguments.
ADAPTERS = {"clock", "embed", "llm", "run", "store", "vectors"}
MAY_WIRE = {"app": "the composition root", "testing": "puts fakes in the place of adapters"}
# Folders of one room that must not know each other; the named one may see the others.
PEERS = {"store": None, "doors": "cli"}
# Third parties that were chosen for a room below the adapters.
THIRD_PARTIES = {"model": {"msgspec"}, "shell": {"tree_sitter", "tree_sitter_bash"}, "text": {"Stemmer", "re2", "yaml"}}
# Work that has one room, and who else does a part of it.
SOLE_ROOMS = {
    # Agents and other memory tools keep theirs in SQLite too; and a cold hook looks into ours without opening a memory.
    "sqlite3": {"store", "bench", "agents", "doors", "exchange"},
    "subprocess": {"run", "bench", "demo"},
}
ENVIRONMENT_READERS = {
    "app/config.py": "makes settings of it",
    "app/open.py": "hands it to config",
    "app/model_loading.py": "hands a key to the adapter that needs it",
    "app/guard_setup.py": "a home is a place the guard knows",
    "app/hook_status.py": "agents' folders are moved by variables of their own",
    "doors/hooks/entry.py": "stands on the standard library alone",
    "doors/hooks/surroundings.py": "as the entry does",
    "doors/hooks/cold_guard.py": "as the entry does",
}


def steps() -> list[tuple[Module, str, tuple[str, ...]]]:
    """Return (module, room it imports, dotted path) for every import within the package."""
    return [(m, target(path), path) for m in modules() for path in imports(m) if path[0] == "tacit"]


def target(path: tuple[str, ...]) -> str:
    """Return the room an import leads to: `tacit.errors` to errors, `tacit.open_memory` to the public names."""
    return path[1] if len(path) > 1 and path[1] in ORDER else "__init__"


def test_every_room_has_its_place() -> None:
    """A new room is given its place in the order before anything is put there."""
    assert [] == sorted({m.room for m in modules()} - ORDER.keys())


def test_rooms_import_earlier_rooms_only() -> None:
    """A room imports only rooms before it, or itself."""
    wrong = [
        f"{module.name} imports {'.'.join(path)}"
        for module, room, path in steps()
        if room != module.room and ORDER[room] >= ORDER[module.room]
    ]

    assert [] == wrong


def test_rules_import_values_and_other_rules_only() -> None:
    """Pure decisions know values, text and other decisions: no store, no clock, no verbs."""
    wrong = [
        f"{module.name} imports {'.'.join(path)}"
        for module, room, path in steps()
        if "rules" in module.dotted[2:3] and room not in PURE and path[2:3] != ("rules",)
    ]

    assert [] == wrong


def test_no_folder_is_crowded() -> None:
    """A folder holds so many modules that one can read their names at a glance."""
    counts = Counter(module.path.parent for module in modules() if module.path.name != "__init__.py")

    assert {} == {str(folder.relative_to(PACKAGE)): n for folder, n in counts.items() if n > MOST_MODULES}


def test_only_app_wires() -> None:
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


def test_pure_rooms_stand_on_the_standard_library() -> None:
    """Below the adapters only the third parties that were chosen for a room are imported there."""
    wrong = [
        f"{module.name} imports {path[0]}"
        for module in modules()
        if ORDER[module.room] < ORDER["ports"]
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
