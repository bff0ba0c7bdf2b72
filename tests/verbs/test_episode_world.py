"""A made-up world of three families of tasks: what was planted in it is found again, and little else."""

from tacit.bench.episode_samples import regained
from tacit.testing import temporary_memory


def test_what_was_planted_is_found_again(tmp_path, figures):
    """Recoveries come back as the surest advice of all, and the families' tool pairs as patterns to rely on."""
    with temporary_memory(folder=tmp_path) as memory:
        found = regained(memory, 120, seed=20261115)
    figures("planted tool sequences, precision", round(found.sequence_precision, 2), fold="min")
    figures("planted tool pairs, recall", round(found.pair_recall, 2), fold="min")
    figures("planted recoveries, precision", round(found.recovery_precision, 2), fold="min")
    figures("planted recoveries, recall", round(found.recovery_recall, 2), fold="min")
    figures("planted fixes advised before their task", found.advised)

    assert found.pair_recall >= 5 / 6
    assert found.sequence_precision >= 0.8
    assert 1.0 == found.recovery_recall
    assert found.recovery_precision >= 0.5
    assert 3 == found.advised
