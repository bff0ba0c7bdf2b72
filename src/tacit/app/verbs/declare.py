"""Declare verbs, each once: the library calls them, the command line and JSON-RPC are generated from the declarations.

A verb is a function of its room whose first argument is the connection. `create = verb(lessons.create)` in the class of
a noun makes the function a method of the class, with its own signature; `@verb` on a method declares a verb that does
more than call one function.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from time import perf_counter
from types import UnionType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import msgspec

from tacit import logs
from tacit.errors import TacitError
from tacit.ports.damage_log import DamageLog

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Who = Literal["anyone", "person"]
_log = logs.get("verb")


class Argument(NamedTuple):
    """One argument of a verb, in the form that all doors use."""

    name: str
    type: Any
    """Its type without `Annotated` and without None."""
    optional: bool
    """Whether None is allowed."""
    default: Any
    """`inspect.Parameter.empty` if the argument is required."""
    positional: bool
    many: bool
    """Whether it is a variadic argument, `*names`."""
    meta: msgspec.Meta | None

    @property
    def sentence(self) -> str:
        """What the argument is for."""
        return (self.meta.description if self.meta else "") or ""

    def spelled(self, name: str) -> Any:
        """Return what `arg()` specifies under this name about how doors present the argument, or None."""
        return (self.meta.extra or {}).get(name) if self.meta else None


class Verb(Generic[P, R]):
    """The declaration of a verb. Accessed on an instance of its noun, it is the bound method."""

    def __init__(
        self, function: Callable[..., R], *, on_connection: bool, who: Who, creates: bool, on_wire: bool, whole: bool
    ) -> None:
        self.function = function
        self.who = who
        self.creates = creates
        """Whether it may be the first to write, and so makes the store."""
        self.on_wire = on_wire
        """Whether it can be called over JSON-RPC; not where it takes or gives a stream."""
        self._whole = whole
        self._on_connection = on_connection
        self._records: dict[str, int] | None = None
        self._many = 0
        self.name = function.__name__
        self.owner: type = object
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    @overload
    def __get__(self, instance: None, owner: type) -> Verb[P, R]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[P, R]: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self if owner is self.owner else self._inherited_by(owner)
        first = instance._c if self._on_connection else instance
        function = self.function

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            args, kwargs = self._with_full_ids(instance._c, args, kwargs)
            damage = instance._c.store.damage
            before = damage.mark()
            logged = _log.isEnabledFor(logging.INFO)
            result = self._logged(first, args, kwargs) if logged else function(first, *args, **kwargs)
            return result if damage.mark() == before else _with_damage(result, damage, before)

        call.__doc__, call.__name__ = self.__doc__, self.name
        # `help()` and editors show the arguments of the function.
        call.__wrapped__ = partial(function, first)  # type: ignore[attr-defined]
        return call

    def _with_full_ids(self, connection: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Return the arguments with full ids instead of the letters that people are shown and type."""
        if self._records is None:
            arguments = self.arguments()
            self._records = {one.name: at for at, one in enumerate(arguments) if one.spelled("record")}
            self._many = next((at for at, one in enumerate(arguments) if one.many), len(arguments))
        if not self._records:
            return args, kwargs
        places, many = set(self._records.values()), self._many
        given = [_full(connection, one) if min(at, many) in places else one for at, one in enumerate(args)]
        named = {name: _full(connection, one) if name in self._records else one for name, one in kwargs.items()}
        return tuple(given), named

    def _inherited_by(self, owner: type) -> Verb[P, R]:
        """Return the verb as a verb of the noun that inherits it."""
        verb = copy(self)
        verb.owner = owner
        return verb

    def _logged(self, first: Any, args: Any, kwargs: Any) -> R:
        """Call the verb and log one line: its name, its time and its outcome, never its arguments or its result."""
        began, outcome = perf_counter(), "ok"
        try:
            return self.function(first, *args, **kwargs)
        except TacitError as error:
            outcome = error.code
            raise
        except BaseException as error:
            outcome = type(error).__name__
            raise
        finally:
            took_ms = round(1_000 * (perf_counter() - began), 1)
            _log.info("called", extra=logs.fields(verb=self.full_name, ms=took_ms, outcome=outcome))

    @property
    def noun(self) -> str:
        """The attribute of a Memory that has this verb; empty for the memory's own verbs."""
        return str(getattr(self.owner, "NOUN", ""))

    @property
    def is_whole(self) -> bool:
        """Whether it is about the store or whole scopes, and cannot be called in a namespace."""
        return self._whole or bool(getattr(self.owner, "WHOLE", False))

    @property
    def full_name(self) -> str:
        """The name on the wire and in logs: `lessons.create`, `recall`."""
        return f"{self.noun}.{self.name}" if self.noun else self.name

    @property
    def sentence(self) -> str:
        """What the verb does, in one sentence."""
        return " ".join((self.__doc__ or "").split("\n\n")[0].split())

    def of(self, memory: Any) -> Callable[..., Any]:
        """Return the verb of a memory as a bound method."""
        noun = getattr(memory, self.noun) if self.noun else memory
        return getattr(noun, self.name)  # type: ignore[no-any-return]

    def arguments(self) -> tuple[Argument, ...]:
        """Return the verb's arguments in order, without those that only a program can pass, such as a progress bar."""
        return tuple(_arguments(self.function))


