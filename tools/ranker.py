"""Trains the trees that rank turns with their conversation, from LongMemEval (MIT) alone.

usage: ranker.py features DIR OUT.npz      the candidates of every question, with what the ranker is told of them
       ranker.py fit IN.npz TREES.json FOLDS.json
       ranker.py pin TREES.json            put the file and its hash into the package

`make ranker DATA=DIR` runs all three. `features` and `pin` need tacit, `fit` needs lightgbm, which is no part of
tacit. The same data give the same bytes. FOLDS.json has five sets of trees, each trained without a fifth of the
questions and of the sessions that answer them; `tacit bench retrieval --folds` measures with these.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

FOLDS = 5
TREES = 85
SEEDS = (1, 2, 3)
DEPTH = 6
PARAMETERS = {
    "objective": "lambdarank", "lambdarank_truncation_level": 15, "num_leaves": 15, "max_depth": DEPTH,
    "learning_rate": 0.05, "min_data_in_leaf": 50, "lambda_l2": 5.0, "feature_fraction": 0.7, "bagging_fraction": 0.8,
    "bagging_freq": 1, "max_bin": 127, "deterministic": True, "force_row_wise": True, "num_threads": 1,
    "verbose": -1,
}  # fmt: skip

# Half of the trees are trained so that more of these is never worse: such trees learn fewer habits of the set.
RISING = (
    "own", "lexical", "semantic", "lexical x semantic", "formula", "best of the conversation", "best lexical of it",
    "best semantic of it", "previous x short", "next x short", "lexical of the window", "semantic of the window",
    "share of words held",
)  # fmt: skip


def features(data: Path, target: Path) -> None:
    """Ask every question, and save the rows of its candidates: with their conversations, then each by itself."""
    import numpy as np

    from tacit.bench.question_sets import LONGMEMEVAL, folds_of, load_sets
    from tacit.bench.scratch_home import scratch
    from tacit.bench.turns import add_turns
    from tacit.search.conversation import RANKED, depth_factor, thread_places
    from tacit.search.rules.conversation_features import FEATURES, features_of
    from tacit.text.rank_fusion import fuse
    from tacit.text.tokens import query_tokens

    (pool,) = [one for one in load_sets(data) if one.name == LONGMEMEVAL]
    (dialogue,) = pool.dialogues
    rows, gold, groups, folds = [], [], [], []
    with scratch() as place, place.memory("project:ranker") as memory:
        turns = add_turns(memory, dialogue)
        c = memory._c
        where = c.filter(kinds=("turn",), statuses=("active", "promoted"))
        depth = c.recall.depth * depth_factor(c, where.kinds)
        weights = {"lexical": c.recall.lexical_weight, "semantic": c.recall.semantic_weight}
        for question, fold in zip(dialogue.questions, folds_of(dialogue.questions, FOLDS), strict=True):
            words = query_tokens(question.text)
            vector = c.meaning.of_query(question.text)
            if vector is None:
                sys.exit("training needs search by meaning: install tacit[semantic]")
            near = c.meaning.vectors().nearest(vector, c.meaning.model, where, depth)
            lists = {
                "lexical": [(match.id, match.score) for match in c.store.match(words, where, depth)],
                "semantic": [(one.id, one.cosine) for one in near if one.cosine > 0],
            }
            fused = fuse(lists, weights)
            places = thread_places(c, fused[:RANKED], question.text, words)
            alone = {id: place._replace(thread=("", id), previous="", next="") for id, place in places.items()}
            for told in (places, alone):
                ids, matrix = features_of(fused, told)
                found = np.array([turns[id] in question.gold for id in ids], np.int8)
                if found.any():
                    rows.append(matrix)
                    gold.append(found)
                    groups.append(len(ids))
                    folds.append(fold)
    target.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        target, rows=np.concatenate(rows), gold=np.concatenate(gold), groups=groups, folds=folds,
        names=np.array(FEATURES),
    )  # fmt: skip
    answers = sum(int(part.sum()) for part in gold)
    print(f"{len(groups)} lists of candidates, {sum(groups):,} rows, {answers:,} of them answers")


def fit(source: Path, target: Path, folded: Path) -> None:
    """Train on everything, and for each fold on the rest."""
    import numpy as np

    with np.load(source, allow_pickle=False) as saved:
        values = {name: saved[name] for name in saved.files}
    names = [str(name) for name in values["names"]]
    parts = []
    for fold in (None, *range(FOLDS)):
        chosen = np.ones(len(values["groups"]), bool) if fold is None else values["folds"] != fold
        inside = np.repeat(chosen, values["groups"])
        parts.append(
            _trained(names, values["rows"][inside], values["gold"][inside], values["groups"][chosen])
        )  # fmt: skip
        print("trained on all" if fold is None else f"trained without part {fold + 1}", flush=True)
    target.write_text(_text(parts[0]))
    folded.write_text(_text(parts[1:]))
    print(f"{target.name}: {len(target.read_bytes()) / 1000:.0f} kB, {hashlib.sha256(target.read_bytes()).hexdigest()}")


def _trained(names: list[str], rows: Any, gold: Any, groups: Any) -> dict[str, Any]:
    import lightgbm

    rising = {"monotone_constraints": [int(name in RISING) for name in names], "monotone_constraints_method": "basic"}
    trees: dict[str, Any] = {"features": names, "feature": [], "threshold": [], "left": [], "right": [], "value": []}
    runs: list[dict[str, Any]] = [{"seed": seed, **more} for seed in SEEDS for more in ({}, rising)]
    for more in runs:
        booster = lightgbm.train(PARAMETERS | more, lightgbm.Dataset(rows, gold, group=groups), TREES)
        for tree in booster.dump_model()["tree_info"]:
            nodes: list[dict[str, Any]] = []
            _add(tree["tree_structure"], 1 / len(runs), nodes)
            for part in ("feature", "threshold", "left", "right", "value"):
                trees[part].append([node[part] for node in nodes])
    return trees


def _add(node: dict[str, Any], share: float, nodes: list[dict[str, Any]]) -> int:
    """Add a node and what is below it, and return its number. A leaf points to itself."""
    number = len(nodes)
    if "leaf_value" in node:
        value = round(share * node["leaf_value"], 5)
        nodes.append({"feature": 0, "threshold": 0, "left": number, "right": number, "value": value})
        return number
    own: dict[str, Any] = {"feature": node["split_feature"], "threshold": round(node["threshold"], 6), "value": 0}
    nodes.append(own)
    own["left"] = _add(node["left_child"], share, nodes)
    own["right"] = _add(node["right_child"], share, nodes)
    return number


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def pin(trees: Path) -> None:
    """Put the trees into the package, and their hash into the code that reads them."""
    from tacit.search.rules import ranking_trees

    digest = hashlib.sha256(trees.read_bytes()).hexdigest()
    shutil.copyfile(trees, ranking_trees.PATH)
    code = Path(ranking_trees.__file__)
    code.write_text(re.sub(r'^SHA256 = ".*"$', f'SHA256 = "{digest}"', code.read_text(), flags=re.MULTILINE))
    print(f"{code.name} pins {digest}")


def main(words: list[str]) -> None:
    """Run one step."""
    # Each kind of processor has its own order of adding up; with one order all have the same last digits.
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"
    match words:
        case ["features", data, target]:
            features(Path(data), Path(target))
        case ["fit", source, target, folded]:
            fit(Path(source), Path(target), Path(folded))
        case ["pin", trees]:
            pin(Path(trees))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
