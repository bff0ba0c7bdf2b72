"""Decide whether a command that worked is the fix of a failed one, judged by the cause of the failure.

A fix has the same purpose as the failed command. What the error named is spelt right, left out or installed; a folder,
an environment, a variable or a wrapper comes first; or the missing option was added. If the program never ran, another
spelling of it (`python3` for `python`) is a fix. A request for help, another file
or target, and the same command again are not fixes.
"""

from __future__ import annotations

import posixpath
import re
from difflib import SequenceMatcher
from itertools import pairwise

from tacit.failures.rules.answers import passes_by_itself
from tacit.failures.rules.causes import Cause
from tacit.failures.rules.line_parts import PREPARATION, WRAPPERS, LinePart, bare_name, line_parts, meant_parts
from tacit.shell.one_line import one_line
from tacit.shell.programs.printing import PRINTING
from tacit.text.patterns import lazy_pattern

MOST_CHARS = 1_000
_HELP = frozenset({"-h", "help", "-V", "version"})
_INSTALLS = lazy_pattern(
    r"\b(?:install|add|i|ci|sync|get|download|restore|update|init|create|mkdir|touch|pull|up|login|build)\b"
)
_ENTERING = frozenset({"cd", "source", ".", "export", "nvm", "conda", "mise"})
# They start another program, beside the wrappers.
_STARTERS = frozenset({"pnpm", "yarn", "npm", "python", "python3", "nix", "mise", "conda", "corepack", "bun"})
_RUNNERS = (
    WRAPPERS
    | _STARTERS
    | {
        "go", "dotnet", "php", "ruby", "perl", "node", "deno", "docker", "podman", "cargo", "pipx", "uvx", "asdf",
        "rbenv", "pyenv", "direnv", "volta", "composer", "dart", "flutter", "swift", "mix", "rustup", "devbox",
        "pixi", "mamba",
    }
)  # fmt: skip
# Between a runner and the program stand these, options and settings, but no `install`.
_RUNS = frozenset({"run", "exec", "x", "dlx", "tool", "compose", "pub", "global", "shell", "develop"})
_MOST_RUNNING = 5
_PARTS = lazy_pattern(r"[\W_]+")
_DIGITS = lazy_pattern(r"\d+")
_SETTING = lazy_pattern(r"[A-Za-z_]\w*=(?!=)")
# What launchers and shims say if the program itself is not there.
_NOT_STARTED = lazy_pattern(
    r"\b(?:shim|binary|executable|interpreter|launcher|python|node|ruby|version)\b.{0,60}"
    r"\b(?:not (?:be )?(?:found|installed|available|set)|missing|no such file)"
    r"|\bno (?:version|executable|interpreter|installed \w+)\b.{0,40}\b(?:set|found|specified|available)"
    r"|bad interpreter|cannot execute|exec format error",
    re.IGNORECASE,
)
# With them a program waits until the world is ready: the same command without them works by then.
_WAITS = lazy_pattern(r"--(?:watch|wait|follow|retry|retries|poll|interval)(?:[=-]|$)")
_CONFLICT = lazy_pattern(
    r"\bcannot be (?:used|specified|combined|set) (?:with|together|at the same time)|\bmutually exclusive\b"
    r"|\bnone of the others can be\b|\bnot allowed with argument\b|\bcan(?:no|['’])t be combined\b"
    r"|\bconflicts? with (?:the )?-",
    re.IGNORECASE,
)
_CONTAINERS = frozenset({"docker", "docker-compose", "podman", "kubectl"})
# They change or remove what they are given: no other program's work.
_OTHERWISE = frozenset({
    "rm", "mv", "cp", "touch", "mkdir", "rmdir", "truncate", "unlink", "shred", "chmod", "chown", "dd", "tee", "ln",
    "git", "trash", "del", "install",
})  # fmt: skip
_ALSO = {"nodejs": "node", "py": "python"}
# With these nothing is changed yet.
_TRIES = frozenset({"--dry-run", "-n", "--noop", "--check", "--simulate", "--whatif"})
# An option and its value.
_MOST_DROPPED = 2
_ALIKE = 0.75
_SAME = 0.5


def fix_in(cause: Cause, failed: str, worked: str) -> str:
    """Return the command of a line that worked which fixes a failure; empty if none does."""
    if " ".join(failed.split()) == " ".join(worked.split()) or len(worked) > MOST_CHARS or passes_by_itself(cause):
        return ""
    before = cause.part
    for part in meant_parts(worked):
        if asks_for_help(part):
            continue
        if _is_fix(cause, before, part):
            entered = _entered(worked, part, failed)
            return entered or _as_written(worked, part)
    return _entered_again(cause, failed, worked)


