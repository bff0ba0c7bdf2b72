"""Tokens: names found whole and by their parts, any text survives, any engine can take the stream."""

import os
import sqlite3
import subprocess
import sys
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from tacit.text.stopwords import STOPWORDS
from tacit.text.tokens import LONGEST, MOST_QUERY_TOKENS, date_tokens, only_common, query_tokens, tokens
from tests.timing import assert_growth, cpu_s

ANY_TEXT = st.text(st.characters(codec=None, categories=None))  # lone surrogates and NUL too


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("format_tool_error", ["format_tool_error", "formatToolError", "format", "tool errors"]),
        ("self.format_tool_error(x)", ["format_tool_error", "self.format_tool_error", "tool"]),
        ("rate-limit", ["rate-limit", "rate_limit", "rateLimit", "ratelimit", "rate", "limits"]),
        ("src/dispatch.rs:42", ["dispatch.rs", "src/dispatch.rs", "dispatch", "rs", "42"]),
        ("HttpServerError2", ["HttpServerError2", "http", "server", "error", "2"]),
        ("api.internal:8443", ["api.internal:8443", "api.internal", "8443"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("--no-verify", ["--no-verify", "no-verify", "verify"]),
        ("/etc/hosts", ["/etc/hosts", "etc/hosts", "etc", "hosts"]),
        ("v1.2.3", ["v1.2.3", "1.2.3", "v1"]),
        ("c++, C# and .NET.", ["c++", "C++", "c#", ".net", "net"]),
        ("user@host.example", ["user@host.example", "user", "host.example", "host"]),
        ("a::b", ["a::b", "a", "b"]),
        ("node_modules/x.js", ["node_modules/x.js", "node_modules", "x.js", "modules"]),
        (r"C:\Users\me\notes.txt", ["notes.txt", "users", "C:/Users/me/notes.txt"]),
        ("getURLs APIs", ["url", "api", "getUrls"]),
        ("utf-8 sha256 x86_64", ["utf8", "sha-256", "x86_64"]),
        ("costs $1,200", ["1200", "1,200"]),
        ("Caroline's dogs", ["caroline", "dog", "Caroline’s"]),
        ("we don’t", ["don't"]),
        ("naïve Łódź Straße ﬁne", ["naive", "lodz", "strasse", "fine"]),
        ("e\u0301tude", ["étude", "etude"]),
        ("東京都に行く", ["東京都", "京都", "都", "行く"]),
        ("한국어 검색", ["한국어", "검색"]),
        ("हिन्दी йод", ["हिन्दी", "йод"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
    ],
)
def test_found_whole_and_by_parts(text, queries):
    """Each query asks for nothing the text does not hold."""
    held = set(tokens(text))
    for query in queries:
        asked = query_tokens(query)

        assert asked
        assert [] == [token for token in asked if token not in held], query


def test_wholes_rank_above_their_parts():
    """A name asks for itself as a whole, not only for its words."""
    assert ["formattoolerror", "format", "tool", "error"] == tokens("format_tool_error")
    assert "formattoolerror" not in tokens("error in the tool that formats")
    assert tokens("HttpServerError2")[0] == tokens("httpservererror2")[0]


def test_marks_of_other_scripts_stay():
    """Only Latin accents fold: a Cyrillic short i is another letter."""
    assert tokens("йод") != tokens("иод")


def test_normal_forms_are_twins():
    """Composed and decomposed spellings give the same tokens."""
    text = "Ångström café 한국어 日本 ｆｕｌｌ"

    assert tokens(unicodedata.normalize("NFC", text)) == tokens(unicodedata.normalize("NFD", text))


@given(ANY_TEXT)
def test_any_text_gives_tokens_any_engine_takes(text):
    """No token holds a space, a control character, a quote or a surrogate, or is too long."""
    for token in tokens(text):
        assert 0 < len(token) <= LONGEST
        assert [token] == token.split()
        assert '"' not in token
        assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zs") for character in token)


@given(st.lists(ANY_TEXT, max_size=4))
def test_texts_joined_by_a_space_join_their_tokens(texts):
    """The stream of a whole is the streams of its parts, so title and body can be indexed apart."""
    assert [token for text in texts for token in tokens(text)] == tokens(" ".join(texts))


@given(ANY_TEXT)
def test_a_query_asks_for_what_its_text_holds(text):
    """Query tokens are distinct, bounded, and taken from the stream."""
    asked = query_tokens(text)

    assert len(set(asked)) == len(asked) <= MOST_QUERY_TOKENS
    assert set(asked) <= set(tokens(text))
    assert bool(asked) == bool(tokens(text))


def test_stopwords_leave_the_query_but_not_the_index():
    """Unless there is nothing else to ask for."""
    assert ["carolin", "go", "support", "group"] == query_tokens("When did Caroline go to the support group?")
    assert ["to", "be", "or", "not"] == query_tokens("To be, or not to be?")
    assert "the" in tokens("the group")
    assert "may" not in STOPWORDS


def test_common_words_alone_tell_nothing():
    """A text of stopwords is known as such, however it is punctuated; one other word is enough, no word is not."""
    assert [True] * 3 == [only_common(text) for text in ("the", "To be, or not to be?", 'who\'s "it"')]
    assert [False] * 4 == [only_common(text) for text in ("the group", "may", "", "?!")]


def test_pairs_cover_single_characters_in_a_query():
    """A word of an unspaced script asks for its pairs; a single character for itself."""
    assert ["東京", "京都"] == query_tokens("東京都")
    assert ["字"] == query_tokens("字")


def test_a_date_is_found_by_any_of_its_names():
    """Day, month and year match as a person writes them, in UTC, in English on any machine."""
    held = date_tokens(datetime(2023, 5, 8, tzinfo=UTC))

    assert ["2023-05-08", "2023", "may", "8", "monday"] == held
    assert set(query_tokens("on Monday, 8 May 2023")) <= set(held)
    assert held == date_tokens(datetime(2023, 5, 7, 22, tzinfo=timezone(-timedelta(hours=3))))


@pytest.mark.parametrize("query", ['say "hi"', "a NOT b", "NEAR(a b)", "x*", "((", "col:x", "-x ^y", "'; drop", "\0"])
def test_full_text_engine_keeps_the_stream(query):
    """FTS5 indexes exactly these tokens, and a quoted OR of them finds the text whatever it says."""
    held = " ".join(tokens(f"{query} c++ user@host /etc/hosts"))
    marks = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum() and chr(code) != '"')
    database = sqlite3.connect(":memory:")
    tokenizer = "ascii tokenchars '" + marks.replace("'", "''") + "'"
    database.execute(f'create virtual table t using fts5(body, tokenize="{tokenizer}")')
    database.execute("create virtual table words using fts5vocab(t, row)")
    database.execute("insert into t values (?)", (held,))
    asked = " OR ".join(f'"{token}"' for token in query_tokens(f"{query} c++"))

    assert set(held.split()) == {row[0] for row in database.execute("select term from words")}
    assert 1 == len(database.execute("select 1 from t where t match ?", (asked,)).fetchall())
    database.close()


@pytest.mark.parametrize(
    "seed", ["a", "a/", "aB1", "字", "\ufdfa", ".", "'s", "1,", "_-", "\0", "\ud800", "e\u0301\u0327", "a "]
)
def test_time_grows_with_the_length(seed):
    """Ten times the text takes about ten times as long, whatever the text."""

    def seconds(length: int) -> float:
        text = (seed * length)[:length]
        return cpu_s(lambda: tokens(text))

    # Generous: quadratic growth would be a factor of 100.
    assert_growth(seconds, 20_000, 200_000, factor=40, slack_s=0.1)


def test_import_is_light():
    """Importing the module loads neither the stemmer nor numpy."""
    code = "import sys, tacit.text.tokens; print(sorted({'Stemmer', 'numpy', 'sqlite3'} & set(sys.modules)))"
    # Without the measurer of `make coverage`, which brings imports of its own.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout

    assert "[]" == printed.strip()
