"""Forty small worlds: whether the cause of a failure still stands, looked at below the project and on the path."""

import os

import pytest

from tacit.files.cause_check import MOST_LOOKS, CauseCheck

WORLDS = [
    # what the world holds, kind, name, base, runner, what a look finds
    ({}, "program", "swag", "", "", "stands"), ({"bin/swag": "x"}, "program", "swag", "", "", "gone"),
    ({"bin/swag": ""}, "program", "swag", "", "", "stands"), ({"bin/other": "x"}, "program", "swag", "", "", "stands"),
    ({"p/tool.sh": ""}, "program", "./tool.sh", "", "", "gone"), ({}, "program", "./tool.sh", "", "", "stands"),
    ({}, "program", "~/go/bin/x", "", "", "unknown"), ({}, "program", "/opt/x", "", "", "unknown"),
    ({"p/a.md": ""}, "path", "a.md", "", "", "gone"), ({}, "path", "a.md", "", "", "stands"),
    ({"p/d/a.md": ""}, "path", "a.md", "d", "", "gone"), ({"p/d/a.md": ""}, "path", "a.md", "", "", "stands"),
    ({"p/d/a.md": ""}, "path", "d", "", "", "gone"), ({"p/a.md": ""}, "path", "./d/../a.md", "", "", "gone"),
    ({}, "path", "../other/a.md", "", "", "unknown"), ({}, "path", "/etc/hostname", "", "", "unknown"),
    ({}, "path", "$HOME/a", "", "", "unknown"), ({}, "path", "C:\\a", "", "", "unknown"),
    ({}, "path", "a.md", "/elsewhere", "", "unknown"), ({"p/l": "->gone"}, "path", "l", "", "", "gone"),
    ({"p/package.json": '{"scripts": {"build": "x"}}'}, "script", "build", "", "npm", "gone"),
    ({"p/package.json": '{"scripts": {"build": "x"}}'}, "script", "biuld", "", "npm", "stands"),
    ({"p/package.json": '{"scripts": {}}'}, "script", "x", "", "pnpm", "stands"),
    ({}, "script", "x", "", "npm", "unknown"),
    ({"p/package.json": "{broken"}, "script", "x", "", "npm", "unknown"),
    ({"p/package.json": "[]"}, "script", "x", "", "npm", "unknown"),
    ({"p/package.json": '{"scripts": 5}'}, "script", "x", "", "npm", "unknown"),
    ({"p/app/package.json": '{"scripts": {"b": "x"}}'}, "script", "b", "app", "npm", "gone"),
    ({"p/Makefile": "build: a\n\tx\n"}, "script", "build", "", "make", "gone"),
    ({"p/Makefile": "build: a\n\tx\n"}, "script", "ship", "", "make", "stands"),
    ({"p/Makefile": "include other.mk\n"}, "script", "ship", "", "make", "gone"),
    ({}, "script", "x", "", "make", "unknown"),
    ({"p/package.json": "{}"}, "script", "x", "", "just", "unknown"),
    ({"p/.git/refs/heads/feature/a": ""}, "path", "feature/a", "", "git", "gone"),
    ({"p/.git/HEAD": ""}, "path", "feature/a", "", "git", "stands"),
    ({"p/a.go": ""}, "path", "a.go", "", "git", "gone"),
    ({"p/.git/packed-refs": "1 refs/tags/v1\n"}, "value", "v1", "", "git", "gone"),
    ({"p/.git/HEAD": ""}, "value", "v9", "", "git", "stands"), ({}, "value", "v9", "", "git", "unknown"),
    ({"p/.git/HEAD": ""}, "value", "a..b", "", "git", "unknown"),
    ({"p/.git/HEAD": ""}, "value", "x", "", "gh", "unknown"),
    ({"p/Makefile": "foo bar ship:\n"}, "script", "ship", "", "make", "gone"),
    ({"p/makefile": "all:\n"}, "script", "ship", "", "make", "stands"),
    ({"p/pkg/__init__.py": ""}, "module", "pkg", "", "python", "gone"),
    ({"p/mod.py": ""}, "module", "mod.x", "", "python", "gone"),
    ({}, "module", "httpx", "", "python", "unknown"),
    ({"p/node_modules/a/i.js": ""}, "module", "a", "", "node", "gone"),
    ({}, "glob", "https://x.dev/a?b=1", "", "", "stands"), ({}, "glob", "pages/[id].astro", "", "", "stands"),
    ({"p/pages/i.astro": ""}, "glob", "pages/[id].astro", "", "", "gone"), ({}, "network", "x.dev", "", "", "unknown"),
]  # fmt: skip


def made(tmp_path, world):
    (tmp_path / "p").mkdir()
    (tmp_path / "bin").mkdir()
    for name, content in world.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content.startswith("->"):
            path.symlink_to(content[2:])
            continue
        path.write_text(content)
        path.chmod(0o755 if content == "x" else 0o644)
    return CauseCheck(tmp_path / "p", tmp_path / "p", {"PATH": str(tmp_path / "bin")})


@pytest.mark.parametrize(("world", "kind", "name", "base", "runner", "found"), WORLDS)
def test_a_look_finds_what_stands(tmp_path, world, kind, name, base, runner, found):
    """What is missing still, what is there by now, and what cannot be said from here."""
    assert found == made(tmp_path, world).look(kind, name, base, runner)[0]


def test_looks_are_counted(tmp_path, monkeypatch):
    """At most 20, and over that nothing is known; nothing outside the project is touched."""
    check = made(tmp_path, {})
    touched = []
    monkeypatch.setattr(os.path, "lexists", lambda path: touched.append(str(path)) or False)
    found = [check.look("path", f"f{number}")[0] for number in range(MOST_LOOKS + 5)]

    assert ["stands"] * MOST_LOOKS + ["unknown"] * 5 == found
    assert all(path.startswith(str(tmp_path / "p")) for path in touched)


def test_a_pipe_or_a_large_file_is_not_read(tmp_path):
    """Whatever a repository puts in the place of a settings file, a look does not wait."""
    check = made(tmp_path, {})
    os.mkfifo(tmp_path / "p" / "package.json")
    (tmp_path / "p" / "Makefile").write_text("a:\n" * 200_000)

    assert ["unknown", "unknown"] == [check.look("script", "x", "", runner)[0] for runner in ("npm", "make")]


def test_a_long_path_is_not_looked_through(tmp_path):
    """Each folder of PATH is a look too."""
    folders = [str(tmp_path / f"bin{number}") for number in range(MOST_LOOKS + 1)]
    check = CauseCheck(tmp_path, tmp_path, {"PATH": os.pathsep.join(folders)})

    assert ("unknown", "") == check.look("program", "swag")
