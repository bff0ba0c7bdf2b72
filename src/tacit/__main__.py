"""`tacit` and `python -m tacit`: the command line."""

import os
import sys


def main() -> None:
    """Run the command line. `--version` is answered without loading anything else."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from tacit.version import __version__

        sys.stdout.write(f"tacit {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        import gc

        from tacit.doors.hooks.entry import main as hook

        # A process that lives for one answer has nothing to collect, and would search what it imports many times.
        gc.disable()

        code = hook(sys.argv[2:])
        # The answer is written and all files are closed; to take down the interpreter object by object helps nobody.
        os._exit(code)
    from tacit.doors.cli.main import run

    run()


if __name__ == "__main__":
    main()
