"""A recap tells which files a session wrote, moved and deleted, by what is so at its end; it tells nothing false."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.commands.file_steps import file_steps
from tacit.sessions.rules.commands.shell_changes import written_by

from .test_recap import edited, only_looked, ran, said, told

COMMIT = "git commit -am 'Add export'"


def deleted(*turns) -> list[str]:
    return [one for one in told(*turns).failed if one.startswith("Deleted")]


def moved(*turns) -> list[str]:
    return [one for one in told(*turns).failed if one.startswith("Moved")]


@pytest.mark.parametrize("line", [
    "sed -Ei s/a/b/ a.py", "sed -ni 1p a.py", "sort -uo a a", "uniq a b", "find . -fls f", "sed -E -i s/a/b/ a.py",
    "echo x > a.py", "git diff --output=x.patch", "tree -o f", "fd -x rm", "cat a | less -o f",
])  # fmt: skip
def test_a_command_that_writes_a_file_does_not_only_look(line):
    """A reviewer: of five ways to write a file it was told that no command changed anything."""
    assert not only_looked(told(said("Where is the till?"), ran(line)))


@pytest.mark.parametrize("line", [
    "grep -in till a.py", "grep -o x a | sort | uniq -c", "git blame a.py", "git -C src log", "realpath a.py", "ls -o",
    "find . -name a 2>/dev/null || true",
])  # fmt: skip
def test_an_option_that_writes_with_one_program_only_looks_with_another(line):
    """`-i` and `-o` counted as writing whatever the program."""
    assert only_looked(told(said("Where is the till?"), ran(line)))


@pytest.mark.parametrize("between", [
    "git pull", "git merge x", "git checkout release", "git switch release", "git cherry-pick x", "git rebase main",
    "git reset --hard origin/main", "git am x.patch", "git revert 1a2b3c4", "git pull && git status",
])  # fmt: skip
def test_a_revert_of_an_unknown_commit_takes_back_none(between):
    """A reviewer: "Committed and reverted: Add export" was told though the merge before it was reverted."""
    found = told(edited("/w/a.py"), ran(COMMIT), ran(between), ran("git revert HEAD"))

    assert not any("reverted" in one for one in found.failed)


@pytest.mark.parametrize("between", [
    "git checkout -- b.py", "git checkout src/b.py", "git checkout -b other", "git switch -c other", "git reset b.py",
    "git push", "git merge --abort", "git reset HEAD b.py", "git -C ../other pull", "git log --grep=commit -1",
])  # fmt: skip
def test_a_revert_of_the_last_commit_takes_it_back(between):
    found = told(edited("/w/a.py"), ran(COMMIT), ran(between), ran("git revert HEAD"))

    assert ((), "Committed and reverted: Add export") == (found.commits, found.failed[0])


def test_a_commit_and_its_revert_on_one_line_are_both_told():
    """The revert hid the commit."""
    assert ("Committed and reverted: Add export",) == told(ran(f"{COMMIT} && git revert --no-edit HEAD")).failed[:1]


@pytest.mark.parametrize("later", [
    [ran("git checkout src/old.py")], [ran("git checkout src/")], [ran("git stash")],
    [ran("cp /tmp/old.py src/old.py")],
    [ran("mv src/new.py src/old.py")], [ran("echo x > src/old.py")], [ran("cp /tmp/old.py src/")],
    [ran(COMMIT), ran("git revert HEAD")], [ran(COMMIT), ran("git reset --hard HEAD~1")], [ran("cat src/old.py")],
    [ran(COMMIT), ran("git checkout HEAD~1 -- src/old.py")], [ran("touch src/old.py")], [edited("/w/src/old.py")],
    [ran("cd /w/src && sed -i s/a/b/ old.py")],
])  # fmt: skip
def test_what_is_there_again_was_not_deleted(later):
    """A reviewer: it was told as deleted after each of these."""
    assert [] == deleted(ran("git rm src/old.py"), *later)


@pytest.mark.parametrize("later", [
    [ran("git stash"), ran("git stash pop")], [ran(COMMIT), ran("git stash")], [ran("git checkout main")],
    [ran("git add src/old.py"), ran(COMMIT)], [ran(COMMIT), ran("git pull"), ran("git revert HEAD")],
    [ran("cp a.py src/older.py")], [ran(COMMIT), ran("git revert HEAD"), ran("git revert HEAD")],
])  # fmt: skip
def test_what_is_not_there_again_was_deleted(later):
    assert ["Deleted src/old.py"] == deleted(ran("git rm src/old.py"), *later)


@pytest.mark.parametrize(("before", "line", "is_told"), [
    ([], "rm -f src/old.py", False), ([ran("grep -n x src/old.py")], "rm -f src/old.py", True),
    ([said("Please delete old.py")], "rm -rf src/old.py", True), ([], "git rm -f src/old.py", True),
    ([ran("python make.py --to src/old.py"), ran("cat src/old.py")], "rm -f src/old.py", False),
    ([], "rm src/old.py 2>/dev/null; ls", False), ([ran("python a.py; cat src/old.py")], "rm -f src/old.py", False),
    ([ran("cat src/old.py", False, "cat: src/old.py: No such file")], "rm -f src/old.py", False),
])  # fmt: skip
def test_what_may_not_have_been_there_was_deleted_only_if_the_session_says_that_it_was(before, line, is_told):
    """`rm -f` works whether or not there is a file."""
    assert is_told == bool(deleted(*before, ran(line)))


@pytest.mark.parametrize("lines", [
    ["echo 'x' > req.cjs && node req.cjs; rm req.cjs"], ["cat > req.cjs <<E\nx\nE", "rm req.cjs"],
    ["echo 'x' > req.cjs", "node req.cjs", "rm -f req.cjs"], ["cd /w && echo x > req.cjs", "rm req.cjs"],
    ["cd \"$D\" && cat > req.cjs <<E\nx\nE", "cd \"$D\" && rm req.cjs"], ["echo x | tee req.cjs", "rm ./req.cjs"],
    ["cp a.cjs req.cjs", "rm req.cjs"], ["touch req.cjs", "cd /w && rm req.cjs"],
])  # fmt: skip
def test_a_file_that_was_only_there_for_a_while_is_not_told(lines):
    """A reviewer: scratch files that a shell wrote were told as deleted."""
    found = told(said("Try it"), *map(ran, lines))

    assert ((), []) == (found.files, deleted(*map(ran, lines)))


@pytest.mark.parametrize(("lines", "is_told"), [
    (["git mv a.py b.py", COMMIT, "git revert HEAD"], False), (["git mv a.py b.py", COMMIT], True),
    (["git mv a.py b.py", "git stash"], False), (["git mv a.py b.py", "git stash", "git stash pop"], True),
    (["git mv a.py b.py", COMMIT, "git pull", "git revert HEAD"], True), (["cd /w && mv a.py b.py"], True),
    (["git mv a.py b.py", COMMIT, "git reset --hard HEAD~1"], False), (["mv a.py b.py", "rm b.py"], False),
])  # fmt: skip
def test_what_was_moved_and_taken_back_was_not_moved(lines, is_told):
    """A reviewer: "Committed and reverted: Rename. Moved a.py to b.py." """
    assert (["Moved a.py to b.py"] if is_told else []) == moved(*map(ran, lines))


@pytest.mark.parametrize(("line", "files"), [
    ("sed -Ei s/a/b/ a.py", ["a.py"]), ("sed -ni 1p a.py", ["a.py"]), ("sed -E -i s/a/b/ a.py b.py", ["a.py", "b.py"]),
    ("sed -i '' s/a/b/ a.py", ["a.py"]), ("sed -i.before -e s/a/b/ -e s/c/d/ a.py", ["a.py"]),
    ("sed -i.feb s/a/b/ a.py", ["a.py"]), ("sort -uo a.txt a.txt", ["a.txt"]), ("tee a.py <<EOF\nx\nEOF", ["a.py"]),
    ("echo x > a.py", ["a.py"]), ("perl -pi -e s/a/b/ a.py", ["a.py"]), ("git diff --output=a.patch", ["a.patch"]),
    ("awk -i inplace '{print}' a.txt", ["a.txt"]), ("yq -i '.a = 1' a.yml", ["a.yml"]), ("echo x >> a.py", ["a.py"]),
    ("cat > \"src/[id]/my page.py\" <<E\nx\nE", ["src/[id]/my page.py"]), ("perl -0pi -e s/a/b/ a.py", ["a.py"]),
    ("cat a > /tmp/x.py", []), ("sed -i s/a/b/ *.py", []), ("echo x > $F", []), ("ls 2> errors.txt", []),
    ("curl -s https://a.example/x -o x.json", ["x.json"]), ("curl -sO https://a.example/x", []), ("x > NUL", []),
    ("git ls-files -o src", []), ("sed -n s/a/b/p a.py", []), ("make > build.log", []), ("echo 'a > b.py'", []),
])  # fmt: skip
def test_the_files_that_a_line_writes(line, files):
    """A reviewer: the guard named files where a recap named none."""
    assert files == written_by(line)


@pytest.mark.parametrize(("line", "files"), [
    ("cd /w && cat > src/a.py <<EOF\nx\nEOF", ("src/a.py",)), ("cd /w/src && sed -i s/a/b/ a.py", ("src/a.py",)),
    ("cd /w && sed -i s/a/b/ a.py && cd /other && echo x > b.py", ("a.py", "/other/b.py")),
    ("cd /w; echo x > a.py", ("a.py",)),
    ("cd src && sed -i s/a/b/ a.py", ()), ("cd \"$D\" && echo x > a.py", ()), ("cd - && echo x > a.py", ()),
    ("(cd /other && echo x > a.py); echo x > b.py", ("/other/a.py", "b.py")),
    ("cd /w # (the shop)\necho x > a.py", ("a.py",)),
    ("echo x > docs/use-case.md", ("docs/use-case.md",)), ("sed -i 's/for x in/if y/' a.py", ("a.py",)),
    ("for f in a.py; do sed -i s/a/b/ $f; done", ()), ("if true; then echo x > a.py; fi", ()),
    ("case x in y) echo x > a.py;; esac", ()), ("f() { echo x > a.py; }", ()), ("true || echo x > a.py", ()),
    ("[ -f b ] && echo x > a.py; ls", ()), ("[ -f b ] && echo x > a.py", ("a.py",)),
    ("head -n 3 b && echo x > a.py", ("a.py",)),
    ("cd /w && git add src/a.py docs", ("src/a.py", "docs")), ("git -C /w/src add a.py", ("src/a.py",)),
    ("git -C ../other add a.py", ()), ("git add a.py || true", ("a.py",)),
    ("cat > a.py <<'E'\nfor x in y: (\nE\nls", ("a.py",)),
])  # fmt: skip
def test_files_are_known_where_the_folder_is_and_the_command_was_run(line, files):
    """A reviewer: `cd /repo && cat > file` listed nothing, nor did a file with the word `case` in its name."""
    assert files == told(ran(line)).files


@pytest.mark.parametrize(("turns", "files"), [
    ([edited("/w/queries/a.sql"), ran("git add queries migrations/001.sql migrations")],
     ("queries/a.sql", "migrations/001.sql")),
    ([ran("git add queries")], ("queries",)),
    ([edited("/w/queries.sql"), ran("git add queries")], ("queries.sql", "queries")),
])  # fmt: skip
def test_a_staged_folder_is_not_told_beside_a_file_in_it(turns, files):
    """A reviewer: "Changed queries/a.sql, migrations/001.sql, queries and migrations." """
    assert files == told(*turns).files


@pytest.mark.parametrize(("lines", "files"), [
    (["git stash"], ()), (["git stash", "git stash pop"], ("a.py",)), ([COMMIT, "git stash"], ("a.py",)),
    ([COMMIT, "git revert HEAD"], ()), ([COMMIT, "git pull", "git revert HEAD"], ("a.py",)),
    ([COMMIT, "git revert HEAD", "git revert HEAD"], ("a.py",)), (["git stash push -- a.py"], ()),
    (["cd /w && rm a.py"], ()),
])  # fmt: skip
def test_a_file_is_changed_as_long_as_git_holds_the_change(lines, files):
    assert files == told(edited("/w/a.py"), *map(ran, lines)).files


def test_a_line_that_only_asks_is_not_parsed():
    """To parse every line takes a hundred times as long as to look for a few letters."""
    assert () == file_steps("git log --oneline | grep -v fix 2>/dev/null; git status && npm test -- --watch=false")


def test_what_git_says_is_deleted_was_not_changed():
    """Two blind judges and a newcomer: files that were deleted with a tool, and staged by name, stood as changed."""
    staged = ran("git add a.yml b.py && git commit -m 'Use one workflow'",
                 output="[main 1234567] Use one workflow\n 2 files changed\n delete mode 100644 a.yml\n")  # fmt: skip
    status = ran("git status", output="Changes not staged for commit:\n\tdeleted:    a.yml\n\tmodified:   b.py\n")
    found = told(said("Use one workflow"), staged)

    assert (("b.py",), ("Deleted a.yml",)) == (found.files, found.failed)
    assert ("b.py",) == told(said("Use one"), status, ran("git add a.yml b.py && git commit -m 'x y'")).files
    before = told(said("Use one"), status, edited("/w/c.py"), ran("git status --short", output=" D a.yml\n M c.py\n"))
    assert not any("Deleted" in one for one in before.failed)


def test_files_that_are_staged_behind_a_mark_are_changed():
    """A newcomer's trial: `git add -- "a" "b"` staged them by name, and nothing was told as changed."""
    line = 'git add -- "a/b.py" "c.py" && git commit -m "feat: x"'

    assert ("a/b.py", "c.py") == told(
        said("Add it"), ran(line, output="[main 1234567] feat: x\n 2 files changed")
    ).files


def test_what_was_cleaned_away_by_its_folder_was_not_changed():
    """A test that proved something, and was cleaned away as asked, stood as the one changed file of a review."""
    proof = Turn(role="assistant", tool=ToolCall(name="Write", kind="edit", paths=("/w/src/test/a_test.py",)),
                 outcome=ToolOutcome(ok=True))  # fmt: skip

    assert (
        () == told(said("Prove it"), proof, ran("git clean -fq src/test && git status -sb", output="## main\n")).files
    )
    assert ("src/test/a_test.py",) == told(said("Prove it"), proof, ran("git clean -n src/test")).files
