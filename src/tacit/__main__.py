"""`tacit` and `python -m tacit`: the command line."""

import sys


def main() -> None:
    """Run the command line. `--version` is answered without loading anything else."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from tacit.version import __version__

        sys.stdout.write(f"tacit {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from tacit.doors.hooks.entry import main as hook

        sys.exit(hook(sys.argv[2:]))
    from tacit.doors.cli.main import run

    run()


if __name__ == "__main__":
    main()
