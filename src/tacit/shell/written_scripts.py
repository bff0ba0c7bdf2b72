"""Files that a line writes and then runs: their content is known, or comes from the network."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from tacit.shell.command import Command, ShellWord, UnknownPart, literal
from tacit.shell.printed_output import output_of
from tacit.shell.programs.git_and_make import MAKES
from tacit.shell.programs.shells import SHELLS
from tacit.shell.rerun_text import NestedCommands, joined, joint, run_text, run_words
from tacit.text.patterns import lazy_pattern

_FETCHERS = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document"), "aria2c": ("-o", "--out"),
             "find": ("-fprintf", "-fprint", "-fls")}  # fmt: skip
_WRITING = frozenset({"tee", "cp", "ln", "install", "alias", "hash", *_FETCHERS})
"""The programs whose arguments name what they write."""
_INTERPRETERS = lazy_pattern(r"(?:python|pypy)[\d.]*$|(?:perl|ruby|node|nodejs|php|lua|deno|bun|Rscript)$")
_CLUSTER = lazy_pattern(r"-[A-Za-z]{2,6}")
# Programs whose options name scripts of their own.
_READ_SCRIPTS = frozenset({
    "awk", "gawk", "mawk", "sed", "gsed", "make", "gmake", "vim", "vi", "nvim", "ex", "gdb", "lldb", "psql", "mysql",
    "sqlite3", "tclsh", "expect", "xargs", "parallel", "crontab", "at", "batch", "m4", "emacs", "ed", "go", "gcc",
    "cc", "clang", "g++", "tcc", "rustc", "javac",
})  # fmt: skip
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# The files that programs load by their names, and the interpreter that runs them.
_LOADED: tuple[tuple[frozenset[str], re.Pattern[str], str], ...] = (
    (frozenset({"pytest", "py.test", "tox", "nox", "coverage"}),
     lazy_pattern(r"(?:.*/)?(?:conftest|test_\w+|\w+_test|noxfile|sitecustomize)\.py"), "python3"),
    (frozenset({"pip", "pip3", "uv", "build", "poetry", "pipx"}), lazy_pattern(r"(?:.*/)?setup\.py"), "python3"),
    (frozenset({"fab", "invoke", "inv"}), lazy_pattern(r"(?:.*/)?(?:fabfile|tasks)\.py"), "python3"),
    (frozenset({"jest", "vitest", "vite", "webpack", "rollup", "eslint", "mocha", "next", "tsc", "prettier", "node"}),
     lazy_pattern(r"(?:.*/)?[\w.-]+\.(?:config|test|spec|setup)\.[cm]?[jt]s|(?:.*/)?\.\w+rc\.c?js"), "node"),
    (frozenset({"rake", "bundle", "rspec"}), lazy_pattern(r"(?:.*/)?(?:Rakefile|Gemfile|\w+_spec\.rb)"), "ruby"),
    (frozenset({"direnv"}), lazy_pattern(r"(?:.*/)?\.envrc"), "bash"),
)  # fmt: skip
_PACKAGE_PROGRAMS = frozenset({"npm", "pnpm", "yarn", "bun"})
_PACKAGE_SCRIPT = lazy_pattern(r"\"(?:\w+:)*\w+\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"")
MOST_FILES = 100


class WrittenScripts:
    """The files that a line has written so far."""

    def __init__(self) -> None:
        self._files: dict[str, ShellWord] = {}
        self._copies: dict[str, ShellWord] = {}
        """Copies of programs, and links to them."""
        self._aliases: dict[str, str] = {}

    def note(self, command: Command) -> None:
        """Record the files that a command writes."""
        if len(self._files) > MOST_FILES:
            return
        for redirect in command.redirects:
            if redirect.operator in (">", ">>", ">|", "&>") and redirect.target.text:
                self._put(redirect.target.text, output_of(command), adds=redirect.operator == ">>")
        name = command.name or ""
        if name not in _WRITING:
            return
        if name == "tee":
            for word in command.args:
                if word.text and not word.text.startswith("-"):
                    self._put(word.text, command.stdin, adds=False)
        texts = [word.text for word in command.args]
        if name in ("cp", "ln", "install") and len(texts) > 1:
            self._copies[posixpath.normpath(command.args[-1].shown)] = command.args[-2]
        if name == "alias":
            pairs = (word.head.partition("=") for word in command.args)
            self._aliases |= {new: value for new, equals, value in pairs if equals}
        if name == "hash" and "-p" in texts and texts.index("-p") + 2 < len(texts):
            at = texts.index("-p")
            self._copies[texts[at + 2] or ""] = command.args[at + 1]
        for option in _FETCHERS.get(name, ()):
            for text, path in pairwise(texts):
                # `-so` is `-s -o`.
                ends = option[1] != "-" and _CLUSTER.fullmatch(text or "") and (text or "").endswith(option[1])
                if path and (text == option or ends):
                    self._put(path, None, adds=False)

    def _put(self, path: str, content: ShellWord | None, *, adds: bool) -> None:
        key = posixpath.normpath(path)
        new = content if content is not None else ShellWord((UnknownPart(),))
        before = self._files.get(key)
        self._files[key] = ShellWord((*before.pieces, *new.pieces)) if adds and before is not None else new

    def _copy(self, name: str) -> ShellWord | None:
        """Return the program that a name stands for: by its path, or found in a folder of $PATH."""
        if "/" in name:
            return self._copies.get(posixpath.normpath(name))
        found = (what for path, what in self._copies.items() if posixpath.basename(path) == name)
        return next((what for what in found if "/bin/" in what.shown or "/sbin/" in what.shown or what.holes), None)

    def _loaded(self, command: Command) -> Iterator[NestedCommands]:
        """Return what runs when a program loads files that this line has written."""
        for programs, names, interpreter in _LOADED:
            for path, content in self._files.items() if command.name in programs else ():
                if names.fullmatch(path):
                    yield run_words(command._replace(stdin=content, redirects=()), (literal(interpreter),))
        package = self._files.get("package.json") if command.name in _PACKAGE_PROGRAMS else None
        if package is not None:
            for found in _PACKAGE_SCRIPT.finditer(package.shown):
                yield run_text(command, literal(found.group(1).replace('\\"', '"')))

    def run(self, command: Command) -> NestedCommands:
        """Return what runs when a command starts a file this line has written."""
        if not command.words or not (self._files or self._copies or self._aliases):
            return NestedCommands()
        first = command.words[0].shown
        if (said := self._aliases.get(first)) is not None and command.name != "alias":
            # After an alias that ends in a blank, the next word may be one too.
            args = [self._aliases.get(word.text or "", "") if said.endswith(" ") else "" for word in command.args]
            more = (literal(one) if one else word for one, word in zip(args, command.args, strict=True))
            return run_text(command, joined((literal(said), *more)))
        if (program := self._copy(first)) is not None:
            return run_words(command, (program, *command.args))
        if loaded := list(self._loaded(command)):
            return joint(loaded)
        starts = [first] if "/" in first else []
        interpreted = bool(_INTERPRETERS.match(command.name or ""))
        if command.name in SHELLS or command.name in ("source", ".") or interpreted:
            starts += [word.text for word in command.args if word.text and not word.text.startswith("-")][:1]
        for at, word in enumerate(command.args) if command.name in _READ_SCRIPTS else ():
            content = self._files.get(posixpath.normpath(word.text)) if word.text else None
            if content is not None:
                words = (*command.words[: at + 1], literal("/dev/stdin"), *command.words[at + 2 :])
                return NestedCommands((command._replace(words=words, stdin=content, redirects=()),))
        if command.name in MAKES and command.stdin is None:
            content = next((self._files[name] for name in _MAKEFILES if name in self._files), None)
            if content is not None:
                words = (*command.words, literal("-f"), literal("/dev/stdin"))
                return NestedCommands((command._replace(words=words, stdin=content, redirects=()),))
        for path in starts:
            if (content := self._files.get(posixpath.normpath(path))) is not None:
                # An interpreter reads the text as it would read it from its input.
                as_input = command._replace(words=command.words[:1], stdin=content, redirects=())
                return NestedCommands((as_input,)) if interpreted else run_text(command, content)
        return NestedCommands()