def asks_for_help(part: LinePart) -> bool:
    """Return whether a command only shows how a program is used."""
    words = [word.text for word in part.command.args]
    return "--help" in words or "--version" in words or (len(words) <= 2 and any(word in _HELP for word in words[-1:]))


def _is_fix(cause: Cause, before: LinePart, after: LinePart) -> bool:
    old, new = _words(before), _words(after)
    if not old or not new or before.host != after.host:
        return False
    if old == new:
        return _same_words(cause, before, after)
    if old[1:] == new and len(new) > 1:
        return True  # without the program that was put before it
    if never_ran(cause) and spelling(old) == spelling(new):
        return True
    match cause.kind:
        case "program":
            elsewhere = old[0] != new[0] or _set_before(before, after) or "/" in _first(after)
            return elsewhere and _other_program(old, new)
        case "option" | "value":
            rest = cause.name not in _pieces(new) and not _is_dropped(cause, old, new)
            return old[0] == new[0] and rest and _overlap(old[1:], new[1:], cause.name) >= _SAME
        case "subcommand" | "script":
            return _respelt(old, new, cause.name)
        case "path":
            return before.subcommand == after.subcommand and _other_path(old, new, cause.name)
        case "module" | "syntax" | "glob":
            return len(new) > 2 and old[-len(new) :] == new
    if are_in_conflict(cause.line):
        return _without_one(old, new)
    return _with_more(old, new, cause.line) or (cause.kind == "other" and _corrected(old, new))


def are_in_conflict(line: str) -> bool:
    """Return whether an error says that options exclude each other: whatever happens, it will say so again."""
    return bool(_CONFLICT.search(line))


def _without_one(old: list[str], new: list[str]) -> bool:
    """Return whether a command only left out an option."""
    gone = [word for word in old if word not in new]
    rest = [word for word in old if word in new]
    is_option = bool(gone) and gone[0][:1] == "-" and _TRIES.isdisjoint(gone)
    return rest == new and is_option and len(gone) <= _MOST_DROPPED


def never_ran(cause: Cause) -> bool:
    """Return whether a program did not come to its work: it was not found, or what stands for it found none."""
    match cause.kind:
        case "program" | "subcommand" | "option":
            return True
        case "module":
            return ["-m", cause.name] in ([*pair] for pair in pairwise(_words(cause.part)))
    return cause.kind == "other" and bool(_NOT_STARTED.search(cause.line))


def spelling(words: list[str]) -> list[str]:
    """Return a command in one of its spellings: `python3 -m pip` is `pip`, `docker-compose` is `docker compose`."""
    program, rest = bare_name(words[0].removesuffix(".exe")), words[1:]
    program = _ALSO.get(program, program)
    if program == "python" and len(rest) > 1 and rest[0] == "-m":
        return spelling(rest[1:])
    return [*program.split("-"), *rest]


def _same_words(cause: Cause, before: LinePart, after: LinePart) -> bool:
    """Return whether two commands with the same words differ in quotes, the program's path, a variable or a wrapper."""
    if cause.kind == "glob":
        return any(word.quoted for word in after.command.args)
    if len(_words(before)) == 1 and before.command.stdin is not None:
        return False
    return _first(before) != _first(after) or _set_before(before, after) or (after.nested and not before.nested)


def _other_program(old: list[str], new: list[str]) -> bool:
    """Return whether another program does the same, or a runner starts the same program."""
    if old[0] in new:
        at = new.index(old[0])
        rest = new[at + 1 :]
        if rest != old[1:] and _overlap(old[1:], rest, "") < _SAME:
            return False
        # As an argument of another program the word is only a word, unless all that follows it is the same.
        is_part = at == 1 and len(old) > 1 and rest == old[1:] and new[0] not in PRINTING | _OTHERWISE
        return at == 0 or is_part or is_runner(_without_container(new[:at]))
    # `.` and `./...` are said to any program.
    is_telling = any(word[:1] != "-" and any(map(str.isalnum, word)) for word in old[1:])
    if new[0] in _OTHERWISE and old[0] not in _OTHERWISE and not alike(old[0], new[0]):
        return False
    if is_telling and old[1:] == new[-len(old) + 1 :] and len(new) - len(old) <= 3:
        return True
    is_alike = alike(old[0], new[0])
    return is_alike and _overlap(old[1:], new[1:], "") >= _SAME if len(old) > 1 else is_alike


def _without_container(words: list[str]) -> list[str]:
    """Return the words before a program without the name of the container, pod or service in which it runs."""
    if words[:1] and bare_name(words[0]) in _CONTAINERS and len(words) > 2 and {"exec", "run"} & set(words):
        return words[:-1] if words[-1] != "--" else words[:-2]
    return words


