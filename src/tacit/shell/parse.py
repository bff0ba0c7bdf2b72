"""From text to commands, by tree-sitter: every command that would run, wherever it is in the line.

Quoted data stays data: an argument of `echo` or `grep`, or a here-document for `cat`, is not a command.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tacit.shell.builtin_effects import SETTING, effects
from tacit.shell.command import UNKNOWN, Command, Doubt, Redirect, Script, ShellWord, UnknownPart
from tacit.shell.control_flow import ControlFlowParser
from tacit.shell.embedded_commands import evaluated_subscripts, has_evaluated_subscript, substitutions_in
from tacit.shell.expand import Env
from tacit.shell.grammar_repairs import blanked, repaired, tree_of, with_braces_spread
from tacit.shell.line_continuations import join_lines
from tacit.shell.printed_output import output_of, together
from tacit.shell.redirections import fed_by
from tacit.shell.work_budget import MOST_WORK, affordable_start, exhausted, parse_work
from tacit.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_BYTES = 65_536
MOST_REMEMBERED = 4_096
MOST_PIECES = 100
MOST_DEPTH = 60
# Texts in which the grammar looks for no substitution.
_WHOLE = frozenset({"word", "regex", "extglob_pattern"})
_BODIES = frozenset({
    "program", "list", "compound_statement", "subshell", "do_group", "if_statement", "elif_clause", "else_clause",
    "while_statement", "case_statement", "case_item", "negated_command", "c_style_for_statement", "ERROR",
})  # fmt: skip
_SETS = lazy_pattern(r"=|\b(?:read|mapfile|readarray|printf|set|shift|unset)\b")


def parse(text: str, env: Env | None = None, fed: Command | None = None) -> Script:
    """Parse a text. What cannot be parsed becomes a doubt; what can be parsed is still returned.

    What `fed` prints is read by the commands of the text.
    """
    # The guard, a signature and a warning parse the same line one after the other; a recap, those of a session.
    plain = not env and fed is None and len(text) <= MOST_REMEMBERED
    return _remembered(text) if plain else _parsed(text, env, fed)


@lru_cache(256)
def _remembered(text: str) -> Script:
    return _parsed(text, None, None)


def _parsed(text: str, env: Env | None, fed: Command | None) -> Script:
    if len(text) > MOST_BYTES:
        return Script((), (Doubt(f"it is over {MOST_BYTES:,} characters", 0, len(text), "size"),))
    work = parse_work(text)
    if work > MOST_WORK:
        return Script(_parsed(affordable_start(text), env, fed).commands, (exhausted(0, len(text)),), work)
    joined = repaired(join_lines(blanked(text).encode(errors="replace"), tree_of))
    walk = _Walk(joined.source, dict(env or {}), work)
    walk.statement(joined.root, fed)
    walk.finish()
    if joined.root.has_error or not joined.is_complete:
        walk.doubts.append(Doubt("it is not well formed", 0, len(text)))
        if not walk.commands:
            walk.again_mended(work)
    if walk.is_spent:
        walk.doubts.append(exhausted(0, len(text)))
    return joined.restored(Script(tuple(walk.commands), tuple(walk.doubts), walk.work))


class _Walk(ControlFlowParser):
    """One pass over a tree, with the known variables on the way."""

    def __init__(self, source: bytes, env: Env, work: int) -> None:
        super().__init__(source, env)
        self.work = work
        self._depth = 0

    def finish(self) -> None:
        """Read what is left: functions that nothing called, and what reads from something unknown."""
        self.uncalled()
        self.feed(Command((UNKNOWN,)))

    def again_mended(self, work: int) -> None:
        """Parse again with an open quote closed, or with braces at the place of a command expanded."""
        for mended in (self.source + b"'", self.source + b'"', with_braces_spread(self.source)):
            root = tree_of(mended) if mended != self.source and self.spent(work) else None
            if root is not None and not root.has_error:
                self.source = mended
                self.statement(root)
                return

    # -- statements ---------------------------------------------------------------------------------------------

    def statement(self, node: Node, stdin: Command | None = None) -> list[Command]:
        """Read a statement; returns its last commands, whose output a pipe would read."""
        self._depth += 1
        try:
            if self._depth > MOST_DEPTH:
                self.doubts.append(Doubt("it is nested too deep", node.start_byte, node.end_byte, "depth"))
                return []
            return self._statement(node, stdin) if self.spent() else []
        finally:
            self._depth -= 1

    def _statement(self, node: Node, stdin: Command | None) -> list[Command]:
        match node.type:
            case "command" if not self.env:
                return self._command(node, stdin)
            case "command":
                return [one for _ in self.each_choice(node) for one in self._command(node, stdin)]
            case "pipeline":
                return self.pipeline(list(node.named_children), stdin)
            case "redirected_statement":
                return self._affected(self.redirected(node, stdin))
            case "variable_assignment" | "variable_assignments":
                for one in node.named_children if node.type == "variable_assignments" else [node]:
                    self.assign(one)
                return []
            case "declaration_command" | "unset_command":
                return self.declaration(node)
            case "function_definition":
                return self.function(node, stdin)
            case "for_statement":
                return self.loop(node, stdin)
            case "while_statement" if stdin is not None and "read" in self.text(node):
                return self.reading_loop(node, stdin)
            case "if_statement" | "case_statement":
                return self.branches(node, stdin)
            case "list":
                first, *rest = node.named_children
                return [*self.statement(first, stdin), *(one for part in rest for one in self.perhaps(part, stdin))]
            case "while_statement" | "c_style_for_statement":
                return [one for part in node.named_children for one in self.perhaps(part, stdin)]
            case "subshell":
                before = dict(self.env)
                found = self._body(node, stdin)
                self.env = before
                return found
            case kind if kind in _BODIES:
                return self._body(node, stdin)
        # A value: the word of a case, its labels, an operand of `[[ … ]]` or `(( … ))`.
        self.inside(node)
        return []

    def _body(self, node: Node, stdin: Command | None) -> list[Command]:
        found: list[Command] = []
        for child in node.named_children:
            if self.is_spent:
                break
            found += self.statement(child, stdin)
        return found

    def inside(self, node: Node) -> None:
        """Find the commands inside a value: substitutions run wherever they are."""
        if not self.spent():
            return
        if node.type in ("command_substitution", "process_substitution"):
            fed = Command((UNKNOWN,)) if self.text(node).startswith(">") else None
            for child in node.named_children:
                self.statement(child, fed)
            return
        if node.type in _WHOLE or (node.type == "raw_string" and has_evaluated_subscript(self.text(node))):
            self.embedded(self.text(node), node)
        if node.type in ("string", "word") and "\\" in self.text(node):
            made = self.words(node, splitting=False)
            if made and has_evaluated_subscript(made[0].text or ""):
                self.embedded(made[0].text or "", node)
        if node.type == "expansion" and "@P" in self.text(node):
            self.words(node)
        for child in node.named_children:
            if self.is_spent:
                break
            self.inside(child)

    def embedded(self, text: str, node: Node) -> None:
        """Find the commands inside a text that the grammar does not split."""
        for inner in substitutions_in(text):
            script = parse(inner, self.env)
            self.spent(script.work)
            self.commands += [c._replace(start=node.start_byte, end=node.end_byte) for c in script.commands]
            self.doubts += [d._replace(start=node.start_byte, end=node.end_byte) for d in script.doubts]

    def pipeline(self, parts: list[Node], stdin: Command | None) -> list[Command]:
        """Read the commands of a pipe; returns the last ones."""
        feeder, found = stdin, list[Command]()
        for part in parts:
            if self.is_spent:
                break
            # In some shells the last part runs in the shell itself.
            found = self.perhaps(part, feeder) if part is parts[-1] else self.apart(part, feeder)
            feeder = together(found)
        return found

    # -- commands -----------------------------------------------------------------------------------------------

    def _command(self, node: Node, stdin: Command | None) -> list[Command]:
        words: list[ShellWord] = []
        assigns: list[tuple[str, ShellWord]] = []
        redirects: list[Redirect] = []
        given: ShellWord | None = None
        before = dict(self.env)
        for child in node.children:
            if self.is_spent:
                break
            match child.type:
                case "variable_assignment":
                    assigns.append(self.assign(child))
                case "command_name":
                    # A leading assignment applies to the program, not to the words of this line.
                    self.env = before | {name: (UnknownPart(name + "="),) for name, _word in assigns}
                    words += self.words(child.children[0]) if child.children else []
                case "herestring_redirect":
                    given = self.joined(child.named_children)
                case "file_redirect":
                    self.redirect(child, words, redirects)
                case "subshell":
                    self.statement(child)
                    self.doubts.append(Doubt("a word is followed by parentheses", child.start_byte, child.end_byte))
                case _ if child.is_named and not self._is_descriptor(child):
                    words += self.words(child)
        self.env = before | {name: word.pieces for name, word in assigns} if assigns and not words else before
        for text in evaluated_subscripts(words):
            self.embedded(text, node)
        made = self._made(node, words, redirects, assigns, given, stdin)
        self.commands.append(made)
        self._affected([made])
        self.feed(made)
        return self.called(made, fed_by(given) if given is not None else stdin) or [made]

    def _affected(self, commands: list[Command]) -> list[Command]:
        """Note what builtins among some commands do to variables."""
        for command in commands:
            name = command.name
            if name in SETTING:
                self.set(effects(command, self.env))
            text = " ".join(word.text or "" for word in command.args) if name == "eval" else ""
            if text and _SETS.search(text) and self.spent(parse_work(text)):
                walk = _Walk(text.encode(errors="replace"), self.env, self.work)
                walk.statement(tree_of(walk.source))
                self.env, self.work = walk.env, walk.work
        return commands

    def _is_descriptor(self, node: Node) -> bool:
        """Return whether a word is the number of a redirection that follows it at once: `0< file`."""
        return self.source[node.end_byte : node.end_byte + 1] in (b"<", b">") and self.text(node).isdecimal()

    def _made(
        self, node: Node, words: list[ShellWord], redirects: list[Redirect], assigns: list[tuple[str, ShellWord]],
        given: ShellWord | None, feeder: Command | None,
    ) -> Command:  # fmt: skip
        read, piped = given, False
        if read is None and feeder is not None:
            read = output_of(feeder)
            # Each stage of a pipe may pass the whole text on.
            self.spent(len(read.shown) // 100 if read is not None else 1)
            piped = read is None or bool(read.holes)
        same_shell = bool(words) and words[0].text in ("eval", "trap")
        return Command(
            words=tuple(words), start=node.start_byte, end=node.end_byte, redirects=tuple(redirects),
            assigns=tuple(assigns), stdin=read, piped=piped, feeder=feeder,
            variables=dict(self.env) if same_shell else {},
        )  # fmt: skip

    def printed(self, node: Node) -> str | None:
        """Read a substitution; returns what it prints, if that is known."""
        before, self.env = self.env, dict(self.env)
        found = [one for child in node.named_children for one in self.statement(child)]
        self.env = before
        feeder = together(found)
        printed = output_of(feeder) if feeder is not None else None
        return printed.text if printed is not None else None
