"""`tacit demo`."""

from __future__ import annotations

import click


@click.command()
def demo() -> None:
    """Take a tour in a scratch home. Your own data is not touched, and the scratch home is removed."""
    from tacit.demo.tour import tour

    tour()
