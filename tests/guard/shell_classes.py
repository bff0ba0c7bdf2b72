"""Makes lines of one class: forms of the shell with a payload put in, in many spellings.

A form is a line with marks: `«p»` is the payload, `«q:…»` the text quoted for the shell, `«?a¦b»` one of several,
`⏎` a new line, `⇥` a tab. Every other mark is in `MARKS`. The same form with a harmless payload is a harmless line.
"""

from __future__ import annotations

import base64
import codecs
import gzip
import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Payloads(NamedTuple):
    """Commands to put into a form: any, ones whose words need no shell, and ones that end with a path."""

    any: tuple[str, ...]
    words: tuple[str, ...]
    paths: tuple[str, ...]
    files: tuple[str, ...]
    trees: tuple[str, ...]


HARMFUL = Payloads(
    any=(
        "rm -rf ~", "rm -rf /etc", "rm -fr ~/", "rm -r -f /usr", "git push --force", "git push -f origin main",
        "shred -u prod.db", "dd if=/dev/zero of=/dev/sda", "dd of=/dev/sda", "git reset --hard", "mkfs.ext4 /dev/sda1",
        "git clean -fdx", "rm -rf /var/lib/mysql", "chmod -R 000 /etc", "find / -delete", "truncate -s 0 prod.db",
    ),
    words=(
        "rm -rf /etc", "rm -r -f /usr", "rm -fr /var/lib/mysql", "git push --force", "git push -f origin main",
        "shred -u prod.db", "dd if=/dev/zero of=/dev/sda", "git reset --hard", "mkfs.ext4 /dev/sda1", "git clean -fdx",
    ),
    paths=(
        "rm -rf /etc", "rm -r -f /usr", "rm -fr /var/lib", "shred -u /srv/prod.db", "chmod -R 000 /etc",
        "rm -rf /srv/data", "rm -rf /home/ann", "truncate -s 0 /srv/prod.db",
    ),
    files=("/etc/passwd", "/dev/sda", "/etc/sudoers", "/etc/fstab", "/dev/nvme0n1"),
    trees=("/etc", "/usr", "/var/lib/mysql", "/srv/data", "/boot", "/opt/app"),
)  # fmt: skip

HARMLESS = Payloads(
    any=(
        "echo hi", "ls -la", "git status", "cat README.md", "date", "pwd", "wc -l README.md", "git log --oneline -5",
        "git diff --stat", "ls src", "uname -a", "head -5 README.md",
    ),
    words=("echo hi", "ls -la", "git status", "cat README.md", "wc -l README.md", "git log --oneline", "ls src"),
    paths=("ls -la /etc", "cat ./README.md", "wc -l src/main.py", "stat /etc/hosts", "head -5 ./README.md",
           "ls -d ./src"),
    files=("out.txt", "build/all.log", "/tmp/x.txt", "notes.txt"),
    trees=("node_modules", "dist", "/tmp/x", "__pycache__", ".pytest_cache"),
)  # fmt: skip


class ShellClass(NamedTuple):
    """One way in which a line runs what it does not seem to run."""

    name: str
    forms: tuple[str, ...]  # a command runs; harmless where the command is
    doubtful: dict[str, tuple[str, ...]]  # the same, but the form alone justifies a question; reason: forms
    everyday: tuple[str, ...]  # harmless lines that look alike
    quiet: tuple[str, ...] = ()  # forms of harmless lines, where no payload makes `forms` harmless


class Member(NamedTuple):
    """A line, and the form it was made of."""

    form: str
    line: str


# --- Reading a form -------------------------------------------------------------------------------------------------

Parts = list["str | Mark"]


class Mark(NamedTuple):
    """A mark of a form: its name, and what stands inside (several for a choice)."""

    name: str
    inside: list[Parts]


def read_form(form: str) -> Parts:
    """Read a form into texts and marks."""
    text = form.replace("⏎", "\n").replace("⇥", "\t")
    parts, end = _parts(text, 0, "")
    assert end == len(text), f"a bracket is open in {form!r}"
    return parts


def _parts(text: str, start: int, ends: str) -> tuple[Parts, int]:
    parts: Parts = []
    at = start
    while at < len(text) and text[at] not in ends:
        if text[at] == "«":
            mark, at = _mark(text, at + 1)
            parts.append(mark)
            continue
        stop = at
        while stop < len(text) and text[stop] not in ends + "«":
            stop += 1
        parts.append(text[at:stop])
        at = stop
    return parts, at


