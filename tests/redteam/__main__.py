"""`python -m tests.redteam`: the figures of the red team. `make bench` runs it; nothing is asserted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tacit.errors import TacitError
from tests.redteam.runner import run


def main() -> int:
    """Read the options, measure and print."""
    options = argparse.ArgumentParser(prog="python -m tests.redteam", description=__doc__)
    options.add_argument(
        "--data", type=Path, metavar="DIR",
        help="labelled texts of others, one JSON object a line: text, expected (attack or benign), category",
    )  # fmt: skip
    options.add_argument("--large", action="store_true", help="also a manifest among 10,000 lessons and 100,000 notes")
    options.add_argument("--json", action="store_true", help="print one JSON document")
    given = options.parse_args()
    try:
        run(given.data, large=given.large, as_json=given.json)
    except TacitError as error:
        sys.stderr.write(f"{error.message}: {error.hint}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
