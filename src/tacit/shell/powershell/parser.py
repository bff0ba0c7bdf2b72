"""From the text of a PowerShell line to the commands that it would run, wherever they are in it.

Only as much of the grammar as that takes: statements, pipelines, commands with their arguments, expressions with their
method calls, and the values of variables as far as they are known. What is not PowerShell is counted as an error.
"""

from __future__ import annotations

from tacit.shell.command import Command, Doubt, Redirect, ShellWord, literal
from tacit.shell.powershell.cmdlets import commands_of
from tacit.shell.powershell.expressions import REDIRECT, WORD, Expressions
from tacit.shell.powershell.names import POSIX_ONLY, canonical, is_sign
from tacit.shell.powershell.results import value_of_command
from tacit.shell.powershell.scanner import BARE_END, DASHES, DOUBLE, MOST_DEPTH, SINGLE
from tacit.shell.powershell.values import BLOCK, Arg, Values, spelled, unknown
from tacit.text.patterns import lazy_pattern

_PARAMETER = lazy_pattern(rf"[{DASHES}]([A-Za-z_?][\w-]*)(:?)")
_HEADED = frozenset({"if", "elseif", "while", "until", "switch", "for", "foreach", "catch", "trap", "param", "lock"})
_BLOCKS = frozenset({"else", "try", "finally", "do", "begin", "process", "end", "dynamicparam", "clean", "data"})
_FLOW = frozenset({"return", "throw", "exit", "break", "continue"})
_MANY = 8


