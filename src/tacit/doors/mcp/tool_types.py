"""Tools and their actions: which verb each calls, which of its arguments it takes, and the JSON Schema of that."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from tacit.app.memory import Memory
from tacit.app.verbs.argument_types import params_struct, type_on_wire
from tacit.app.verbs.declare import Argument, Verb
from tacit.model.verb import arg

ACTION = "action"
DEFAULT_BUDGET, LEAST_BUDGET, MOST_BUDGET = 600, 100, 4_000
Budget = Annotated[int, arg("Most tokens of the answer.", ge=LEAST_BUDGET, le=MOST_BUDGET)]
Room = Annotated[str, arg("A part of the memory.")]
# What costs tokens in every session and tells a model little; bounds are checked all the same.
_NOISE = ("title", "default", "minimum", "maximum")
# What a declaration says about the command line only.
_COMMAND_LINE = ("; repeatable", "; `-` reads standard input")


class ToolAnswer(NamedTuple):
    """The answer of a tool: values for programs, and the same as text for models."""

    values: dict[str, Any]
    text: str
    failed: bool = False


Show = Callable[[Any, int], ToolAnswer]
"""Makes an answer of a verb's result, within a budget of tokens."""


class ToolParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of one call. Unknown names are errors."""

    budget: Budget = DEFAULT_BUDGET
    namespace: Room = ""


class Action:
    """One thing that a tool does: a verb, and those of its arguments that an agent may give."""

    def __init__(
        self, verb: Verb[..., Any], takes: Sequence[str], show: Show, *, name: str = "",
        renamed: Mapping[str, str] | None = None, writes: bool = False, runs_commands: bool = False,
    ) -> None:  # fmt: skip
        self.verb = verb
        self.name = name or verb.name
        """What it is called in the tool: as on the command line."""
        self.takes = tuple(takes)
        self.show = show
        self.writes = writes or verb.creates or runs_commands
        self.runs_commands = runs_commands
        """Whether it is offered only to the process that started us, not over HTTP."""
        self._renamed = dict(renamed or {})

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """The arguments it takes, by their names in the tool."""
        known = {one.name: one for one in self.verb.arguments()}
        return {self._renamed.get(name, name): known[name] for name in self.takes}

    @property
    def required(self) -> list[str]:
        """The names of the arguments that must be given."""
        return [name for name, one in self.arguments.items() if one.default is inspect.Parameter.empty]

    @cached_property
    def params(self) -> type[ToolParams]:
        """The struct into which its arguments are read."""
        fields = ((name, one, _simple(one)) for name, one in self.arguments.items())
        made = params_struct(f"{self.verb.noun}_{self.name}", fields, (ToolParams,), forbid_unknown_fields=True)
        assert issubclass(made, ToolParams)  # noqa: S101 - for the type checker
        return made

    def call(self, memory: Memory, params: ToolParams) -> ToolAnswer:
        """Call the verb and make an answer of its result. An id may be short."""
        if params.namespace:
            memory = memory.within(params.namespace)
        given = {one.name: _built(memory, one, getattr(params, name)) for name, one in self.arguments.items()}
        if isinstance(given.get("id"), str):
            given["id"] = memory.full_id(given["id"])
        return self.show(self.verb.of(memory)(**given), params.budget)


class Tool:
    """A tool: one action, several that the argument `action` names, or several told apart by their arguments."""

    def __init__(self, name: str, sentence: str, *actions: Action, by_name: bool = False) -> None:
        self.name = name
        self.sentence = sentence
        self.actions = {action.name: action for action in actions}
        self.by_name = by_name

    @property
    def is_reading(self) -> bool:
        """Whether no action writes anything."""
        return not any(one.writes for one in self.actions.values())

    def chosen(self, given: Mapping[str, Any]) -> Action | None:
        """Return the action that a call means, or None if it names no action."""
        if self.by_name:
            return self.actions.get(name) if isinstance(name := given.get(ACTION), str) else None
        fitting = (one for one in self.actions.values() if all(name in given for name in one.required))
        return next(fitting, next(iter(self.actions.values())))

    @property
    def description(self) -> str:
        """What the tool does; for each action its arguments and the sentence of its verb."""
        if not self.by_name:
            return self.sentence or " ".join(one.verb.sentence for one in self.actions.values())
        lines = [
            f"{one.name}({', '.join(one.arguments)}): {_first(one.verb.sentence)}" for one in self.actions.values()
        ]
        return "\n".join([self.sentence, *lines] if self.sentence else lines)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its arguments."""
        properties: dict[str, Any] = {}
        if self.by_name:
            properties[ACTION] = {"type": "string", "enum": list(self.actions)}
        for action in self.actions.values():
            for name, shape in _properties(action.params).items():
                properties.setdefault(name, shape)
        budget, room = (properties.pop(name) for name in ("budget", "namespace"))
        if not all(one.writes for one in self.actions.values()):
            properties["budget"] = budget
        properties["namespace"] = room
        single = next(iter(self.actions.values())).required if len(self.actions) == 1 else []
        required = [ACTION] if self.by_name else single
        found: dict[str, Any] = {"type": "object", "properties": properties}
        return found | ({"required": required} if required else {}) | {"additionalProperties": False}