def _with_damage(result: Any, damage: DamageLog, before: int) -> Any:
    """Return a result that names what was left out because it is damaged, if results of its kind have notices."""
    known = getattr(result, "notices", None)
    if not isinstance(known, tuple):
        return result  # the door tells it (`DamageLog.untold`)
    notices = (*known, *damage.tell(damage.since(before)))
    if isinstance(result, msgspec.Struct):
        return msgspec.structs.replace(result, notices=notices)
    if isinstance(result, tuple):
        return result._replace(notices=notices)  # type: ignore[attr-defined]
    result.notices = notices
    return result


def _full(connection: Any, named: Any) -> Any:
    if isinstance(named, str):
        return connection.full_id(named)
    return type(named)(map(connection.full_id, named)) if type(named) in (list, tuple) else named


@overload
def verb(
    function: Callable[Concatenate[Any, P], R], *, who: Who = "anyone", creates: bool = False,
    on_wire: bool = True, whole: bool = False,
) -> Verb[P, R]: ...  # fmt: skip
@overload
def verb(
    *, who: Who = "anyone", creates: bool = False, on_wire: bool = True, whole: bool = False
) -> Callable[[Callable[Concatenate[Any, P], R]], Verb[P, R]]: ...
def verb(
    function: Callable[..., Any] | None = None, *, who: Who = "anyone", creates: bool = False,
    on_wire: bool = True, whole: bool = False,
) -> Any:  # fmt: skip
    """Declare a verb from a function of a room, or, as a decorator with parentheses, from a method."""

    def declared(method: Callable[..., Any]) -> Verb[..., Any]:
        return Verb(method, on_connection=function is not None, who=who, creates=creates, on_wire=on_wire, whole=whole)

    return declared if function is None else declared(function)


def verbs_of(owner: type) -> Iterator[Verb[..., Any]]:
    """Return the verbs of a noun's class in declaration order, including inherited ones."""
    seen: set[str] = set()
    for cls in reversed(owner.__mro__):
        for name, value in vars(cls).items():
            if isinstance(value, Verb) and name not in seen:
                seen.add(name)
                yield getattr(owner, name)


def _arguments(function: Callable[..., Any]) -> Iterator[Argument]:
    function = inspect.unwrap(function)
    # The first is the connection, or the noun.
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        hint = parameter.annotation
        if isinstance(hint, str):
            hint = eval(hint, function.__globals__)  # noqa: S307 - our own annotations
        if parameter.kind is not parameter.VAR_KEYWORD:
            yield from _argument(parameter, hint)
        elif get_origin(hint) is Unpack:
            # `**parts: Unpack[StepParts]`: what several verbs take alike, each part optional.
            for name, part in get_type_hints(get_args(hint)[0], include_extras=True).items():
                yield from _argument(inspect.Parameter(name, parameter.KEYWORD_ONLY, default=None), part)


def _argument(parameter: inspect.Parameter, hint: Any) -> Iterator[Argument]:
    bare, meta = _unwrapped(hint)
    optional = type(None) in get_args(bare) and get_origin(bare) in (Union, UnionType)
    kind, inner = _unwrapped(_without_none(bare) if optional else bare)
    if not _is_callable(kind):
        yield Argument(
            name=parameter.name, type=kind, optional=optional, default=parameter.default,
            positional=parameter.kind is not parameter.KEYWORD_ONLY, many=parameter.kind is parameter.VAR_POSITIONAL,
            meta=meta or inner,
        )  # fmt: skip


def _unwrapped(hint: Any) -> tuple[Any, msgspec.Meta | None]:
    if get_origin(hint) is not Annotated:
        return hint, None
    bare, *more = get_args(hint)
    inner, meta = _unwrapped(bare)
    # The outermost description is the most particular one.
    return inner, next((one for one in reversed(more) if isinstance(one, msgspec.Meta)), meta)


def _without_none(hint: Any) -> Any:
    rest = tuple(one for one in get_args(hint) if one is not type(None))
    return rest[0] if len(rest) == 1 else Union[rest]  # noqa: UP007 - made of a tuple


def _is_callable(hint: Any) -> bool:
    origin = get_origin(hint)
    return origin is not None and "Callable" in str(origin)
