"""The work one line may cost is counted: lines made to take long end in doubt, and never in allow by being long."""

import shlex

import pytest

from tacit.guard.code.python import python_as_shell
from tacit.guard.judge import judge
from tacit.shell.parse import MOST_BYTES, parse
from tacit.shell.unwrap import WorkBudget, everything
from tacit.shell.work_budget import MOST_WORK, parse_work

MANY = 40_000


def nested(word, times):
    """Return `rm -rf ~` quoted again and again."""
    line = "rm -rf ~"
    for _ in range(times):
        line = f"{word} {shlex.quote(line)}"
    return line


# What each of them asks for grows faster than the line: by loops in loops, expansion, quoting, wrapping, or rescanning.
HOSTILE = {
    "loops in loops": "for i in a b c d e f g h; do " * 20 + "ls $i;" + "done;" * 20,
    "commands": "ls;" * 20_000,
    "substitutions": "echo " + "$(ls) " * 9_000,
    "deep substitutions": "echo " + "$(" * 9_000 + "ls" + ")" * 9_000,
    "braces": "ls " + "{a,b,c,d}{a,b,c,d}{a,b,c,d} " * 900,
    "nested braces": "ls " + "{a," * 9_000 + "b" + "}" * 9_000,
    "words": "ls " + "a " * 30_000,
    "expansions": "a=b; ls " + "$a " * 20_000,
    "a word of holes": "ls " + "$a" * 20_000,
    "doubling": "a=b;" + "a=$a$a;" * 5_000 + "ls $a",
    "pipes": "ls" + "|cat" * 15_000,
    "pipes of shells": "cat x" + "|sh" * 15_000,
    "a text through many pipes": "echo " + "a" * MANY + "|rev" * 3_000,
    "redirections": "ls " + ">a " * 20_000,
    "documents": "cat <<E\nx\nE\n" * 5_000,
    "markers": "cat " + "<<E " * 15_000 + "\nx\nE\n",
    "expansions in a document": "cat <<E\n" + "$(ls) $x " * 6_000 + "\nE\n",
    "wrappers": "sudo " * 12_000 + "ls",
    "strings": "eval " * 12_000 + "ls",
    "machines": "ssh h " * 10_000 + "ls",
    "aliases": "alias " + "a=ls " * 12_000,
    "jobs": "crontab - <<'E'\n" + "@daily sudo ls\n" * 4_000 + "E",
    "growing file": "echo ls>>a;. a;" * 4_000,
    "rebase": "git rebase " + "-x ls " * 10_000,
    "parentheses": "(" * 30_000 + "ls" + ")" * 30_000,
    "doubling python": "python -c 'x=\"ab\";" + "x=x+x;" * 9_000 + "exec(x)'",
    "long python": "python -c '" + "x=1;" * 15_000 + "'",
    "short pipes": "a|" * 20_000 + "a",
    "assignments in a pipe": "x=1|" * 15_000,
    "arrays": "a=(" * 20_000,
    "case without an end": "case x in " + "a;" * 30_000,
    "labels": "for x in " + ";;" * 30_000,
    "comments in a case": "case x in " + "-# " * 20_000,
    "comparisons": "[[ " + "a<b " * 15_000,
    "open expansions": "${x" * 20_000,
    "evals of a long text": "x='" + "a|" * 1_000 + "a';" + 'eval "$x";' * 500,
    "sums": "python -c 'x=" + '"a"+' * 14_000 + "\"b\"'",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_what_would_take_too_long_is_doubt(name):
    """It ends, with a verdict that holds it back."""
    assert len(HOSTILE[name]) <= MOST_BYTES
    assert judge(HOSTILE[name]).verdict in ("unsure", "ask")


def test_what_was_found_before_the_budget_ended_counts():
    """A denial stays one, however much stands behind it."""
    assert "deny" == judge("rm -rf ~; " + "ls;" * 15_000).verdict
    assert "doubt.budget" == judge("ls;" * 15_000).rule


@pytest.mark.parametrize("unit", ["a|", "a;", "a ", "$(a) ", "case x in ", "[[ ", "a=(", "'a' "])
def test_parsing_is_counted_before_it_begins(unit):
    """R3: what the parser would be given is bounded by its words and marks, whatever they are."""
    assert parse_work(unit) <= 1
    assert parse_work(unit * 10_000) > MOST_WORK
    assert "doubt.budget" == judge(unit * 3_000).rule


def test_a_long_document_is_not_counted_as_words():
    """A file written with a here-document in which nothing is expanded may be any text."""
    table = "| a | b | c |\n" * 2_000
    line = f"cd /repo && cat > docs/table.md <<'EOF'\n{table}EOF\ngit add docs"

    assert "allow" == judge(line).verdict
    assert "deny" == judge(f"{line}; rm -rf ~").verdict
    assert "ask" == judge(f"# <<'EOF'\n{table}").verdict


def test_beyond_the_size_the_verdict_is_ask():
    """R3: over the limits a person is asked, at once."""
    assert ("ask", "doubt.size") == judge("ls " + "a" * 1_000_000)[:2]
    assert ("ask", "doubt.depth") == judge("$(echo " * 200 + ")" * 200)[:2]
    assert ("deny", "rm.home") == judge("rm -rf ~;" + "a|" * 20_000 + "a")[:2]


def test_the_budget_is_counted_and_shared_by_what_is_inside():
    """The same line costs the same; strings inside a line draw on what the line has left."""
    first, second = WorkBudget(), WorkBudget()
    list(everything(parse("sh -c 'ls; ls'"), first))
    list(everything(parse("sh -c 'ls; ls'"), second))

    assert first.done == second.done > parse("sh -c 'ls; ls'").work
    assert parse("ls;" * 10_000).work > MOST_WORK


SPACES = " " * MANY
SLOW_PATTERNS = [
    f"perl -e 'system{SPACES}x'", f"vim -c '{chr(10) * MANY}'", f"psql -c 'drop{SPACES}x'", f"ls {SPACES}",
    f"psql -c '.drop({SPACES}x'", "perl -e '" + 'unlink "a\\' * 4_000 + "'", "sed '" + "; " * 20_000 + "'",
    "gh " + "api " * 3_000, "java " + "jenkins-cli " * 1_200, "del " + "-r " * 4_000, "kill " + "a " * 4_000,
]  # fmt: skip


@pytest.mark.parametrize("line", SLOW_PATTERNS, ids=range(len(SLOW_PATTERNS)))
def test_patterns_do_not_look_again_and_again(line):
    """Texts made for patterns that start over at every place get a verdict too."""
    assert judge(line).verdict in ("allow", "ask", "unsure", "deny")


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_quoting_grows_and_is_followed_as_far_as_it_goes(times):
    """A line in a string in a string is still denied."""
    assert "deny" == judge(nested("sh -c", times)).verdict


def test_a_large_line_is_doubt_at_once():
    """A megabyte is not looked at."""
    assert "doubt.size" == judge("ls " + "a" * 1_000_000).rule


def test_python_text_that_doubles_is_given_up():
    """What it would run is not known."""
    told = python_as_shell("x='ab'\n" + "x=x+x\n" * 60 + "exec(x)")

    assert told is not None
    assert any("eval" in one for one in told)