def _first(sentence: str) -> str:
    return sentence.partition(". ")[0].removesuffix(".") + "."


def _properties(params: type[msgspec.Struct]) -> dict[str, Any]:
    schema = msgspec.json.schema(params)
    shapes = schema["$defs"]
    (own,) = [shape for name, shape in shapes.items() if schema["$ref"].endswith(f"/{name}")]
    return {name: _compact(shape, shapes) for name, shape in own["properties"].items()}


def _compact(shape: Any, shapes: Mapping[str, Any]) -> Any:
    """Return a schema without references, null, and what a model does not need."""
    if isinstance(shape, str):
        return reduce(lambda text, part: text.replace(part, ""), _COMMAND_LINE, shape)
    if isinstance(shape, list):
        return [_compact(one, shapes) for one in shape]
    if not isinstance(shape, dict):
        return shape
    if "$ref" in shape:
        return _compact(shapes[shape["$ref"].rpartition("/")[2]], shapes)
    rest = {name: _compact(part, shapes) for name, part in shape.items() if name not in _NOISE}
    some = [one for one in rest.pop("anyOf", []) if one != {"type": "null"}]
    if "enum" in rest:
        rest["type"] = "string"  # some hosts need it
    return {**some[0], **rest} if len(some) == 1 else rest | ({"anyOf": some} if some else {})


def _simple(one: Argument) -> Any:
    """Return the type that an agent gives: text where text is possible, of a struct only what it needs."""
    kind = type_on_wire(one)
    origin, parts = get_origin(kind), get_args(kind)
    if kind is str and (choices := one.spelled("choices")):
        return Literal[tuple(choices)]
    if origin is Union and str in parts:
        return str
    if origin is not None and parts and issubclass(origin, Sequence):
        return list[str] if str in (parts[0], *get_args(parts[0])) else kind
    return _short_struct(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else kind


def _short_struct(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Return a struct with only the required fields of another one."""
    fields = [(one.name, one.type) for one in msgspec.structs.fields(kind) if one.required]
    return msgspec.defstruct(kind.__name__, fields, frozen=True, kw_only=True, forbid_unknown_fields=True)


def _built(memory: Memory, one: Argument, value: Any) -> Any:
    """Return a value as the verb takes it. Who is speaking is never for the caller to say."""
    if isinstance(value, msgspec.Struct) and not isinstance(value, one.type):
        author = {"by": memory.actor} if "by" in one.type.__struct_fields__ else {}
        return one.type(**msgspec.structs.asdict(value), **author)
    return value
