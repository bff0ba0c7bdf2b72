"""Line continuations: what the shell removes, what it keeps, and where things were before."""

import pytest

from tacit.shell.grammar_repairs import tree_of
from tacit.shell.line_continuations import join_lines
from tacit.shell.parse import parse


@pytest.mark.parametrize(
    ("text", "joined"),
    [("r\\\nm -rf ~", "rm -rf ~"), ('echo "a\\\nb"', 'echo "ab"'), ("echo 'a\\\nb'", "echo 'a\\\nb'"),
     ("ls # a\\\nb", "ls # a\\\nb"), ("echo $'a\\\nb'", "echo $'a\\\nb'"), ("echo a\\\\\nb", "echo a\\\\\nb"),
     ("cat <<'E'\na\\\nb\nE", "cat <<'E'\na\\\nb\nE"), ("cat <<E\na\\\nb\nE", "cat <<E\nab\nE"),
     ('echo "$(echo \'a\\\nb\')"', 'echo "$(echo \'a\\\nb\')"'), ("a\\\n\\\nb", "ab")],
)  # fmt: skip
def test_a_continuation_is_removed_where_the_shell_removes_it(text, joined):
    """In words and double quotes, but not in single quotes, comments and quoted here-documents."""
    assert joined == join_lines(text.encode(), tree_of).source.decode()


@pytest.mark.parametrize(
    ("text", "spans"),
    [("r\\\nm -rf ~", ["r\\\nm", "-rf", "~"]), ("ls; r\\\nm a\\\nb c", ["ls", "r\\\nm", "a\\\nb", "c"]),
     ("l\\\n\\\ns é\\\nf \\\n x", ["l\\\n\\\ns", "é\\\nf", "x"])],
)  # fmt: skip
def test_spans_are_those_of_the_original(text, spans):
    """What is shown to a person is cut from the line as it was written."""
    words = [word for command in parse(text).commands for word in command.words]

    assert spans == [text.encode()[word.start : word.end].decode() for word in words]
