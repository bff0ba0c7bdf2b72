"""Settings: environment over file over default; a project's file may only tighten; what is broken says so."""

import os
import pwd
from pathlib import Path
from types import SimpleNamespace

import pytest

from tacit import ConfigError
from tacit.app import config
from tacit.app.config import load_settings


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def env(home):
    return {"TACIT_HOME": str(home), "USER": "ann"}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    return folder


def write(folder, text):
    (folder / "config.toml").write_text(text)


def test_defaults_without_any_file(env, home, tmp_path):
    """The home's memory.db, one's own login, everything on."""
    found = load_settings(env, tmp_path)

    assert (home, str(home / "memory.db"), pwd.getpwuid(os.getuid()).pw_name) == (found.home, found.store, found.user)
    assert ("", "", "local", "warning", "human", "auto") == (
        found.project, found.off, found.tenant, found.log_level, found.log_format, found.embedder.use
    )  # fmt: skip


def test_the_home_lies_in_home_unless_named(tmp_path):
    """`TACIT_HOME` names the data root; without it `~/.tacit` is it."""
    assert tmp_path / ".tacit" == load_settings({"HOME": str(tmp_path)}, tmp_path).home
    assert Path("/x/y") == load_settings({"TACIT_HOME": "/x/y", "HOME": str(tmp_path)}, tmp_path).home


@pytest.mark.parametrize(
    ("line", "name", "value", "field"),
    [
        ("store = '/file.db'", "TACIT_STORE", "/env.db", "store"),
        ("user = 'file'", "TACIT_USER", "env", "user"),
        ("log = 'error'", "TACIT_LOG", "DEBUG", "log_level"),
        ("log_format = 'json'", "TACIT_LOG_FORMAT", "human", "log_format"),
    ],
)
def test_environment_over_file_over_default(env, home, tmp_path, line, name, value, field):
    """Each setting is read from the environment first, then the file, then its default; empty counts as not set."""
    default = getattr(load_settings(env, tmp_path), field)
    write(home, line)
    from_file = getattr(load_settings(env, tmp_path), field)
    from_env = getattr(load_settings(env | {name: value}, tmp_path), field)
    emptied = getattr(load_settings(env | {name: ""}, tmp_path), field)

    assert len({default, from_file}) == 2
    assert line.split("'")[1] == from_file == emptied
    assert value.lower() == from_env


def test_tables_of_the_file_are_read(env, home, tmp_path, monkeypatch):
    """Limits, recall, context, maintain, embedder and person_scripts come from the file."""
    write(
        home,
        """
person_scripts = ["/usr/local/bin/nightly"]
[limits]
title_chars = 50
[recall]
floor = false
[context]
facts = 3
[maintain]
prune_below = 0.1
[embedder]
use = "http"
url = "http://localhost:11434/v1"
model = "nomic"
""",
    )
    # The grant counts in the account's own home only; see test_house.
    monkeypatch.setattr(config, "account_home", lambda: home.parent)
    home.rename(home.parent / ".tacit")
    env = {**env, "TACIT_HOME": str(home.parent / ".tacit")}
    found = load_settings(env, tmp_path)

    assert (("/usr/local/bin/nightly",), 50, False) == (
        found.person_scripts,
        found.limits.title_chars,
        found.recall.floor,
    )
    assert (3, 0.1, "http", "nomic") == (
        found.context.facts,
        found.maintain.prune_below,
        found.embedder.use,
        found.embedder.model,
    )
    assert "off" == load_settings(env | {"TACIT_EMBEDDER": "off"}, tmp_path).embedder.use


@pytest.mark.parametrize(
    "text",
    ["store = ", "store = 5", "colour = 'red'", "[limits]\ntitle_chars = 'many'", "[embedder]\nuse = 'magic'",
     "[embedder]\nuse = 'http'", "\x00", "a = " + "[" * 100_000],
)  # fmt: skip
def test_a_broken_file_is_a_typed_error_and_nothing_is_opened(env, home, tmp_path, text):
    """What cannot be read or means nothing names the file, or the setting, and stops."""
    write(home, text)

    with pytest.raises(ConfigError) as caught:
        load_settings(env, tmp_path)
    assert caught.value.hint
    assert ["config.toml"] == [path.name for path in home.iterdir()]


def test_a_file_that_is_not_utf8_or_a_folder_is_a_typed_error(env, home, tmp_path):
    """Bytes that are no text, and a folder in the file's place, are named."""
    (home / "config.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"config\.toml"):
        load_settings(env, tmp_path)
    (home / "config.toml").unlink()
    (home / "config.toml").mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml"):
        load_settings(env, tmp_path)


def test_a_project_may_only_tighten(env, project):
    """Lower limits count; higher ones, and anything that is not a limit, are named and ignored."""
    (project / ".tacit.toml").write_text("""
store = "/evil.db"
person_scripts = ["/evil"]
[limits]
title_chars = 10
body_bytes = 999999999
nonsense = 1
[context]
facts = 2
budget_tokens = 100000
[embedder]
url = "http://evil.invalid"
""")
    found = load_settings(env, project)

    assert (10, 1_000_000, 2, 600) == (
        found.limits.title_chars, found.limits.body_bytes, found.context.facts, found.context.budget_tokens
    )  # fmt: skip
    assert ("", (), True) == (found.embedder.url, found.person_scripts, found.store.endswith("memory.db"))
    named = " ".join(found.notices)
    assert all(
        word in named for word in ("store", "person_scripts", "embedder", "body_bytes", "nonsense", "budget_tokens")
    )


def test_a_project_may_switch_itself_off_and_not_on(env, project):
    """`off = true` counts; `off = false` does not undo what the environment says."""
    (project / ".tacit.toml").write_text("off = true")
    assert ".tacit.toml" in load_settings(env, project / ".git").off
    (project / ".tacit.toml").write_text("off = false")

    assert "TACIT_OFF is set" == load_settings(env | {"TACIT_OFF": "1"}, project).off
    assert "" == load_settings(env, project).off


@pytest.mark.parametrize(
    "text", ["off = ", "off = 'yes'", "limits = 5", "[limits]\ntitle_chars = -1", "a = " + "[" * 100_000]
)
def test_a_broken_project_file_is_ignored_and_named(env, project, text):
    """Somebody's broken file neither switches the memory off nor stops it."""
    (project / ".tacit.toml").write_text(text)
    found = load_settings(env, project)

    assert ("", 1_000) == (found.off, found.limits.title_chars)
    assert found.notices[0].startswith("ignored: ")


@pytest.mark.parametrize(("value", "off"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_switches_off(env, tmp_path, value, off):
    """Any value but 0 and nothing switches everything off."""
    assert off == bool(load_settings(env | {"TACIT_OFF": value}, tmp_path).off)


@pytest.mark.parametrize("login", ["a b", "ann/root", "x\ny", "名前", ""])
def test_any_login_gives_a_user_that_can_be_a_scope(env, tmp_path, monkeypatch, login):
    """What a scope cannot hold is replaced; there is always some name."""
    monkeypatch.setattr("pwd.getpwuid", lambda _uid: SimpleNamespace(pw_name=login, pw_dir="/home/ann"))
    user = load_settings(env, tmp_path).user

    assert user
    assert not any(char.isspace() or char == "/" for char in user)
