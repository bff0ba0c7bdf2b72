"""What lists show of commands and of sessions: commands of several lines on one, and titles without set phrases."""

import pytest

from tacit.doors.listed_text import on_one_line, shown_title


@pytest.mark.parametrize(("command", "line"), [
    ("git status", "git status"),
    ('cd /me\ngit branch -D old\n\necho ""\n', 'cd /me ⏎ git branch -D old ⏎ echo ""'),
    ("docker run \\\n    --rm \\\n    image", "docker run --rm image"),
    ("git commit -F - <<'EOF'\r\nfix:   it\r\nEOF", "git commit -F - <<'EOF' ⏎ fix: it ⏎ EOF"),
    ("", ""),
])  # fmt: skip
def test_line_breaks_of_a_command_are_visible(command, line):
    """A newcomer's trial: `cd /me git branch -D old echo ""` could not be read, nor run."""

    assert line == on_one_line(command)


@pytest.mark.parametrize(("title", "shown"), [
    ("Implement the following plan: # Plan: Token Counter in TUI ## Context The agents", "plan: Token Counter in TUI"),
    ("Implement the following plan: Order Validation & Risk Guard", "plan: Order Validation & Risk Guard"),
    ("implement this plan: Fix issue #12 in CI", "plan: Fix issue #12 in CI"),
    ("Implement the following plan:", "Implement the following plan:"),
    ("Implement the following planner", "Implement the following planner"),
    ("round the till", "round the till"),
])  # fmt: skip
def test_a_plan_is_called_by_what_it_is_about(title, shown):
    """A newcomer's trial: half of each line said "Implement the following plan"."""

    assert shown == shown_title(title)
