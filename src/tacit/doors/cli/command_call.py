"""What all commands share: the options, the opened memory, and the way to answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial, wraps
from itertools import count
from pathlib import Path
from typing import IO, Any, TypeVar

import click
import msgspec

from tacit import logs
from tacit.app.config import Settings
from tacit.app.memory import Memory
from tacit.app.open import Caller, connect, current_caller, current_settings
from tacit.app.open_store import is_server, locate
from tacit.app.redactor_setup import Cleaner
from tacit.errors import UsageError
from tacit.files.home_folder import tighten_home
from tacit.files.plain_file import read_plain
from tacit.model.payload import plain
from tacit.model.query import Hit
from tacit.model.record import Record, replace
from tacit.model.report import Progress
from tacit.model.results import Memorized
from tacit.model.scope import Scope, also_readable, parse_scope

_encoder = msgspec.json.Encoder()
T = TypeVar("T")
COUNT_EVERY = 100
MOST_FILE_BYTES = 100_000_000
MOST_LINE_BYTES = 32_000_000


class CommandCall:
    """One call of the command line: the settings it uses, and how it answers."""

    def __init__(
        self, as_json: bool, store: str, scope: str, also: tuple[str, ...], *, namespace: str = "",
        create: bool = False, tolerate_errors: bool = False,
    ) -> None:  # fmt: skip
        self.as_json = as_json
        self._namespace = namespace
        self._create = create
        self._store = store
        self._scope = scope
        self._also = also
        self._after: Callable[[], None] = lambda: None
        """What is left to do once the answer is out."""
        self.settings: Settings = current_settings(tolerate_errors=tolerate_errors)
        self.clean = Cleaner(self.settings)
        try:
            logs.configure(self.settings.log_level, self.settings.log_format, self.clean)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        self._check_names()
        self.caller: Caller = current_caller(self.settings)

    def _check_names(self) -> None:
        """Refuse a store or scope that cannot be one, also where the command would not open it."""
        for name in (self._scope, *self._also):
            if name:
                parse_scope(name, self.settings.user)
        if self._namespace:
            (parse_scope(self._scope, self.settings.user) if self._scope else Scope("global")).within(self._namespace)
        also_readable(parse_scope(name, self.settings.user) for name in self._also)
        if self._store:
            locate(self._store, self.settings)

    @property
    def store(self) -> str | None:
        """The store named on the command line, if any."""
        return self._store or None

    @property
    def scope(self) -> str:
        """The scope named on the command line, if any."""
        return self._scope

    @property
    def also(self) -> tuple[str, ...]:
        """The teams and skills named on the command line."""
        return self._also

    def scope_words(self) -> list[str]:
        """Return the words that make another command use the same scopes."""
        named = [("--scope", self._scope), *(("--also", name) for name in self._also)]
        return [word for option, value in named if value for word in (option, value)]

    def with_caller(self, caller: Caller) -> CommandCall:
        """Return the same call by another caller."""
        other = copy(self)
        other.caller = caller
        return other

    def as_agent(self) -> CommandCall:
        """Make what this call writes from now on an agent's, in the agent's session of now, and return this call."""
        caller = current_caller(self.settings)
        self.caller = replace(caller, origin=replace(caller.origin, actor="agent"))
        return self

    @contextmanager
    def memory(self, *, writes: bool = False) -> Iterator[Memory]:
        """Open the memory to read and write. Only commands that may write first create a store."""
        absent = self._absent()
        if said := tighten_home(self.settings.home):
            self.tell(said)
        opened = connect(
            self.settings,
            self.caller,
            store=self.store,
            scope=self._scope,
            also=self._also,
            create=writes,
            at_door=True,
            new_namespace=self._create,
        )
        with opened as memory:
            for notice in memory.notices:
                self.tell(notice)
            if absent:
                self.tell(f"a new store was created: {absent}" if writes else f"there is no store at {absent} yet")
            within = memory.within(self._namespace, create=self._create) if self._namespace else memory
            yield within
            for notice in memory.damage_notices():
                self.tell(notice)
            self._after = memory.take_uses()

    @property
    def names_scope(self) -> bool:
        """Whether the command line itself names a scope or a namespace; otherwise it is the default one."""
        return bool(self._scope or self._namespace)

    def _absent(self) -> str:
        """Return the path of a store that was named and is not there: a slip of the hand would go unseen."""
        place = locate(self.store, self.settings) if self.store else ""
        return place if place and not is_server(place) and not Path(place).exists() else ""

    def answer(self, thing: str, document: dict[str, Any], show: Callable[[], object]) -> None:
        """Answer with one JSON document, or show it to a person."""
        if self.as_json:
            # Bytes, not text: JSON is UTF-8 whatever the terminal speaks.
            sys.stdout.flush()
            sys.stdout.buffer.write(_encoder.encode({"schema": f"tacit.{thing}/1", **document}) + b"\n")
            sys.stdout.buffer.flush()
        else:
            show()
            sys.stdout.flush()
        self._after()

    def tell(self, message: str) -> None:
        """Print a message in addition to the answer."""
        sys.stderr.write(f"tacit: {logs.escape(self.clean(message))}\n")

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress | None]:
        """Show a progress bar on a terminal if the work takes over a second."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        from tacit.doors.cli.render import bar

        with bar(what) as step:
            yield step


