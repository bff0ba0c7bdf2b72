"""What a tool makes again may be deleted; what may be somebody's work may not."""

import pytest

from tacit.files.gitignore import ignored_names
from tacit.guard.judge import judge
from tacit.guard.verdict import CommandLocation

PLACE = CommandLocation("/home/dev/shop", "/home/dev", "/home/dev/shop")


@pytest.mark.parametrize("command", [
    "rm -rf dist/ .next/ .turbo/", "rm -rf .venv", "rm -rf target/debug/incremental", "rm -rf node_modules/.cache",
    "rm -rf coverage",
    "find . -name __pycache__ -type d -exec rm -rf {} +", "find . -name '*.pyc' -delete",
    "find . -name node_modules -prune -exec rm -rf {} +",
    "find . -name '*.pyc' -o -name '*.pyo' -delete", "cd web && rm -rf dist", "rm -rf packages/a/dist",
    "rm -rf bin obj",
    "rm -rf $X/node_modules", "rm -rf *.egg-info", "npx rimraf node_modules/.cache",
])  # fmt: skip
def test_build_output_may_be_deleted(command):
    assert "allow" == judge(command, PLACE).verdict


@pytest.mark.parametrize("command", [
    "rm -rf src", "rm -rf dist/..", "rm -rf dist src", "rm -rf /dist", "rm -rf ~/dist", "rm -rf /node_modules",
    "rm -rf data", "rm -rf lib",
    "find . -name '*.pyc' -o -name src -delete", "find . ! -name '*.pyc' -delete", "find / -name '*.pyc' -delete",
    "rm -rf dist*",
    "find . -name build -exec rm -rf {} +", "rm -rf .git/dist", "cd ~ && rm -rf out", "rm -rf bin", "rm -rf build",
    "find ~ -delete",
])  # fmt: skip
def test_what_may_be_work_is_not_deleted_silently(command):
    assert "allow" != judge(command, PLACE).verdict


def test_a_folder_that_the_project_ignores_is_build_output(tmp_path):
    """`build` may hold sources; .gitignore says whether it does. No name becomes build output by being ignored."""
    (tmp_path / ".gitignore").write_text("# made\n/build/\nsrc\n*.log\n!keep\ndocs/out\nkeep\n", encoding="utf-8")
    place = PLACE._replace(ignored=ignored_names(str(tmp_path)))

    assert {"build", "src"} == place.ignored
    assert "allow" == judge("rm -rf build", place).verdict
    assert "deny" == judge("rm -rf src", place).verdict


def test_no_gitignore_and_a_device_in_its_place_mean_no_names(tmp_path):
    (tmp_path / ".gitignore").symlink_to("/dev/zero")

    assert frozenset() == ignored_names(str(tmp_path))
    assert frozenset() == ignored_names(str(tmp_path / "none"))
