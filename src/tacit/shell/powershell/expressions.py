"""Expressions of PowerShell: values, operators, members, and the commands in them."""

from __future__ import annotations

import re

from tacit.shell.command import Command, Doubt, Redirect, ShellWord, literal
from tacit.shell.powershell.members import called, method_value, static_called
from tacit.shell.powershell.paths import posix_path
from tacit.shell.powershell.scanner import BARE_END, DASHES, DOUBLE, MOST_DEPTH, SINGLE, Scanner
from tacit.shell.powershell.values import AUTOMATIC, BLOCK, Values, added, unknown
from tacit.text.patterns import lazy_pattern

WORD = lazy_pattern(r"[A-Za-z_]\w*")
_NUMBER = lazy_pattern(r"(?:0x[0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(?:[dlun]|[kmgtp]b)*(?![\w\\/:@-])", 2)
_TYPE = lazy_pattern(r"\[\s*([A-Za-z_][\w.`+]*)\s*(?:\[|\]|\()")
_OPERATOR = lazy_pattern(rf"[{DASHES}]([a-zA-Z]+)")
REDIRECT = lazy_pattern(r"(?:[1-6*])?>>?(?:&([1-2]))?")
_ASSIGN = lazy_pattern(r"(\?\?|[+*/%-])?=(?!=)")
_SYMBOL = lazy_pattern(r"\.\.|\+\+|--|\?\?|[+*/%?:!-]")
_OPERATORS = frozenset({
    "eq", "ne", "gt", "ge", "lt", "le", "like", "notlike", "match", "notmatch", "contains", "notcontains", "in",
    "notin", "replace", "split", "join", "is", "isnot", "as", "f", "and", "or", "xor", "not", "band", "bor", "bxor",
    "bnot", "shl", "shr",
})  # fmt: skip
_PLAIN = frozenset(f"{case}{name}" for name in _OPERATORS for case in ("", "c", "i"))


