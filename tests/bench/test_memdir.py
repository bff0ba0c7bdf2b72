"""The bench of written memory at a tiny size: it runs and prints the documented shape. No figure is asserted."""

import json

from tests.bench.memdir import run


def test_the_bench_of_written_memory_runs(capsys):
    """Warm, cold, and the prompt."""
    run(200, as_json=True, runs=1)
    document = json.loads(capsys.readouterr().out)

    assert ("tacit.bench.memdir/1", 200, 3) == (document["schema"], document["files"], len(document["figures"]))
