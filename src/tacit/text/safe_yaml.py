"""YAML from outside: plain values only, no aliases, no duplicate keys. An invalid file gives a one-sentence error."""

from __future__ import annotations

from typing import Any

from tacit.errors import UsageError

MOST_CHARS = 5_000_000
MOST_DEPTH = 50
# A value with a tag that does not fit it (`!!bool x`) makes the loader raise these errors.
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def read_yaml(text: str, what: str) -> Any:
    """Parse a document; `what` names it in error messages."""
    if len(text) > MOST_CHARS:
        raise UsageError(f"{what} is over {MOST_CHARS:,} characters", "split it")
    import yaml

    try:
        _check(yaml, text, what)
        return yaml.load(text, Loader=_loader(yaml))  # noqa: S506  (a subclass of the safe loader)
    except (yaml.YAMLError, *_BROKEN) as error:
        raise UsageError(f"{what} is not valid YAML: {_said(error)}", "fix the file") from None


def write_yaml(value: Any) -> str:
    """Write plain values in the given order, so that a person can read and edit them."""
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=100)
    return text


def _check(yaml: Any, text: str, what: str) -> None:
    """Refuse what could grow without bound when read: aliases repeat what they name; deep nesting is not needed."""
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            raise UsageError(f"{what} uses an alias (*{event.anchor})", "write the value out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise UsageError(f"{what} is nested too deep", "reduce the nesting")


def _loader(yaml: Any) -> Any:
    safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(safe):  # type: ignore[misc,valid-type]
        """The safe loader, with duplicate keys forbidden."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            """Read a mapping; a duplicate key is an error instead of overwriting the first."""
            seen: set[str] = set()
            for key, _value in node.value:
                name = str(getattr(key, "value", ""))
                if name in seen:
                    raise ValueError(f"duplicate key {name[:60]!r} (line {key.start_mark.line + 1})")
                seen.add(name)
            made: dict[Any, Any] = super().construct_mapping(node, deep)
            return made

    return Loader


def _said(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"{' '.join(str(problem).split())[:200]}" + (f" (line {mark.line + 1})" if mark else "")
