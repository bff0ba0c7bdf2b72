"""Which files a recap says were changed, deleted or left uncommitted, and what it says where little was done."""

import pytest

from tacit.sessions.rules.recap_text import recap_text

from .test_recap import edited, ran, said, told

ME = "/home/dev/me"


def changed(*turns):
    return told(*turns).files


def test_a_file_is_told_once_if_it_was_called_by_its_whole_path_as_well():
    """Judged: package.json stood twice, once with the whole path of the project."""
    turns = edited(f"{ME}/package.json", f"{ME}/src/till.ts"), ran("sed -i s/a/b/ package.json src/till.ts")

    assert ("package.json", "src/till.ts") == changed(ran(f"git -C {ME} status"), *turns)


def test_a_file_that_was_staged_by_its_whole_path_is_told_once():
    staged = ran(f"git -C {ME} add {ME}/package.json && git -C {ME} commit -m 'Add'")

    assert ("package.json",) == changed(edited("package.json"), ran(f"git -C {ME} status"), staged)


def test_files_of_one_name_in_two_folders_are_two():
    turns = edited("/other/shop/package.json"), ran("sed -i s/a/b/ package.json")

    assert {"package.json", "/other/shop/package.json"} == set(changed(*turns))


def test_a_folder_is_told_as_one():
    """Judged: a folder was told as a file."""
    turns = ran("ls src/till/box.go"), ran("git add src/till docs && git commit -m 'Add the till'")

    assert ("docs", "src/till/") == changed(*turns)


NEW = "?? src/bootstrap.go\n M src/till.go\n"


def test_what_a_session_made_and_deleted_was_neither_changed_nor_deleted():
    """Judged: a file that git listed as new was told as changed and as deleted."""
    found = told(
        ran("make generate"), ran("git status --short", output=NEW),
        ran("git add src/bootstrap.go src/till.go"), ran("rm src/bootstrap.go"), ran("git commit -m 'Split'"),
    )  # fmt: skip

    assert ("src/till.go",) == found.files
    assert "Deleted" not in recap_text(found)


def test_new_files_are_listed_first():
    listed = " M a.py\n M b.py\n?? new.py\nA  added.py\n"
    long = "Changes not staged for commit:\n\tmodified:   a.py\n\nUntracked files:\n\tnew.py\n"

    assert ("new.py", "added.py", "a.py", "b.py") == told(ran("git status -s", output=listed)).uncommitted
    assert ("new.py", "a.py") == told(ran("git status", output=long)).uncommitted


LIMITED = "git status --short -- src/till.py src/box.py"


@pytest.mark.parametrize(("turns", "listed"), [
    ([], ()), ([edited("/w/src/till.py")], ("src/till.py",)), ([ran("sed -i s/a/b/ src/box.py")], ("src/box.py",)),
])  # fmt: skip
def test_a_status_of_some_files_tells_only_what_the_session_changed(turns, listed):
    """Judged: a review asked git about the files that it reviewed, and they were told as left uncommitted."""
    review = ran("rg till"), ran(LIMITED, output=" M src/till.py\n M src/box.py\n")

    assert listed == told(said("Review the till"), *turns, *review).uncommitted


def test_a_session_that_only_arranged_something_has_a_recap():
    """A newcomer's trial: "nothing was asked or run in it" was said of a session of seven commands."""
    looked = [ran("ls /w/docs"), ran("cat /w/a.csv"), ran("find /w -name c.yaml -exec cat {} +")]

    assert "Looked at a.csv.\nRan `mkdir -p /w/docs/new`." == recap_text(told(*looked, ran("mkdir -p /w/docs/new")))
    assert "Only read-only commands ran; files read: a.csv." == recap_text(told(*looked))


def test_what_is_not_known_to_have_worked_was_tried():
    assert "Tried `mkdir a`." == recap_text(told(*[ran("mkdir a", False)] * 2))
    assert "Tried `pnpm add box`." == recap_text(told(ran("ls"), ran("pnpm add box", output="Command running in "
        "background with ID: b9. Output is being written to: /tmp/x")))  # fmt: skip
