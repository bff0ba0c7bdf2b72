"""`tacit demo`."""

from __future__ import annotations

import click


@click.command()
def demo() -> None:
    """Take a tour in a scratch home; nothing of yours is touched, and it cleans up."""
    from tacit.demo.tour import tour

    tour()