class Parser(Expressions):
    """One pass over a text."""

    def statements(self, close: str = "") -> Values:
        """Read statements up to a closing mark, and return what the last one gives."""
        last: Values = ()
        while True:
            self.blank(lines=True)
            if not self.next or not self.spend():
                if close:
                    self.error()
                break
            if self.next == close:
                self.at += 1
                break
            begun = self.at
            last = self.statement()
            if self.at == begun:
                self.error()
                self.at += 1
        return last

    def group(self) -> Values:
        """Read statements up to a closing parenthesis."""
        return self.statements(")")

    def statement(self) -> Values:
        """Read one statement."""
        self.depth += 1
        values = self._one_statement() if self.is_shallow() else unknown()
        self.depth -= 1
        return values

    def _one_statement(self) -> Values:
        found = WORD.match(self.text, self.at)
        word = found[0].lower() if found else ""
        following = self.text[found.end() : found.end() + 1] if found else ""
        if following and following in "-.\\/:=":
            return self._pipeline()
        if word in _HEADED or word in _BLOCKS or word in ("function", "filter", "class", "enum", "workflow"):
            return self._compound(word, len(word))
        if word in _FLOW:
            self.at += len(word)
            self.blank()
            return self._pipeline() if self.next and self.next not in "\r\n;})" else ()
        if word == "using":
            self.at = (self.text.find("\n", self.at) + 1 or len(self.text) + 1) - 1
            return ()
        return self._pipeline()

    def _compound(self, word: str, length: int) -> Values:
        begun = self.at
        self.at += length
        self.blank(lines=True)
        while word == "switch" and (found := self.matched(_PARAMETER)):
            self.blank()
            if found[1].lower() in ("file", "f"):
                self.operand()
                self.blank()
        if word in ("function", "filter", "class", "enum", "workflow"):
            while self.next and self.next not in "({\r\n;|":
                self.at += 1
            self.blank(lines=True)
        headed = False
        while word == "catch" and self.next == "[":
            self.type()
            self.blank(lines=True)
            self.took(",")
            self.blank(lines=True)
        if self.took("("):
            headed = True
            self._head() if word == "foreach" else self.call_args()
            after = self.at
            self.blank(lines=True)
            if self.next != "{":
                self.at = after
        if self.next == "{":
            self.signs += word not in ("function", "filter", "enum", "class")
            self.block()
            self._after_block(word)
        elif not (word == "param" and headed):
            # A program with the name of a keyword, as in a shell: `if [ -f x ]; then`.
            self.error()
            if not headed:
                self.at = begun
                return self._command(None)[0]
        return ()

    def _after_block(self, word: str) -> None:
        """Read the condition of `do { … } while (…)`; another keyword may follow on the next line."""
        after = self.at
        self.blank(lines=True)
        ends = WORD.match(self.text, self.at)
        if word == "do" and ends and ends[0].lower() in ("while", "until"):
            self.at = ends.end()
            self.blank(lines=True)
            self.call_args() if self.took("(") else self.error()
        elif ends is None:
            self.at = after

    def _head(self) -> None:
        """Read `$item in $list` of a loop."""
        self.blank(lines=True)
        name = self.variable_name()
        self.blank(lines=True)
        if not name or not (found := self.matched(WORD)) or found[0].lower() != "in":
            self.error()
        self._calls += 1  # its value is no statement
        items = self.statements(")")
        self._calls -= 1
        last = self.commands[-1] if self.commands else None
        if len(items) == 1 and last is not None and items[0].holes and last.name in ("ls", "find"):
            items = items[:1]
        self.variables[name.lower()] = items if 0 < len(items) <= _MANY else unknown()

    def _pipeline(self) -> Values:
        values, feeder = self._element(None, ())
        while self.spend():
            self.blank()
            if self.starts("||") or self.starts("&&"):
                self.at += 2
                self.blank(lines=True)
                values, feeder = self._element(None, ())
            elif self.took("|"):
                self.blank(lines=True)
                values, feeder = self._element(feeder, values)
            else:
                self.took("&")
                break
        return values

    def _element(self, feeder: Command | None, fed: Values) -> tuple[Values, Command | None]:
        letter = self.next
        if letter == "&" or (letter == "." and self.text[self.at + 1 : self.at + 2] in (" ", "\t")):
            self.signs += letter == "&"
            self.at += 1
            self.blank()
            if self.next == "{":
                return self.block(), feeder
            return self._command(feeder, fed, called=True)
        if letter in "%?" and letter:
            return self._command(feeder, fed)
        if self.is_expression():
            # In another shell, a block or parentheses at the beginning of a statement run what is in them.
            self.errors += letter == "{" and feeder is None
            return self.expression(), None
        if letter in ")}|" or not letter:
            return (), None
        return self._command(feeder, fed)

    def _command(
        self, feeder: Command | None, fed: Values = (), *, called: bool = False
    ) -> tuple[Values, Command | None]:
        """Read a command with its arguments."""
        begun = self.at
        if called and self.next and (self.next in "$(" or self.next in SINGLE or self.next in DOUBLE):
            names = self.operand()
        else:
            names = (self.bare(),)
            # In another shell, this is the output of a command.
            self.errors += "`" in self.text[begun : self.at]
        word = names[0] if len(names) == 1 else ShellWord(unknown()[0].pieces)
        if names == BLOCK:
            self._args("")
            return unknown(), feeder
        text = word.text
        name = canonical(self.aliases.get((text or "").lower(), text or "")) if text is not None else ""
        if not called and text is not None:
            self._noted(text)
        each = name in ("foreach-object", "where-object")
        before = self.variables.get("_")
        # What a block of `ForEach-Object` is given: something of what the command before it gives.
        self.variables["_"] = self.variables["psitem"] = fed if each and 0 < len(fed) <= _MANY else unknown()
        args, redirects = self._args(name)
        self.variables["_"] = self.variables["psitem"] = before if before is not None else unknown()
        found = commands_of(name or "", word, args, redirects, feeder, fed)
        self.signs += found.signs
        self.doubts += found.doubts
        made = [one._replace(start=begun, end=self.at) for one in found.commands]
        self.commands += made
        self.work += len(args) + len(made)
        if found.alias is not None:
            self.aliases[found.alias[0]] = found.alias[1]
        if found.text is not None:
            self.run_again(found.text)
        last = made[-1] if made else feeder
        return value_of_command(name, args, fed, self.text[begun : self.at]), last

    def _noted(self, text: str) -> None:
        low = text.lower()
        if is_sign(text) and low not in self.aliases:
            self.signs += 1
        if low in POSIX_ONLY or "=" in text or text in ("[", "[[", "]]"):
            self.error()

    def run_again(self, word: ShellWord) -> None:
        """Read a text that PowerShell runs as a line of its own."""
        text = word.text
        if text is None:
            if not word.head.strip() or any(not hole.name for hole in word.holes):
                self.doubts.append(Doubt("what it runs is unknown", self.at, self.at))
            text = spelled(word)
        if self.depth >= MOST_DEPTH or not self.spend():
            self.doubts.append(Doubt("it is nested too deep", self.at, self.at, "depth"))
            return
        inner = Parser(text)
        inner.variables, inner.aliases = self.variables, self.aliases
        inner.depth, inner.work = self.depth + 1, self.work
        inner.statements()
        self.work = inner.work + len(text) // 8
        self.commands += inner.commands
        self.doubts += inner.doubts
        if inner.errors:
            self.doubts.append(Doubt("it is not well formed", self.at, self.at))

    def _args(self, name: str) -> tuple[list[Arg], list[Redirect]]:
        args: list[Arg] = []
        redirects: list[Redirect] = []
        joins = False
        while self.spend():
            self.blank()
            letter = self.next
            if not letter or letter in "\r\n;|)}#" or letter == "&":
                break
            if self.took(","):
                joins = True
                self.blank(lines=True)
                continue
            if (found := REDIRECT.match(self.text, self.at)) is not None:
                self.at = found.end()
                self.redirected(redirects, found[0], found[1])
                continue
            if letter == "<":
                self.error()
                self.at += 1
                continue
            if self.starts("--%"):
                end = next((n for n in range(self.at, len(self.text)) if self.text[n] in "\r\n|"), len(self.text))
                args += [Arg("", (literal(one),)) for one in self.text[self.at + 3 : end].split()]
                self.at = end
                break
            one = self._arg(name)
            if joins and args and not one.name:
                args[-1] = args[-1]._replace(values=(*args[-1].values, *one.values))
            else:
                args.append(one)
            joins = False
        return args, redirects

    def _arg(self, name: str) -> Arg:
        letter = self.next
        if letter == "{":
            begun = self.at
            self.block()
            self.signs += name in ("foreach-object", "where-object")
            return Arg("", unknown(), block=self.text[begun : self.at])
        if letter in DASHES and (found := _PARAMETER.match(self.text, self.at)):
            end = found.end()
            plain = not found[2] or self.text[end : end + 1] not in "\\/"
            if plain and (end >= len(self.text) or self.text[end] in BARE_END or found[2]):
                self.at = end
                if not found[2]:
                    return Arg(found[1].lower(), raw=found[0])
                self.blank()
                return Arg(found[1].lower(), self.operand_or_bare(), raw=found[0])
        if letter == "@" and WORD.match(self.text, self.at + 1):
            self.at += 1
            self.matched(WORD)
            return Arg("", unknown(), splat=True)
        return Arg("", self.operand_or_bare())