def is_runner(words: list[str]) -> bool:
    """Return whether words start the program that follows: `npx --yes`, `uv run`, `python -m`, `go tool`."""
    if not 0 < len(words) <= _MOST_RUNNING or bare_name(words[0]) not in _RUNNERS:
        return False
    return all(
        word in _RUNS or word[:1] == "-" or before[:1] == "-" or _SETTING.match(word) or word.isdecimal()
        for before, word in pairwise(words)
    )


def _respelt(old: list[str], new: list[str], name: str) -> bool:
    """Return whether only the word that the error named has another spelling."""
    if old[0] != new[0] and not alike(old[0], new[0]):
        return len(old) > 1 and old[1:] == new[1:]
    if name not in old or name in new:
        return False
    rest, others = [word for word in old if word != name], [word for word in new if word not in old]
    return all(word in new for word in rest) and any(_is_respelling(name, word) for word in others)


def _is_dropped(cause: Cause, old: list[str], new: list[str]) -> bool:
    """Return whether a value was asked for and nothing stands in its place: `git log a..b`, then `git log -3`."""
    return cause.kind == "value" and cause.name in old and all(word in old or word[:1] == "-" for word in new)


def _corrected(old: list[str], new: list[str]) -> bool:
    """Return whether only one word differs: it has another spelling, or is more exact (`foo`, `foo==1.2`)."""
    if len(old) != len(new) or old[0] != new[0]:
        return False
    differing = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    if len(differing) != 1:
        return False
    one, other = differing[0]
    short, long = sorted((one, other), key=len)
    exact = len(short) > 2 and long.startswith(short) and not long[len(short)].isalnum()
    return exact or _is_respelling(one, other)


def _other_path(old: list[str], new: list[str], name: str) -> bool:
    """Return whether the same file was named by another path, or by a better spelling of its name."""
    if old[0] != new[0]:
        return False
    gone, fresh = [word for word in old if word not in new], [word for word in new if word not in old]
    named = any(name in one or one in name for one in gone)
    return named and any(_same_file(name.rstrip("/"), word.rstrip("/")) for word in fresh)


def _same_file(one: str, other: str) -> bool:
    """Return whether two paths mean one file: parts of the folder were missing or too many, or the name misspelt."""
    (folder, base), (there, name) = posixpath.split(one), posixpath.split(other)
    if folder == there:
        return posixpath.splitext(base)[1] == posixpath.splitext(name)[1] and _is_respelling(base, name)
    if base == name and folder.count("/") == there.count("/"):
        pairs = zip(folder.split("/"), there.split("/"), strict=True)
        differing = [(one, other) for one, other in pairs if one != other]
        return len(differing) == 1 and _is_respelling(*differing[0])
    short, long = sorted(([part for part in path.split("/") if part] for path in (folder, there)), key=len)
    rest = iter(long)
    return base == name and all(part in rest for part in short)


def _with_more(old: list[str], new: list[str], error: str) -> bool:
    """Return whether the same command was given a wrapper, or an option with its value, and nothing else changed."""
    more = len(new) - len(old)
    if not 0 < more <= 3 or len(old) < 2:
        return False
    if new[-len(old) :] == old:
        return new[0] in WRAPPERS or new[0] in _STARTERS
    rest = iter(new)
    if not all(word in rest for word in old):
        return False
    added = [word for word in new if word not in old]
    # A long option, an option with its value, or a setting; a short flag alone changes how it looks.
    if added and _WAITS.match(added[0]) and added[0].partition("=")[0] not in error:
        return False
    told = added[:1] and (added[0].startswith("--") or _SETTING.match(added[0]) or (added[0][0] == "-" and more > 1))
    return bool(told)


def _entered(worked: str, part: LinePart, failed: str) -> str:
    """Return the line with what was entered before the fix: a folder, an environment or a variable."""
    parts = line_parts(worked)
    if len(parts) < 2 or parts[0].name not in _ENTERING or _same_start(worked, failed):
        return ""
    return one_line(worked) if len(worked) <= 300 and parts[-1].command.end == part.command.end else ""


def _entered_again(cause: Cause, failed: str, worked: str) -> str:
    """Return a line in which the same command worked after a folder was entered or something was installed."""
    old = _words(cause.part)
    parts = line_parts(worked)
    again = [one for one in parts if _words(one) == old]
    if not again or len(parts) < 2 or _same_start(worked, failed) or len(worked) > 300:
        return ""
    entered = parts[0].name in _ENTERING or is_provision(cause, parts[0])
    return _until(worked, again[0]) if entered and parts[0] is not again[0] else ""


