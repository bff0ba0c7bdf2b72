"""Settings, rules and words that are broken in 1,000 ways: the guard goes on judging, and the file is named."""

from __future__ import annotations

import codecs
import json
import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tacit.app.config import Settings, load_settings, settings_or_defaults
from tacit.app.guard_setup import guard_place, load_guard
from tacit.errors import TacitError
from tacit.failures.load_lexicon import load_lexicon
from tacit.guard.judge import judge
from tests.doors.conftest import process as process

SEED = 20_261
CASES = 1_000
PACK = '[[rule]]\nid = "{0}.x"\nfamily = "git"\nseverity = "deny"\nreason = "x"\nprograms = ["{0}"]\nfor = ["{0} x"]\n'
WORDS = "# {0}\ntype::: guard-deny\nsynonyms:: {0} now\n"
# Where a broken file lies, and a sound file of its kind.
TARGETS = {
    "home/config.toml": '[guard.severity]\n"git.restore" = "ask"\n[limits]\ntitle_chars = 10\n',
    "home/guard/broken.toml": PACK.format("brokenpack"),
    "home/lexicon/broken.md": WORDS.format("brokenword"),
    "repo/.tacit.toml": '[limits]\ntitle_chars = 10\n[guard.severity]\n"git.stash-pop" = "deny"\n',
    "repo/docs/src/kg/broken.md": WORDS.format("brokenkg"),
}
# Sound files beside it, and the command each denies.
SOUND = {
    "home/guard/packed.toml": (PACK.format("packed"), "packed x"),
    "home/lexicon/worded.md": (WORDS.format("worded"), "worded now"),
    "repo/docs/src/kg/graphed.md": (WORDS.format("graphed"), "graphed now"),
}
Maker = Callable[[Path, str, random.Random], bool]
"""Puts something broken in a file's place; returns whether whoever reads it must notice, given a sound text."""


def _writes(content: Callable[[str, random.Random], str | bytes], *, always: bool = False) -> Maker:
    """Write content that is broken TOML; broken for Markdown as well only with `always`."""

    def make(path: Path, sound: str, chance: random.Random) -> bool:
        made = content(sound, chance)
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
        return always or path.suffix == ".toml"

    return make


def _places(make: Callable[[Path, random.Random], object]) -> Maker:
    def made(path: Path, _sound: str, chance: random.Random) -> bool:
        make(path, chance)
        return True

    return made


def _digits(sound: str, chance: random.Random) -> str:
    base, digit = chance.choice([("", "7"), ("0x", "f"), ("-", "1"), ("0b", "1"), ("0o", "7")])
    return f"{sound}\nnumber = {base}{digit * chance.randint(4_301, 20_000)}\n"


def _dotted(sound: str, chance: random.Random) -> str:
    part = chance.choice(["a", '"a"', "'a'", r'"\""', "a-b", '"ä"'])
    dot = chance.choice([".", " . ", "\t.", ". "])
    key = dot.join([part] * chance.choice([17, 100, 32_000]))
    line = chance.choice(["{0} = 1", "[{0}]", "[[{0}]]", "t = {{ {0} = 1 }}", 't = {{ s = """x"""", {0} = 1 }}'])
    return f"{line.format(key)}\n{sound}"[:250_000]


def _nested(_sound: str, chance: random.Random) -> str:
    opening = chance.choice(["[", "{a=", "[{a=", "[[", "[ #\n"])
    return f"a = {opening * chance.randint(1_000, 40_000)}"[:250_000]


def _encoded(sound: str, chance: random.Random) -> bytes:
    mark, name = chance.choice([
        (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"\xff", "utf-8"), (b"\xc0\x80", "utf-8"), (b"\xed\xa0\x80", "utf-8"), (b"\xef\xbb", "ascii"),
    ])  # fmt: skip
    return mark + sound.encode(name)


def _with_nul(sound: str, chance: random.Random) -> str:
    at = chance.randrange(len(sound))
    return sound[:at] + "\0" * chance.randint(1, 1_000) + sound[at:]


def _large(sound: str, chance: random.Random) -> str:
    return sound + chance.choice(["#", "\n", "# a\n", "é"]) * 300_000


def _no_toml(sound: str, chance: random.Random) -> str:
    return sound + chance.choice([
        "[", "a =", "a = 1 b = 2", "= 1", '"', "a = '''", "\ufeff\ufeff=", "a = 1\na = 2", "[[a]]\n[a]", "a = 1e",
        "\x1b[2J", "a = 9999-99-99", "a = nul", "{}", "a.b = 1\na = 2", "a = +\u0661", 'a = "\\ud800"', "\r",
        "a = {b = 1\n}",
    ])  # fmt: skip


