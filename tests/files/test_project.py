"""Which project a folder belongs to."""

import os
import subprocess

import pytest
from hypothesis import given, strategies as st

from tacit.files.project_id import git_root, project_id, project_ids, remote_id


def git(folder, *words):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, env=clean)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init")
    return folder


SPELLINGS = [
    "https://example.org/team/app.git",
    "https://example.org/team/app",
    "https://example.org/team/app/",
    "https://EXAMPLE.org/team/app.git",
    "http://example.org:8080/team/app.git",
    "https://user:secret@example.org/team/app.git",
    "https://token@example.org/team/app.git",
    "ssh://git@example.org/team/app.git",
    "ssh://git@example.org:2222/team/app.git",
    "git://example.org/team/app.git",
    "git@example.org:team/app.git",
    "example.org:team/app",
    " git@example.org:team/app.git\n",
]


@pytest.mark.parametrize("url", SPELLINGS)
def test_every_spelling_of_a_remote_is_one_project(url):
    """Protocol, user, port, case of the host, `.git` and slashes do not matter."""
    assert "example.org/team/app" == remote_id(url)


WORD = st.from_regex(r"[A-Za-z0-9]{6,12}", fullmatch=True)


@given(WORD, WORD, st.sampled_from(["https", "http", "ssh"]))
def test_credentials_never_get_into_the_id(user, secret, scheme):
    """Neither the user nor the password of an address is part of a project's name."""
    found = remote_id(f"{scheme}://{user}:{secret}@host.invalid/a/b.git")

    assert "host.invalid/a/b" == found


@pytest.mark.parametrize("url", ["", "nonsense", "/srv/git/app.git", "../app", "file:///srv/git/app.git"])
def test_a_remote_without_a_host_is_none(url):
    """A path is no remote: the repository's own place names the project then."""
    assert "" == remote_id(url)


@given(st.text(max_size=80))
def test_an_id_can_always_be_a_scope(url):
    """Whatever the remote, its id holds no space or control character and no namespace of its own."""
    found = remote_id(url)

    assert not any(char.isspace() or char < " " or char == "\x7f" for char in found)
    assert "/namespace:" not in found
    assert len(found) <= 400


def test_the_remote_names_the_project_in_every_folder_and_worktree(repository, tmp_path):
    """Subfolders and worktrees of a repository, and clones of the same remote, are one project."""
    git(repository, "remote", "add", "origin", "git@example.org:team/app.git")
    git(repository, "commit", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", str(tmp_path / "tree"))
    (repository / "deep" / "er").mkdir(parents=True)
    clone = tmp_path / "clone"
    clone.mkdir()
    git(clone, "init")
    git(clone, "remote", "add", "upstream", "https://example.org/team/app")
    places = [repository, repository / "deep" / "er", tmp_path / "tree", clone]

    assert {"example.org/team/app"} == {project_id(place) for place in places}


def test_without_a_remote_the_root_names_the_project_for_all_worktrees(repository, tmp_path):
    """A repository of its own is a project of its own, and its worktrees share it."""
    git(repository, "commit", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", str(tmp_path / "tree"))
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init")

    assert str(repository.resolve()) == project_id(repository) == project_id(tmp_path / "tree")
    assert project_id(repository) != project_id(other)


def test_outside_git_there_is_no_project(tmp_path):
    """A folder in no repository, or one that does not exist, belongs to none."""
    assert ("", "") == (project_id(tmp_path), project_id(tmp_path / "missing"))
    assert git_root(tmp_path) is None


@pytest.mark.parametrize("config", [b"", b"\xff\xfe\x00", b"no section", b'[remote "origin"]\n'])
def test_a_broken_git_config_is_a_repository_without_a_remote(repository, config):
    """What git itself would not understand names no remote and raises nothing."""
    (repository / ".git" / "config").write_bytes(config)

    assert str(repository.resolve()) == project_id(repository)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:p@ss@git.example.com/team/app.git",
        "https://git.example.com/team/app?access_token=secret",
        "ssh://git:s3cret@git.example.com:22/team/app.git#x",
        "git@git.example.com:team/app.git",
    ],
)
def test_credentials_never_get_into_a_project_id(url):
    """Whatever stands before the host or behind the path is left out, and every spelling is one project."""
    assert "git.example.com/team/app" == remote_id(url)


def test_odd_git_folders_are_no_crash(tmp_path):
    """A remote without a value and a broken `.git` file give an id from the path, or none."""
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "a" / ".git" / "config").write_text('[remote "origin"]\n\turl\n')
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".git").write_bytes(b"gitdir: \0/nowhere")

    assert project_id(tmp_path / "a").endswith("/a")
    assert project_id(tmp_path / "b")


def test_a_project_with_a_remote_has_an_id_by_its_folder_too(repository, tmp_path):
    """The id by place is the one that it had before, also from a worktree; outside a repository there is none."""
    before = project_ids(repository)
    git(repository, "commit", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", str(tmp_path / "tree"))
    git(repository, "remote", "add", "origin", "git@example.org:team/app.git")
    place = str(repository.resolve())

    assert ("", place) == before
    assert ("example.org/team/app", place) == project_ids(repository) == project_ids(tmp_path / "tree")
    assert ("", "") == project_ids(tmp_path)
