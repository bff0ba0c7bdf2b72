"""`python -m tests.bench replay|memdir|share|web`: figures for those who change the code. `make bench` runs them."""

from __future__ import annotations

import argparse

from tests.bench import memdir, replay, share, web


def main() -> None:
    """Read the options, measure and print."""
    options = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    benches = options.add_subparsers(dest="bench", required=True)
    for name in ("replay", "memdir", "share", "web"):
        one = benches.add_parser(name)
        one.add_argument("--json", action="store_true", help="print one JSON document")
        sizes = {
            "replay": {"steps": 100, "megabytes": 1_000, "procedures": 1_000}, "memdir": {"files": 10_000},
            "share": {"records": 10_000}, "web": {"records": 100_000},
        }[name]  # fmt: skip
        for size, usual in sizes.items():
            one.add_argument(f"--{size}", type=int, default=usual)
    given = options.parse_args()
    if given.bench == "replay":
        replay.run(given.steps, given.megabytes, given.procedures, as_json=given.json)
    elif given.bench == "share":
        share.run(given.records, as_json=given.json)
    elif given.bench == "web":
        web.run(given.records, as_json=given.json)
    else:
        memdir.run(given.files, as_json=given.json)


if __name__ == "__main__":
    main()