def counted(items: Iterable[T], progress: Progress | None) -> Iterator[T]:
    """Yield items one by one and report the count to a progress bar."""
    for number, item in enumerate(items, 1):
        if progress and number % COUNT_EVERY == 0:
            progress(number, 0)
        yield item


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Return the lines of a file; one that is too long is an error, so that a device without an end is one at once."""
    for number in count(1):
        line = file.readline(MOST_LINE_BYTES + 1)
        if len(line) > MOST_LINE_BYTES:
            raise UsageError(f"line {number} is over {MOST_LINE_BYTES:,} bytes", "give the path of an export of tacit")
        if not line:
            return
        yield line


def json_lines(field: str) -> Iterator[dict[str, Any]]:
    """Read JSON objects from standard input, one per line, each with a text in this field."""
    import json

    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not isinstance(value.get(field), str):
            raise UsageError(f'line {number} is not {{"{field}": …}}', "send one JSON object per line")
        yield value


def options(
    command: Callable[..., Any], *, tolerate_errors: bool = False, namespaces: bool = True, creates: bool = False
) -> Callable[..., Any]:
    """Add the common options to a command, and pass it a CommandCall.

    With `tolerate_errors`, broken settings give the defaults and a warning. `namespaces` says that it can work in a
    namespace, `creates` that it may be the first to write in one.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    @click.option(
        "--store",
        default="",
        metavar="STORE",
        help="A file or a postgresql:// URL; default: $TACIT_STORE, else the store in tacit's home.",
    )
    @click.option(
        "--scope",
        default="",
        metavar="SCOPE",
        help="global, user, project:ID, team:ID or skill:ID; default: this project.",
    )
    @click.option("--also", multiple=True, metavar="SCOPE", help="Read this team or skill too; repeatable.")
    @wraps(command)
    def wrapped(
        as_json: bool, store: str, scope: str, also: tuple[str, ...], namespace: str = "", create: bool = False,
        **rest: Any,
    ) -> Any:  # fmt: skip
        call = CommandCall(
            as_json, store, scope, also, namespace=namespace, create=create, tolerate_errors=tolerate_errors
        )  # fmt: skip
        return command(call, **rest)

    if creates:
        wrapped = click.option("--create", is_flag=True, help="Begin the namespace if it does not exist yet.")(wrapped)
    if namespaces:
        wrapped = click.option(
            "--namespace", default="", metavar="NAME", help="Only this namespace of the scope, to read and to write."
        )(wrapped)
    return wrapped


whole_scope = partial(options, namespaces=False)
"""The common options for a command that knows no namespaces: it is about the home, the store or whole scopes."""
writing = partial(options, creates=True)
"""The common options for a command that may be the first to write."""


def read(content: str) -> str:
    """Return the text of an argument; `-` means standard input."""
    try:
        return typed().decode() if content == "-" else content
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is not UTF-8 at byte {error.start}", "convert it first") from None


def read_file(path: str | Path, what: str) -> str:
    """Return the text of a file that a command names; what is not a text file of a bounded size is an error."""
    try:
        return read_plain(path, MOST_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} cannot be read: {why}", what) from None


def typed() -> bytes:
    """Read standard input to its end. On a terminal, a message says that input is expected."""
    if sys.stdin.isatty():
        sys.stderr.write("tacit: type the text, then press Ctrl-D on an empty line to end it\n")
    return sys.stdin.buffer.read()


def record_document(record: Record, *, body: bool = True) -> dict[str, Any]:
    """Return a record as a document."""
    document: dict[str, Any] = plain(record)
    if not body and len(record.body) > PREVIEW:
        document["body"] = record.body[:PREVIEW] + "…"
    return document


PREVIEW = 240


def hit_document(hit: Hit, *, body: bool) -> dict[str, Any]:
    """Return a hit as a document."""
    document = {
        "id": hit.id, "score": round(hit.score, 6), "source": hit.source, "why": plain(hit.why),
        "record": record_document(hit.record, body=body),
    }  # fmt: skip
    return document | ({"graph": list(hit.graph)} if hit.graph else {})


def memorized_document(memorized: Memorized) -> dict[str, Any]:
    """Return the result of memorizing a fact as a document."""
    return {
        "id": memorized.id, "fact": record_document(memorized.record), "merged": memorized.merged,
        "entity": memorized.entity or None, "conflicts": plain(memorized.conflicts),
        "similar": list(memorized.similar), "notices": list(memorized.notices),
    }  # fmt: skip