def _until(line: str, part: LinePart) -> str:
    """Return a line up to the end of one of its commands: what comes after that is not part of a fix."""
    end = max(one.command.end for one in line_parts(line) if one.command.start <= part.command.start)
    return one_line(line.encode()[: max(end, part.command.end)].decode(errors="replace"))


def is_provision(cause: Cause, part: LinePart) -> bool:
    """Return whether a command installs or makes what a failure missed; it is a fix once the same command works."""
    name = cause.name.split(".")[0].rsplit("/", 1)[-1]
    if cause.kind not in ("program", "module", "path", "script") or len(name) < 2 or part.name == "git":
        return False
    words = [word.text or "" for word in part.command.args]
    return bool(_INSTALLS.search(part.text)) and any(name in word for word in words)


def _same_start(one: str, other: str) -> bool:
    first, second = line_parts(one), line_parts(other)
    return bool(first and second) and first[0].text == second[0].text and first[0].name in PREPARATION


def _as_written(line: str, part: LinePart) -> str:
    outer = [one for one in line_parts(line) if not one.nested and one.command.start <= part.command.start]
    if part.nested and outer:
        return one_line(outer[-1].text)
    assigned = "".join(f"{name}={word.shown} " for name, word in part.command.assigns)
    text = one_line(part.text)
    return text if text.startswith(assigned) else assigned + text


def is_applied(failed: str, fix: str, command: str) -> bool:
    """Return whether a command already has the options that a fix added."""
    words = command.split()
    added = [word for word in fix.split() if word.startswith("-") and word not in failed.split()]
    return bool(added) and all(word in words for word in added)


def is_still_a_fix(cause: Cause, failed: str, fix: str) -> bool:
    """Return whether a stored fix of a missing program is one by these rules, too; older versions took more."""
    if cause.kind != "program":
        return True
    return bool(fix_in(cause, failed, fix)) or any(is_provision(cause, part) for part in line_parts(fix))


def fitted_fix(fix: str, failed: str, now: str) -> str:
    """Return a fix with the words of a command at hand in the place of those of the failed one; empty if it has none.

    `gh pr view 5` failed, and `gh pr view 5 --json state` worked: for `gh pr view 7` the number is another one.
    """
    old, new, words = failed.split(), now.split(), fix.split()
    if old == new:
        return fix
    if len(old) != len(new):
        return ""
    swap = {one: other for one, other in zip(old, new, strict=True) if one != other}
    return " ".join(swap.get(word, word) for word in words) if all(words.count(one) == 1 for one in swap) else ""


def same_command(one: LinePart, other: LinePart) -> bool:
    """Return whether two commands have the same words."""
    return _words(one) == _words(other)


def _set_before(before: LinePart, after: LinePart) -> bool:
    return bool(after.command.assigns) and not before.command.assigns


def _first(part: LinePart) -> str:
    return part.command.words[0].text or ""


def _words(part: LinePart) -> list[str]:
    return [part.name, *(word.shown for word in part.command.args)]


def _pieces(words: list[str]) -> set[str]:
    return {piece for word in words for piece in (word, word.partition("=")[0], *word.split(","))}


def _overlap(old: list[str], new: list[str], without: str) -> float:
    one = {piece for word in old for piece in word.split(",") if piece and piece.partition("=")[0] != without}
    other = {piece for word in new for piece in word.split(",") if piece}
    return len(one & other) / len(one | other) if one | other else 1.0


def _is_respelling(one: str, other: str) -> bool:
    """Return whether two words differ by a typing error, not by a number or a letter that names another thing."""
    parts, others = (_PARTS.split(word) for word in (one, other))
    if len(parts) != len(others):
        return False
    differing = [(a, b) for a, b in zip(parts, others, strict=True) if a != b]
    return len(differing) == 1 and all(
        min(len(a), len(b)) > 1
        # `v1` and `v2`, `start` and `restart`, `install` and `uninstall` are different things.
        and _DIGITS.sub("", a) != _DIGITS.sub("", b)
        and not a.endswith(b)
        and not b.endswith(a)
        and (sorted(a) == sorted(b) or SequenceMatcher(None, a, b).ratio() >= _ALIKE)
        for a, b in differing
    )


def alike(one: str, other: str) -> bool:
    """Return whether two names of programs differ by a typing error or a version: `gti` and `git`, `python3`."""
    if one == other or min(len(one), len(other)) < 2:
        return False
    digits = one.rstrip("0123456789.") == other.rstrip("0123456789.")
    return digits or sorted(one) == sorted(other) or SequenceMatcher(None, one, other).ratio() >= _ALIKE