def _mark(text: str, at: int) -> tuple[Mark, int]:
    if text[at] == "?":
        inside = []
        while text[at] != "»":
            one, at = _parts(text, at + 1, "¦»")
            inside.append(one)
        return Mark("?", inside), at + 1
    stop = at
    while text[stop] not in ":»":
        stop += 1
    if text[stop] == "»":
        return Mark(text[at:stop], []), stop + 1
    one, end = _parts(text, stop + 1, "»")
    return Mark(text[at:stop], [one]), end + 1


def marks_in(parts: Parts) -> Iterator[str]:
    """Return the names of all marks of a form."""
    for part in parts:
        if isinstance(part, Mark):
            yield part.name
            for inside in part.inside:
                yield from marks_in(inside)


# --- Quoting --------------------------------------------------------------------------------------------------------


def single(text: str) -> str:
    """Quote for the shell, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    """Quote for the shell, in double quotes, so that nothing is expanded."""
    return '"' + "".join("\\" + c if c in '\\"$`' else c for c in text) + '"'


def _posix(text: str, rng: random.Random) -> str:
    escaped = "".join("\\" + c if c in " '\"$`\\()<>|&;*?[]#~{}!=" else c for c in text)
    ways = [single(text), single(text), double(text)] + ([escaped] if "\n" not in text and "\t" not in text else [])
    return rng.choice(ways)


def _ansi_c(text: str, rng: random.Random) -> str:
    def one(char: str) -> str:
        if char in "\\'":
            return "\\" + char
        if not char.isascii() or not rng.random() < 0.3:
            return char
        return rng.choice((f"\\x{ord(char):02x}", f"\\{ord(char):03o}", f"\\u{ord(char):04x}"))

    return "$'" + "".join(map(one, text)) + "'"


def _mangled(text: str, rng: random.Random) -> str:
    """Spell every word of a command in another way; the shell takes the quotes away."""

    def word(plain: str) -> str:
        at = rng.randrange(1, len(plain)) if len(plain) > 1 else 0
        a, b = plain[:at], plain[at:]
        return rng.choice(
            (plain, plain, f"{a}''{b}", f'{a}""{b}', f"{a}\\{b}", f'"{a}"{b}', f"'{a}'{b}", _ansi_c(plain, rng),
             f"{a}$''{b}", f"{a}\\\n{b}", f'{a}"{b}"', f'$"{plain}"', f"{a}$@{b}", f"{a}${{nope}}{b}")
        )  # fmt: skip

    return rng.choice((" ", "  ", "\t", " \\\n ")).join(map(word, text.split(" ")))


PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def _delimited(text: str, rng: random.Random, opening: str) -> str:
    fits = [c for c in opening if c not in text and PAIRS.get(c, c) not in text]
    first = rng.choice(fits)
    return first + text + PAIRS.get(first, first)


def _cut(text: str, rng: random.Random) -> tuple[str, str]:
    at = rng.randrange(1, len(text))
    return text[:at], text[at:]


def _perl(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice(
        (f'"{text}"', "q" + _delimited(text, rng, "([{</!|,#"), "q" + _delimited(text, rng, "([{<"),
         "qq" + _delimited(text, rng, "([{<!|"), "q " + _delimited(text, rng, "([{<"), f'"{a}"."{b}"',
         f"q({a}).q({b})", f'join(" ",qw({text}))')
    )  # fmt: skip


def _perl_computed(text: str, rng: random.Random) -> str:
    return rng.choice((f'pack("H*","{text.encode().hex()}")', f'scalar reverse("{text[::-1]}")'))


def _ruby(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice(
        (f'"{text}"', "%q" + _delimited(text, rng, "([{<!|"), "%Q" + _delimited(text, rng, "([{<|"),
         "%" + _delimited(text, rng, "([{<|"), f'"{a}"+"{b}"', f'"{a}" "{b}"', f'%w[{text}].join(" ")')
    )  # fmt: skip


def _ruby_computed(text: str, rng: random.Random) -> str:
    return rng.choice((f'"{text[::-1]}".reverse', f'["{text.encode().hex()}"].pack("H*")'))


def _php(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice((f'"{text}"', f'"{text}"', f'"{a}"."{b}"', f"<<<E\n{text}\nE", f'<<<"E"\n{text}\nE'))


def _php_computed(text: str, rng: random.Random) -> str:
    coded = base64.b64encode(text.encode()).decode()
    return rng.choice((f'base64_decode("{coded}")', f'strrev("{text[::-1]}")', f'hex2bin("{text.encode().hex()}")'))


def _python(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice(
        (f'"{text}"', f'"{text}"', f'"""{text}"""', f'r"{text}"', f'"{a}" "{b}"', f'"{a}"+"{b}"',
         f'" ".join({json.dumps(text.split(" "))})')
    )  # fmt: skip


def _python_computed(text: str, rng: random.Random) -> str:
    coded = base64.b64encode(text.encode()).decode()
    return rng.choice(
        (f'"{text[::-1]}"[::-1]', f'bytes.fromhex("{text.encode().hex()}").decode()',
         f'__import__("base64").b64decode("{coded}").decode()')
    )  # fmt: skip


def _node(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice((f'"{text}"', f"`{text}`", f'"{a}"+"{b}"', f'{json.dumps(text.split(" "))}.join(" ")'))


def _node_computed(text: str, rng: random.Random) -> str:
    (a, b), coded = _cut(text, rng), base64.b64encode(text.encode()).decode()
    return rng.choice(
        (f'`${{"{a}"}}{b}`', f'Buffer.from("{coded}","base64").toString()',
         f'"{text[::-1]}".split("").reverse().join("")')
    )  # fmt: skip


def _lua(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice((f'"{text}"', f"[[{text}]]", f"[==[{text}]==]", f'"{a}".."{b}"'))


def _lua_computed(text: str, rng: random.Random) -> str:
    return rng.choice((f'("{text[::-1]}"):reverse()', f"string.char({','.join(str(ord(c)) for c in text)})"))


def _awk(text: str, rng: random.Random) -> str:
    a, b = _cut(text, rng)
    return rng.choice((f'"{text}"', f'"{a}" "{b}"', f'("{a}" "{b}")'))


def _c_string(text: str, rng: random.Random) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _abbreviated(text: str, rng: random.Random) -> str:
    """Cut an option anywhere after `~`, which stands after as much of it as no other option begins with."""
    least, _, more = text.partition("~")
    return least + more[: rng.randrange(len(more) + 1)]


def _rot13(text: str, rng: random.Random) -> str:
    return codecs.encode(text, "rot13")


def _gzip(text: str, rng: random.Random) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


# A mark with a text inside, and what it makes of the text.
MARKS: dict[str, Callable[[str, random.Random], str]] = {
    "q": _posix,
    "sq": lambda text, _: single(text),
    "dq": lambda text, _: double(text),
    "aq": _ansi_c,
    "mangle": _mangled,
    "perl": _perl,
    "perlx": _perl_computed,
    "ruby": _ruby,
    "rubyx": _ruby_computed,
    "php": _php,
    "phpx": _php_computed,
    "py": _python,
    "pyx": _python_computed,
    "js": _node,
    "jsx": _node_computed,
    "lua": _lua,
    "luax": _lua_computed,
    "awk": _awk,
    "str": _c_string,
    "rev": lambda text, _: text[::-1],
    "rot13": _rot13,
    "b64": lambda text, _: base64.b64encode(text.encode()).decode(),
    "b32": lambda text, _: base64.b32encode(text.encode()).decode(),
    "gz": _gzip,
    "hex": lambda text, _: text.encode().hex(),
    "x": lambda text, _: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "oct": lambda text, _: "".join(f"\\{byte:03o}" for byte in text.encode()),
    "up": lambda text, _: text.upper(),
    "comma": lambda text, _: text.replace(" ", ","),
    "plus": lambda text, _: text.replace(" ", "+"),
    "colon": lambda text, _: text.replace(" ", ":"),
    "ifs": lambda text, rng: text.replace(" ", rng.choice(("${IFS}", "$IFS", "${IFS:0:1}", "${IFS%??}")) + "''"),
    "list": lambda text, _: ",".join(f'"{word}"' for word in text.split(" ")),
    "strings": lambda text, _: " ".join(f'"{word}"' for word in text.split(" ")),
    "perlq": lambda text, rng: _delimited(text, rng, "([{<!|"),
    "rubyq": lambda text, rng: _delimited(text, rng, "([{<!|"),
    "ab": lambda text, rng: _abbreviated(text, rng),
    "percent": lambda text, _: text.replace("%", "%%").replace(" ", "% "),
}  # fmt: skip

NAMES = ("x", "cmd", "v", "tmp", "line", "job", "todo", "arg", "step", "name_1", "opts", "A")
OTHERS = ("y", "ref", "target", "out", "w", "data2", "inner", "B")
FUNCTIONS = ("f", "go", "helper", "run_it", "build", "deploy", "ll", "lint")
ALIASES = ("st", "go", "tidy", "up", "lg", "sync-all")
DELIMITERS = ("EOF", "E", "END", "__EOF__", "SH", "_", "STOP", "eof1")
FIRST = ("", "", "", "sudo ", "sudo -n ", "env A=1 ", "env ", "timeout 5 ", "timeout -k 1 5s ", "nohup ", "nice ",
         "nice -n 5 ", "command ", "setsid -w ", "stdbuf -oL ", "FOO=1 ", "time ")  # fmt: skip
# Ones that keep the open files of the shell, so that <(…) can still be read.
FIRST_KEEPING = ("", "", "env A=1 ", "timeout 5 ", "nice -n 5 ", "command ", "stdbuf -oL ", "FOO=1 ")
SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash", "dash", "bash -s", "sh -")
AROUND = ("«L»", "«L»", "«L»", "«L»", "true; «L»", "cd . ; «L»", ":⏎«L»", "  «L»", "bash -c «q:«L»»", "eval «q:«L»»")


def _fill(parts: Parts, values: dict[str, str], rng: random.Random) -> str:
    made = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
        elif part.name == "?":
            made.append(_fill(rng.choice(part.inside), values, rng))
        elif part.inside:
            made.append(MARKS[part.name](_fill(part.inside[0], values, rng), rng))
        elif part.name == "w":
            made.append(rng.choice(FIRST))
        elif part.name == "k":
            made.append(rng.choice(FIRST_KEEPING))
        elif part.name == "sh":
            made.append(rng.choice(SHELLS))
        else:
            made.append(values[part.name])
    return "".join(made)


WORDS = {"words", "head", "last", "prog", "rest", "list", "mangle", "up", "ifs"}
PATHS = {"path", "dir", "base"}


def make(form: str, payloads: Payloads, rng: random.Random) -> str:
    """Make one line of a form."""
    parts = read_form(form)
    names = set(marks_in(parts))
    pool = payloads.paths if names & PATHS else payloads.words if names & WORDS else payloads.any
    payload = rng.choice(pool)
    head, _, last = payload.rpartition(" ")
    program, _, rest = payload.partition(" ")
    folder, _, base = last.rpartition("/")
    values = {
        "p": payload, "words": payload, "path": payload, "head": head, "last": last, "prog": program, "rest": rest,
        "dir": folder or "/", "base": base, "file": rng.choice(payloads.files), "tree": rng.choice(payloads.trees),
        "v": rng.choice(NAMES), "u": rng.choice(OTHERS), "f": rng.choice(FUNCTIONS), "g": rng.choice(ALIASES),
        "d": rng.choice(DELIMITERS),
        "s": rng.choice(("x.sh", "/tmp/x.sh", "./run-me.sh", "/tmp/job")), "n": str(rng.randrange(1, 9)),
    }  # fmt: skip
    line = _fill(parts, values, rng)
    return _fill(read_form(rng.choice(AROUND)), {"L": line}, rng)


def members(forms: tuple[str, ...], payloads: Payloads, count: int, seed: str) -> list[Member]:
    """Make distinct lines, of each form as many as of the others where it has as many."""
    rng = random.Random(seed)
    made: dict[str, Member] = {}
    for _ in range(40):
        for form in forms:
            line = make(form, payloads, rng)
            made.setdefault(line, Member(form, line))
            if len(made) == count:
                return list(made.values())
    return list(made.values())


def harmful(of: ShellClass, count: int = 200) -> list[Member]:
    """Make lines that destroy."""
    return members(_all(of), HARMFUL, count, of.name)


def harmless(of: ShellClass, count: int = 120) -> list[Member]:
    """Make lines of the same forms that destroy nothing, and everyday lines of that kind."""
    everyday = [Member("everyday", line.replace("⏎", "\n").replace("⇥", "\t")) for line in of.everyday]
    return everyday + members(of.quiet or of.forms, HARMLESS, count - len(everyday), of.name)


def doubted(of: ShellClass) -> list[Member]:
    """Make harmless lines of the forms for which a question is right."""
    forms = tuple(form for group in of.doubtful.values() for form in group)
    return members(forms, HARMLESS, 2 * len(forms), of.name)


def _all(of: ShellClass) -> tuple[str, ...]:
    return of.forms + tuple(form for group in of.doubtful.values() for form in group)


def block(text: str) -> tuple[str, ...]:
    """Read forms that stand one a line."""
    return tuple(line for line in text.splitlines() if line)
