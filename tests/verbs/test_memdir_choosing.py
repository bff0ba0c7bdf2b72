"""Topic files chosen by a language model: its empty answer is an answer; rules choose when it cannot, and say so."""

import pytest

from tacit import LlmFailed
from tacit.testing import FakeLlm, temporary_memory

FILES = {
    "ports.md": "---\nname: Ports\ndescription: which port staging uses\ntype: project\n---\n8443\n",
    "style.md": "---\nname: Style\ndescription: how code looks\ntype: feedback\n---\nTabs.\n",
}


@pytest.fixture
def folder(tmp_path):
    """A memory directory of two files."""
    for name, text in FILES.items():
        (tmp_path / "memdir").mkdir(exist_ok=True)
        (tmp_path / "memdir" / name).write_text(text)
    return str(tmp_path / "memdir")


def chosen(folder, *answers, **more):
    llm = FakeLlm(*answers)
    with temporary_memory(memdir=folder, llm=llm) as m:
        return m.memdir.choose("which port does staging use?", **more), llm


def test_a_model_chooses_among_all_files(folder):
    """Also one that no word speaks for; it is shown what the tops say, and nothing that was shown before."""
    found, llm = chosen(folder, {"files": ["style.md", "style.md"]})

    assert (["style.md"], "fake-llm", "") == ([one.path for one in found.files], found.by, found.notice)
    assert "which port staging uses" in llm.asked[0].text
    assert "8443" not in llm.asked[0].text
    found, llm = chosen(folder, {"files": ["ports.md"]}, shown=["style.md"])
    assert ("style.md" in llm.asked[0].text, ["ports.md"]) == (False, [one.path for one in found.files])


def test_an_empty_answer_is_respected(folder):
    """Nothing is chosen, and rules do not choose in its place."""
    found, _llm = chosen(folder, {"files": []})

    assert ([], "fake-llm", "") == (found.files, found.by, found.notice)


@pytest.mark.parametrize(
    "answer", [LlmFailed("it is away", ""), {"files": ["../../etc/passwd"]}, {"paths": 5}, {"files": "ports.md"}]
)
def test_rules_choose_when_it_cannot_and_that_is_said(folder, answer):
    """Away, of another shape, or naming what is not there."""
    found, _llm = chosen(folder, answer)

    assert (["ports.md"], "rules") == ([one.path for one in found.files], found.by)
    assert found.notice.startswith("selected by rules, not by a model: ")


def test_without_a_model_or_files_nothing_is_asked(folder, tmp_path):
    """The notice says that none is set up; an empty directory costs no question."""
    with temporary_memory(memdir=folder) as m:
        found = m.memdir.choose("which port does staging use?")
        assert ("rules", "selected by rules, not by a model: no language model is configured") == (
            found.by,
            found.notice,
        )
    (tmp_path / "none").mkdir()
    found, llm = chosen(str(tmp_path / "none"))
    assert ([], "", []) == (found.files, found.notice, llm.asked)


def test_at_most_the_limit_is_taken(folder):
    """However many it names."""
    found, _llm = chosen(folder, {"files": ["ports.md", "style.md"]}, limit=1)

    assert ["ports.md"] == [one.path for one in found.files]