class Expressions(Scanner):
    """Reads expressions; what a statement is, and a text that is run as a line, is left to the parser."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.commands: list[Command] = []
        self.doubts: list[Doubt] = []
        self.aliases: dict[str, str] = {}
        self._blocks = 0
        self._calls = 0
        self._assigned_at = -1

    def statements(self, close: str = "") -> Values:
        """Read statements up to a closing mark."""
        raise NotImplementedError("a parser reads statements")

    def statement(self) -> Values:
        """Read one statement."""
        raise NotImplementedError("a parser reads statements")

    def run_again(self, word: ShellWord) -> None:
        """Read a text that PowerShell runs as a line of its own."""
        raise NotImplementedError("a parser reads texts")

    def is_shallow(self) -> bool:
        """Return whether the depth is bearable; else the rest is not read, and that is a doubt."""
        if self.depth <= MOST_DEPTH:
            return True
        self.doubts.append(Doubt("it is nested too deep", self.at, len(self.text), "depth"))
        self.at = len(self.text)
        return False

    def block(self) -> Values:
        """Read a script block, and return what it gives."""
        self.at += 1
        self._blocks += 1
        found = self.statements("}")
        self._blocks -= 1
        return found

    def is_expression(self) -> bool:
        """Return whether an expression comes next."""
        letter = self.next
        if letter and (letter in "$(@[{!,+" or letter in SINGLE or letter in DOUBLE):
            return True
        if letter.isdigit():
            return bool(_NUMBER.match(self.text, self.at))
        return bool(letter) and letter in DASHES

    def redirected(self, redirects: list[Redirect], operator: str, copied: str) -> None:
        """Read the file of a redirection."""
        if copied:
            return
        self.blank()
        begun = self.at
        target = self.operand_or_bare()
        if self.text[begun : self.at].lower() == "$null":
            self.signs += 1
            return
        redirects += [Redirect(">>" if ">>" in operator else ">", word) for word in target]

    def operand_or_bare(self) -> Values:
        """Read an argument."""
        letter = self.next
        if letter in ("(", "@", "[") or (letter == "$" and self.text[self.at + 1 : self.at + 2] == "("):
            if letter == "[" or (letter == "@" and self.text[self.at + 1 : self.at + 2] not in "({'\""):
                return (self.bare(),)
            values = self.operand()
            return values if not self.next or self.next in BARE_END else added(values, (self.bare(),))
        if letter == "$":
            values = self.operand()
            if not self.next or self.next in BARE_END:
                return values
            return added(values, (self.bare(),))
        return (self.bare(),)

    def expression(self) -> Values:
        """Read an expression, or an assignment."""
        begun = self.at
        name = self.variable_name()
        if name:
            self.blank()
            if found := self.matched(_ASSIGN):
                return self._assigned(name, found[1] or "", begun)
            self.at = begun
        left = self.operand()
        after = self.at
        self.blank()
        if (not self.next or self.next in "\r\n;|)}&#") and self._is_program(begun, after, name, left):
            self.error()
        return self._operators(left, begun)

    def _is_program(self, begun: int, end: int, name: str, value: Values) -> bool:
        """Return whether another shell would run a statement's value: what a variable or a substitution names.

        Not what is first in a block, as there it is an argument of the command before.
        """
        if self._calls or begun == self._assigned_at or self.text[max(0, begun - 200) : begun].rstrip()[-1:] == "{":
            return False
        text = self.text[begun:end]
        if text.startswith("${") or text == f"${name}":
            low = name.lower()
            return low == "_" or (low not in self.variables and low not in AUTOMATIC and ":" not in name)
        if text[:1] in DOUBLE or text.startswith("$("):
            return not any(isinstance(piece, str) and piece for word in value for piece in word.pieces)
        return False

    def _assigned(self, name: str, operator: str, begun: int) -> Values:
        self.signs += 1
        self.blank(lines=True)
        value: Values = ()
        self._assigned_at = self.at
        if self.next == "{":
            value = self.operand()
        elif self.next and self.next not in ")}":
            value = self.statement()
        low = name.lower()
        if operator == "+":
            value = added(self.variables.get(low, ()), value)
        elif operator:
            value = unknown()
        if sum(len(word.pieces) for word in value) > 100 or sum(len(word.text or "") for word in value) > 10_000:
            value = unknown()
        self.variables[low] = value or unknown()
        if low.startswith("env:"):
            word = value[0] if len(value) == 1 else ShellWord(unknown()[0].pieces)
            key = name[4:]
            shown = ShellWord((f"{key}=", *word.pieces))
            known = ((key, word),) if word.text is not None else ()
            self.commands.append(Command((literal("export"), shown), begun, self.at, assigns=known))
        return ()

    def _operators(self, left: Values, begun: int) -> Values:
        while self.spend():
            self.blank()
            letter = self.next
            if not letter or letter in "\r\n;|)}]&#":
                return left
            if self.matched(_ASSIGN):
                # A member or an element: `$x.y = …`.
                self.signs += 1
                self.blank(lines=True)
                if self.next and self.next not in ")}":
                    self.statement()
                return ()
            if self.took(","):
                self.blank(lines=True)
                left = (*left, *self.operand())
            elif letter == "{":
                # A clause of `switch`.
                self.errors += self._blocks == 0
                self.block()
                return ()
            elif (found := REDIRECT.match(self.text, self.at)) is not None:
                self._written(found, begun)
            elif (found := _OPERATOR.match(self.text, self.at)) and found[1].lower() in _PLAIN:
                self.at = found.end()
                self.blank(lines=True)
                self.operand()
                left = unknown(self.text[begun : self.at])
            elif (found := _SYMBOL.match(self.text, self.at)) and not self._is_flag():
                self.at = found.end()
                self.blank(lines=True)
                if found[0] in ("++", "--"):
                    continue
                right = self.operand()
                left = added(left, right) if found[0] == "+" else unknown(self.text[begun : self.at])
            else:
                self.error()
                if not self.bare().shown:
                    return left
        return left

    def _written(self, found: re.Match[str], begun: int) -> None:
        self.at = found.end()
        redirects: list[Redirect] = []
        self.redirected(redirects, found[0], found[1])
        written = tuple(Redirect(one.operator, posix_path(one.target)) for one in redirects)
        self.commands += [Command((), begun, self.at, redirects=written)] if written else []

    def _is_flag(self) -> bool:
        return self.next in DASHES and self.text[self.at + 1 : self.at + 2].isalpha()

    def operand(self) -> Values:
        """Read one value with the members that are asked of it."""
        begun = self.at
        letter = self.next
        if not letter or not self.spend():
            return ()
        self.depth += 1
        values = unknown()
        if self.is_shallow():
            values = self._primary(letter)
            values = self._members(values, begun) if letter != "{" else values
        self.depth -= 1
        return values

    def _primary(self, letter: str) -> Values:
        begun = self.at
        if letter in SINGLE:
            return (ShellWord((self.single(),), quoted=True),)
        if letter in DOUBLE:
            return (self.double()._replace(quoted=True),)
        if letter == "$":
            if self.took("$("):
                return self.statements(")") or unknown(self.text[begun : self.at])
            if name := self.variable_name():
                return self.value_of(name)
            self.at += 1
            return unknown()
        if letter == "(":
            self.at += 1
            return self.statements(")") or unknown(self.text[begun : self.at])
        if letter == "@":
            return self._at_sign()
        if letter == "{":
            self.block()
            return BLOCK
        if letter == "[":
            return self.type()
        if letter in "!,+" or letter in DASHES:
            if (found := _OPERATOR.match(self.text, self.at)) and found[1].lower() not in _PLAIN:
                self.error()
            self.at = found.end() if found else self.at + 1
            self.blank(lines=True)
            self.operand()
            return unknown(self.text[begun : self.at])
        if found := self.matched(_NUMBER):
            return (literal(found[0]),)
        if letter in ")}];|\r\n":
            self.error()
            return unknown()
        self.error()
        return (self.bare(),) if letter not in BARE_END else unknown()

    def _at_sign(self) -> Values:
        begun = self.at
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(":
            self.signs += 1
            self.at += 2
            return self.statements(")")
        if following == "{":
            self.signs += 1
            self.at += 2
            self._table()
            return unknown(self.text[begun : self.at])
        if following and following in "'\"":
            return (self.here_string(),)
        self.error()
        self.at += 1
        return unknown()

    def _table(self) -> None:
        """Read the entries of a table: `name = value`."""
        while self.spend():
            self.blank(lines=True)
            if not self.next:
                self.error()
                return
            if self.took("}"):
                return
            begun = self.at
            if self.is_expression():
                self.operand()
            else:
                while self.next and self.next not in " \t=}\r\n;":
                    self.at += 1
            self.blank()
            if self.took("="):
                self.blank(lines=True)
                self.statement()
            else:
                self.error()
                self.at += self.at == begun

    def type(self) -> Values:
        """Read `[Type]`: of a cast, of a static member, or an attribute."""
        begun = self.at
        found = _TYPE.match(self.text, self.at)
        if not found:
            self.error()
            self.at += 1
            return unknown()
        depth = 0
        while self.next and (depth or self.at == begun):
            depth += {"[": 1, "]": -1}.get(self.next, 0)
            self.at += 1
            if not depth:
                break
        name = found[1]
        if self.took("::"):
            self.signs += 1
            return self._static(name, begun)
        self.blank()
        if self.next and (self.next in "$([@{" or self.next in SINGLE or self.next in DOUBLE or self.next.isdigit()):
            self.signs += 1
            values = self.operand()
            return (
                values
                if name.lower() in ("string", "int", "array", "string[]", "object[]")
                else (values if name.lower() in ("scriptblock", "regex") else unknown(self.text[begun : self.at]))
            )
        return unknown(self.text[begun : self.at])

    def _static(self, type_name: str, begun: int) -> Values:
        found = self.matched(WORD)
        if not found:
            self.error()
            return unknown()
        if not self.took("("):
            return unknown(self.text[begun : self.at])
        args = self.call_args()
        self._made(static_called(type_name, found[0], args), begun)
        return method_value(type_name, found[0], args, self.text[begun : self.at])

    def call_args(self) -> Values:
        """Read the arguments of a method, up to its closing parenthesis."""
        self.blank(lines=True)
        if self.took(")"):
            return ()
        # No other shell reads such parentheses.
        self._calls += 1
        values = self.statements(")")
        self._calls -= 1
        return values

    def _members(self, values: Values, begun: int) -> Values:
        while self.next and self.spend():
            if self.next == "[" and self.at > begun:
                self.at += 1
                self._calls += 1
                self.statements("]")
                self._calls -= 1
                values = unknown(self.text[begun : self.at])
            elif self.starts("::") or (self.next == "." and self._names_member()):
                self.at += 2 if self.starts("::") else 1
                values = self._member(values, begun)
            elif self.starts("++") or self.starts("--"):
                self.at += 2
            else:
                break
        return values

    def _names_member(self) -> bool:
        following = self.text[self.at + 1 : self.at + 2]
        return following.isalpha() or following in ("_", "$", "(", "'", '"')

    def _member(self, values: Values, begun: int) -> Values:
        found = self.matched(WORD)
        name = found[0] if found else ""
        if not found:
            named = self._primary(self.next)
            name = (named[0].text or "") if len(named) == 1 else ""
        if self.next == "{" and name.lower() in ("foreach", "where"):
            self.block()
            return unknown()
        if not self.took("("):
            path = name.lower() in ("fullname", "name", "pspath", "path", "psobject", "value", "providerpath", "trim")
            return values if path else unknown(self.text[begun : self.at])
        args = self.call_args()
        self._made(called(values, name, args, self.text[begun : self.at]), begun)
        return method_value("", name, args or values, self.text[begun : self.at])

    def _made(self, made: tuple[list[Command], ShellWord | None, list[Doubt]], begun: int) -> None:
        commands, text, doubts = made
        self.commands += [one._replace(start=begun, end=self.at) for one in commands]
        self.doubts += [one._replace(start=begun, end=self.at) for one in doubts]
        if text is not None:
            self.run_again(text)
