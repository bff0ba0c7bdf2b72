"""The parser of shell text: tree-sitter with the grammar of bash."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tacit.errors import MissingExtra

if TYPE_CHECKING:
    from tree_sitter import Parser


@lru_cache(1)
def parser() -> Parser:
    """Return the parser, loaded with the first command."""
    try:
        import tree_sitter

        grammar = tree_sitter.Language(_bash())
    except ImportError as error:
        # Without a parser nothing is known about a command, and that is no reason to allow it.
        problem = f"the guard cannot read commands: {error}"
        raise MissingExtra(problem, "pip install tree-sitter tree-sitter-bash") from None
    return tree_sitter.Parser(grammar)


def _bash() -> object:
    """Return the grammar of bash from the package's compiled module alone.

    The package itself imports `importlib.resources` for files that are not needed here: 10 ms of every hook.
    """
    from importlib.machinery import PathFinder

    package = PathFinder.find_spec("tree_sitter_bash")
    places = package.submodule_search_locations if package else None
    binding = PathFinder.find_spec("tree_sitter_bash._binding", places) if places else None
    if binding is None or binding.loader is None or (module := binding.loader.create_module(binding)) is None:
        import tree_sitter_bash

        return tree_sitter_bash.language()
    binding.loader.exec_module(module)
    return module.language()
