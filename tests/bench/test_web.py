"""The bench of the dashboard, small."""

import json

from tests.bench.web import run


def test_the_bench_of_the_dashboard_runs(capsys):
    """Every page answers."""
    run(50, as_json=True)
    document = json.loads(capsys.readouterr().out)

    assert ("tacit.bench.web/1", 50, 11) == (document["schema"], document["records"], len(document["figures"]))
