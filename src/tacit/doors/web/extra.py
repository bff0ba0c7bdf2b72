"""The extra that the dashboard needs."""

from __future__ import annotations

from importlib.util import find_spec

from tacit.errors import MissingExtra

_NEEDED = ("jinja2", "starlette", "uvicorn")


def require_web() -> None:
    """Raise an error if a package of the extra is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f"the dashboard needs {', '.join(missing)}, which is not installed", "pip install 'tacit[web]'"
        )
