"""A made-up world of three families of tasks: what was planted in it is found again, and little else."""

import random
from itertools import pairwise

from tacit.judge.patterns import error_class, wilson
from tacit.model.episode import Pattern
from tacit.model.record import payload_of
from tacit.testing import temporary_memory

# Each family has an order of tools that goes well, and an error with what mends it; all else is noise.
FAMILIES = {
    "web": (("grep", "edit", "pytest"), ("AssertionError: status {n} != 200", "edit", "mend the route")),
    "data": (("psql", "alembic", "dbt"), ('relation "t{n}" does not exist', "alembic", "upgrade head")),
    "infra": (("terraform", "helm", "curl"), ("timeout after {n} s waiting for pod", "kubectl", "restart it")),
}
NOISE = ("ls", "cat", "git", "echo", "make", "curl -v", "sed", "find")
SURE = 0.5


def play(memory, dice, domain, number):
    """Play an episode: the planted tools in order among noise; without them it fails, mostly."""
    tools, (error, tool, action) = FAMILIES[domain]
    planted = dice.random() < 0.7
    trying = memory.episodes.start(f"{domain} task {number}", domain=domain, batch=50)
    trying.step(dice.choice(NOISE), f"look {number}", result="success")
    for name in tools if planted else dice.sample(NOISE, 3):
        if planted and dice.random() < 0.5:
            trying.step(name, f"run {name}", result="error", observation=error.format(n=dice.randrange(100, 999)))
            trying.step(tool, action, result="success")
        else:
            said = f"odd thing {dice.choice('abcdefghij')}{dice.choice('klmnop')} happened"
            trying.step(name, f"run {name}", result=dice.choice(["success", "success", "error"]), observation=said)
    trying.step(dice.choice(NOISE), f"end {number}", result="success")
    good = dice.random() < (0.95 if planted else 0.1)
    trying.complete("success" if good else "failure", result="done", error=None if good else "no", duration_ms=1000)


def test_what_was_planted_is_found_again(tmp_path, figures):
    """Recoveries come back as the surest advice of all, and the families' tool pairs as patterns to rely on."""
    dice = random.Random(20261115)
    with temporary_memory(folder=tmp_path) as memory:
        for number in range(120):
            play(memory, dice, dice.choice(sorted(FAMILIES)), number)
        memory.episodes.learn(limit=1000)
        records = memory.list(kinds=["pattern"], limit=10_000).records
        tallies = memory._c.store.tallies([one.id for one in records])
        found = [(payload_of(one, Pattern), tallies[one.id]) for one in records]
        recoveries = {
            (one.condition, one.what[0]) for one, tally in found if one.type == "recovery" and tally["seen"] >= 5
        }
        often = [(one, tally) for one, tally in found if one.type == "tool_sequence" and tally["seen"] >= 8]
        sequences = {one.what for one, tally in often if wilson(tally.get("good", 0), tally["seen"]) >= SURE}
        asked = [memory.episodes.relevant(f"{name} task", {"domain": name}, 5) for name in FAMILIES]

    pairs = {pair for tools, _error in FAMILIES.values() for pair in pairwise(tools)}
    families = [{*tools, mends} for tools, (_error, mends, _action) in FAMILIES.values()]
    true = [what for what in sequences if any(set(what) <= family for family in families)]
    figures("planted tool sequences, precision", round(len(true) / max(1, len(sequences)), 2), fold="min")
    figures("planted tool pairs, recall", round(len(pairs & sequences) / len(pairs), 2), fold="min")
    planted = {(error_class(error.format(n=123)), f"{tool}: {action}")
               for _tools, (error, tool, action) in FAMILIES.values()}  # fmt: skip
    hit = planted & recoveries
    precision, recall = len(hit) / max(1, len(recoveries)), len(hit) / len(planted)
    figures("planted recoveries, precision", round(precision, 2), fold="min")
    figures("planted recoveries, recall", round(recall, 2), fold="min")
    advised = sum(
        any(fix in advice.record.title for advice in answer.heuristics[:3])
        for answer, (_tools, (_error, _tool, fix)) in zip(asked, FAMILIES.values(), strict=True)
    )
    figures("planted fixes advised before their task", advised)

    assert len(pairs & sequences) >= len(pairs) - 1
    assert len(true) >= 0.8 * len(sequences)
    assert 1.0 == recall
    assert precision >= 0.5
    assert 3 == advised
