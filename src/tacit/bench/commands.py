"""`tacit bench`: works from an installed wheel."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.doors.cli.verb_commands import Group


@click.group(cls=Group)
def bench() -> None:
    """Measure tacit's speed and quality. Values that are compared come from the same run; nothing is asserted."""


@bench.command("store")
@click.option("--records", type=click.IntRange(100, 2_000_000), default=10_000, show_default=True)
@click.option("--large", is_flag=True, help="Also measure one scope ten times as large; takes a while.")
@click.option("--size", type=click.IntRange(100, 5_000_000), metavar="N",
              help="Measure one scope of N short records instead: a million takes a quarter of an hour.")  # fmt: skip
@click.option("--store", metavar="URL", default="", help="A PostgreSQL URL to compare with; log in as its owner.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_store(records: int, large: bool, size: int | None, store: str, as_json: bool) -> None:
    """Measure writes compared with a bare SQLite insert, memorize, bulk adding, and recall in small and large scopes.

    With a server, measure the same work there and on SQLite, and many clients at once. Its tenant is emptied
    afterwards.
    """
    if size:
        from tacit.bench.store_size import run as run_size

        run_size(size, as_json=as_json)
        return
    if store:
        from tacit.bench.store_postgres import run as beside

        beside(store, 10 * records if large else records, as_json=as_json)
        return
    from tacit.bench.store import run

    run(records, as_json=as_json, large=large)


@bench.command("retrieval")
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, metavar="DIR")
@click.option("--store", metavar="URL", default="", help="Also search a PostgreSQL database; log in as its owner.")
@click.option("--folds", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Ranking trees that `make ranker` trained without a part of the questions each.")  # fmt: skip
@click.option("--turns", type=click.IntRange(0, 1_000_000), default=100_000, show_default=True,
              help="How many generated turns to time recall with; 0 for none.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_retrieval(data: Path, store: str, folds: Path | None, turns: int, as_json: bool) -> None:
    """Measure recall on LoCoMo and LongMemEval files in DIR, next to a published recipe, by signal."""
    from tacit.bench.retrieval import run

    run(data, as_json=as_json, server=store, folds=folds, turns=turns)


@bench.command("cli")
@click.option("--records", type=click.IntRange(100, 1_000_000), default=10_000, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_cli(records: int, as_json: bool) -> None:
    """Measure cold starts of the command line, compared with a bare interpreter."""
    from tacit.bench.cli import run

    run(records, as_json=as_json)


@bench.command("hooks")
@click.option("--facts", type=click.IntRange(10, 1_000_000), default=10_000, show_default=True)
@click.option("--failures", type=click.IntRange(10, 1_000_000), default=2_000, show_default=True)
@click.option("--corrections", type=click.IntRange(10, 1_000_000), default=500, show_default=True)
@click.option("--runs", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Hooks of each event.")
@click.option("--client", metavar="LINE", default="", help="The program that hooks call; default: the C client.")
@click.option("--learning", is_flag=True, help="Measure over the socket while a session is learned from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_hooks(
    facts: int, failures: int, corrections: int, runs: int, client: str, learning: bool, as_json: bool
) -> None:  # fmt: skip
    """Measure what a hook costs at each event: in process, without the helper, and through the helper."""
    if learning:
        from tacit.bench.hooks_learning import run as run_learning

        run_learning(50 * runs, as_json=as_json)
        return
    from tacit.bench.hooks import run

    run(facts, failures, corrections, runs, client=client, as_json=as_json)


@bench.command("mcp")
@click.option("--records", type=click.IntRange(100, 1_000_000), default=10_000, show_default=True)
@click.option("--calls", type=click.IntRange(10, 100_000), default=500, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_mcp(records: int, calls: int, as_json: bool) -> None:
    """Measure a recall over MCP, from process to process, compared with the same call of the library."""
    from tacit.doors.mcp.extra import require_sdk

    require_sdk()
    from tacit.bench.mcp import run

    run(records, calls, as_json=as_json)


@bench.command("episodes")
@click.option("--episodes", type=click.IntRange(10, 1_000_000), default=10_000, show_default=True)
@click.option("--large", is_flag=True, help="Also measure 100,000 episodes; takes a while.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=None,
    metavar="DIR",
    help="Transcripts, one folder per agent, from which episodes are made to learn from.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_episodes(episodes: int, large: bool, data: Path | None, as_json: bool) -> None:
    """Measure steps compared with a bare SQLite insert, completing, learning, and search before a task."""
    from tacit.bench.episodes import run

    run(episodes, as_json=as_json, large=large, data=data)


@bench.command("redact")
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, metavar="DIR")
@click.option("--changes", is_flag=True, help="List each change of a real text, with its reason.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_redact(data: Path, changes: bool, as_json: bool) -> None:
    """Count secrets removed, and clean and real texts changed, and measure the speed on a log and on hostile texts.

    DIR contains secrets/*.jsonl (labelled texts), and perhaps learning/dev.jsonl.gz (prompts, commands and outputs of
    real sessions).
    """
    from tacit.bench.redact import run

    run(data, as_json=as_json, changes=changes)


@bench.command("guard")
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_guard(data: Path, as_json: bool) -> None:
    """Count the commands in DIR/guard/dev.jsonl that the guard allows and blocks, and measure its speed."""
    from tacit.bench.guard import run

    run(data, as_json=as_json)


@bench.command("sessions")
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, metavar="DIR")
@click.option("--megabytes", type=click.IntRange(1, 10_000), default=200, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench_sessions(data: Path, megabytes: int, as_json: bool) -> None:
    """Compare transcripts in DIR with counts made by hand, and measure reading a large one."""
    from tacit.bench.sessions import run

    run(data, as_json=as_json, megabytes=megabytes)
