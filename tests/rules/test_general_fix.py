"""What a fix teaches beyond the command that it mended."""

import pytest

from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.general_fix import general_fix


def taught(failed, error, fix):
    return general_fix(cause_of(failed, error, 1), failed, fix)


@pytest.mark.parametrize(("failed", "error", "fix", "rule"), [
    ('python -c "import a, b; print(a, b)"', "bash: python: command not found",
     'python3 -c "import a, b; print(a, b)"', ("python", "python3")),
    ("pytest tests/a.py -k 3", "bash: pytest: command not found", "uv run pytest tests/a.py -k 3",
     ("pytest", "uv run pytest")),
    ("tsc --noEmit", "bash: tsc: command not found", "./node_modules/.bin/tsc --noEmit",
     ("tsc", "./node_modules/.bin/tsc")),
    ("tills sync --shrt", "Error: unknown flag: --shrt", "tills sync --short",
     ("tills sync --shrt", "tills sync --short")),
    ("git rebase --continue", "error: There was a problem with the editor", "GIT_EDITOR=true git rebase --continue",
     ("git rebase --continue", "GIT_EDITOR=true git rebase --continue")),
    ("npm run biuld", 'npm error Missing script: "biuld"', "npm run build", ("npm run biuld", "npm run build")),
    ("rtk bun run test", 'error: unknown command "bun" for rtk', "bun run test", ("rtk bun run test", "bun run test")),
])  # fmt: skip
def test_what_holds_for_other_commands_is_taught(failed, error, fix, rule):
    """Of a program that is called otherwise, only that; of a short command, all of it."""
    assert rule == taught(failed, error, fix)


@pytest.mark.parametrize(("failed", "error", "fix"), [
    ("gh pr view 7 --json a,b,merged", 'Unknown JSON field: "merged"', "gh pr view 9 --json a,b,mergedAt"),
    ("gh pr view --json a,b,c,merged", 'Unknown JSON field: "merged"', "gh pr view --json a,b,c,mergedAt"),
    ("sed -n 1,9p src/utlis/a.py", "sed: can't read src/utlis/a.py: No such file", "sed -n 1,9p src/utils/a.py"),
    ("tills send room-3 -P /tmp/x.md", "error: unexpected argument '-P' found", "tills send room-3 --file /tmp/x.md"),
    ("node -e 'a b'", "boom", "node --no-warnings -e 'a b'"),
    ("tools/run.sh -a", "bash: tools/run.sh: command not found", "/home/me/tools/run.sh -a"),
    ("tills add a --base main --branch topic/a", "error: unexpected argument '--branch' found",
     "tills add topic/a --base main --name a --agent b --background"),
    ("xbat notes.md", "bash: xbat: command not found", "cat notes.md"),
    ("xtool build", "bash: xtool: command not found", "npm install -g xtool"),
    ("curl https://x.dev/a?b=1", "zsh: no matches found: https://x.dev/a?b=1", "curl 'https://x.dev/a?b=1'"),
])  # fmt: skip
def test_what_holds_for_one_command_alone_teaches_nothing(failed, error, fix):
    """One number, one file, one set of fields, a script in the line: sixteen of 21 "rules" were such."""
    assert taught(failed, error, fix) is None
