"""The bench of shared folders, small."""

import json

from tests.bench.share import run


def test_the_bench_of_shared_folders_runs(capsys):
    """Push, pull, and a look without news."""
    run(50, as_json=True)
    document = json.loads(capsys.readouterr().out)

    assert ("tacit.bench.share/1", 50, 3) == (document["schema"], document["records"], len(document["figures"]))
