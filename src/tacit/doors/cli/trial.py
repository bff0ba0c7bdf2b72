"""bench and demo: work from an installed wheel."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
def demo() -> None:
    """Take a tour in a scratch home; nothing of yours is touched, and it cleans up."""
    from tacit.demo.tour import tour

    tour()


@click.group()
def bench() -> None:
    """Measure. Ratios come from one run, side by side; nothing is asserted."""


@bench.command("store")
@click.option("--records", type=click.IntRange(100, 2_000_000), default=10_000, show_default=True)
@click.option("--large", is_flag=True, help="Also one scope of ten times as many; takes a while.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_store(records: int, large: bool, as_json: bool) -> None:
    """Writes against a bare SQLite insert, memorize, bulk adding, recall in small and large scopes."""
    from tacit.bench.store import run

    run(records, as_json=as_json, large=large)


@bench.command("retrieval")
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_retrieval(data: Path, as_json: bool) -> None:
    """Recall on LoCoMo and LongMemEval files in DIR, beside a published recipe, and what each signal adds."""
    from tacit.bench.retrieval import run

    run(data, as_json=as_json)


@bench.command("cli")
@click.option("--records", type=click.IntRange(100, 1_000_000), default=10_000, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_cli(records: int, as_json: bool) -> None:
    """Cold starts of the command line against a bare interpreter."""
    from tacit.bench.cli import run

    run(records, as_json=as_json)
