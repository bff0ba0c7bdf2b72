"""`tacit demo`."""

from __future__ import annotations

import click


@click.command()
@click.option("--all", "everything", is_flag=True, help="Take the long tour: every feature, with its commands.")
def demo(everything: bool) -> None:
    """See four scenes in a scratch home. Your own data is not touched, and the scratch home is removed."""
    from tacit.demo.tour import tour

    tour(everything=everything)