WRONG = {
    "config.toml": ["limits = 5", "[limits]\ntitle_chars = 'x'", "[hoks]", "[guard.severity]\nx = 'maybe'",
                    "store = []", "[redact]\npatterns = [5]", "x = nan"],
    "broken.toml": ["rule = 5", "rule = 'ab'", "rule = [5]", "[rule]\na = 1", "[[rule]]", "[[rule]]\nid = [1]",
                    PACK.format("x") + 'text = "("', PACK.format("x") + 'text = "a{99999999999999999999}"',
                    PACK.format("x").replace('reason = "x"', "reason = 5"), PACK.format("x").replace('"x.x"', "{}"),
                    PACK.format("x") + "alternative = []", PACK.format("x") + 'like = "y"',
                    PACK.format("x") + "verbs = [1]", PACK.format("x") + "more = 1",
                    PACK.format("x") + f'text = "{"(" * 5_000}{")" * 5_000}"'],
    ".tacit.toml": ["off = 'yes'", "limits = 5", "[limits]\ntitle_chars = 1.5", "store = '/x'", "[guard]\nx = 1",
                    "[guard.severity]\n'rm.home' = 'never'", "[memdir]\nx = 1", "[limits]\nnonsense = 1"],
}  # fmt: skip


def _shaped_wrong(path: Path, sound: str, chance: random.Random) -> bool:
    path.write_text(chance.choice(WRONG.get(path.name, [sound])))
    return path.name in WRONG


def _mutated(path: Path, sound: str, chance: random.Random) -> bool:
    content = bytearray(sound.encode())
    for _ in range(chance.randint(1, 8)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    path.write_bytes(content)
    return False


def _socket(path: Path, _chance: random.Random) -> None:
    # The path of a socket is at most 108 bytes long.
    here = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


def _link(path: Path, chance: random.Random) -> None:
    target = chance.choice(["/dev/zero", "/dev/full", "/dev/tty", "/", "/nowhere", path.name, "/proc/self/mem", "."])
    path.symlink_to(target)


KINDS: dict[str, Maker] = {
    "digits": _writes(_digits), "dotted": _writes(_dotted), "nested": _writes(_nested), "no TOML": _writes(_no_toml),
    "encoded": _writes(_encoded, always=True), "NUL": _writes(_with_nul, always=True),
    "large": _writes(_large, always=True), "noise": _writes(lambda _s, c: b"\xff" + c.randbytes(200), always=True),
    "wrong shape": _shaped_wrong, "mutated": _mutated, "link": _places(_link), "socket": _places(_socket),
    "FIFO": _places(lambda path, _c: os.mkfifo(path)), "folder": _places(lambda path, _c: path.mkdir()),
}  # fmt: skip


class Scene:
    """A home and a repository with sound files of every kind, and one file that is broken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, (text, _command) in SOUND.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "repo" / ".git").mkdir()
        self.env = {"TACIT_HOME": str(folder / "home"), "HOME": str(folder), "USER": "ann"}

    def broken(self, number: int) -> tuple[str, Path, bool]:
        """Make the case of this number; returns its kind, its path, and whether it must be noticed."""
        chance = random.Random(SEED + number)
        kind = list(KINDS)[number % len(KINDS)]
        name, sound = list(TARGETS.items())[number // len(KINDS) % len(TARGETS)]
        path = self.folder / name
        return kind, path, KINDS[kind](path, sound, chance)

    def settings(self) -> Settings:
        """Read the settings as a hook does; as a command does, only an error of ours may come of it."""
        try:
            load_settings(self.env, self.folder / "repo")
        except TacitError as error:
            assert error.hint
        return settings_or_defaults(self.env, self.folder / "repo")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()


@pytest.mark.parametrize("part", range(10))
def test_a_thousand_broken_files_leave_the_guard_standing(
    scene: Scene, part: int, monkeypatch: pytest.MonkeyPatch, figures: Callable[..., None]
) -> None:
    """Built-in rules and all sound files count, no error but ours comes out, and what is broken is named."""
    monkeypatch.setenv("HOME", str(scene.folder))
    commands = ["rm -rf ~", *(command for _text, command in SOUND.values())]
    for number in range(part, CASES, 10):
        kind, path, is_broken = scene.broken(number)
        settings = scene.settings()
        packs, problems, notices = load_guard(settings)
        named = [settings.broken, *settings.notices, *(one.message for one in problems), *notices]
        load_lexicon(settings.home, settings.cwd)
        verdicts = [judge(one, guard_place(settings), packs).verdict for one in commands]
        case = f"{number}: {kind} {path.name}"

        assert (case, ["deny"] * 4) == (case, verdicts)
        assert all(one.hint for one in problems), case
        assert not is_broken or any(path.name in one for one in named), f"{case}: {named}"
        assert all(len(one) < 1_000 for one in named), case
        _remove(path)
    figures("broken files", len(range(part, CASES, 10)))


@pytest.mark.parametrize("number", range(0, CASES, 67))
def test_a_hook_process_denies_beside_a_broken_file(scene: Scene, process, number: int, monkeypatch) -> None:
    """The real program, with what it finds in its home and in the repository it is called in."""
    scene.broken(number)
    asked = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s", "cwd": str(scene.folder / "repo"),
             "tool_input": {"command": "rm -rf ~"}}  # fmt: skip
    answer = process("hook", "claude", stdin=json.dumps(asked).encode(), env=scene.env)

    assert "deny" == json.loads(answer.out)["hookSpecificOutput"]["permissionDecision"]
