"""The README's tour is true: every command in it is run, and prints what stands there."""

import re

from tools.tour import TARGET, ran


def test_the_tour_prints_what_the_readme_shows():
    """A fresh run of the tour gives the README, byte for byte; `make api` writes it."""
    text = TARGET.read_text(encoding="utf-8")

    assert text == ran(text)


def test_the_library_example_runs(tmp_path, monkeypatch):
    """The Python block of the README runs as it stands and finds the fact."""
    [block] = re.findall(r"```python\n(.*?)```", TARGET.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    shown: list[tuple] = []

    exec(compile(block, "README.md", "exec"), {"print": lambda *words: shown.append(words)})  # noqa: S102

    assert "The staging API listens on 8443" in [words[-1] for words in shown]
