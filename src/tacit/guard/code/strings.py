"""Strings in code of other languages, rewritten as plain quoted strings so that one pattern finds them all.

`qw(rm -rf)`, `%w[rm -rf]`, `[[rm -rf]]`, `"r" . "m"` and `#{Dir.home}` all become `"…"`.
"""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern

UNKNOWN_NAME = "$tacit_unknown"
_NESTED = "|".join(
    rf"\{one}((?:[^\{one}\{two}]|\{one}[^\{one}\{two}]*\{two})*)\{two}" for one, two in ("()", "{}", "[]", "<>")
)
_PAIRS = _NESTED + r"|([/|!~^,;:\"'#%&*+=.?@-])((?:(?!\6).)*)\6"
# Perl's q, qq, qw and qx, Ruby's %q, %Q, %w, %W, %x and %(…): which operator, then the text between its delimiters.
_PERL = lazy_pattern(rf"(?<![\w$@%&>-])q([qwx]?)\s*(?:{_PAIRS})", re.S)
_RUBY = lazy_pattern(rf"(?<![\w)\]])%([qQwWxiI]?)(?:{_PAIRS})", re.S)
_ELIXIR = lazy_pattern(rf"(?<![\w)\]])~([sScCwW])(?:{_PAIRS})", re.S)
_LUA = lazy_pattern(r"\[(=*)\[(.*?)\]\1\]", re.S)
_HEREDOC = lazy_pattern(r"<<<?[-~]?(['\"]?)(\w+)\1;?[^\n]*\n(.*?)\n\s*\2\b", re.S)
_HOME_TEXT = (
    r"(?:os\.)?homedir\(\)|Dir\.home(?:\(\))?|File\.expand_path\(\s*['\"]~['\"]\s*\)|Path\.home\(\)"
    r"|ENVIRON\[\s*['\"]HOME['\"]\s*\]|ENV(?:\.fetch\(|\[)\s*['\"]HOME['\"]\s*[)\]]"
    r"|\$_(?:ENV|SERVER)\[\s*['\"]HOME['\"]\s*\]|process\.env(?:\.HOME|\[\s*['\"]HOME['\"]\s*\])|"
    r"Deno\.env\.get\(\s*['\"]HOME['\"]\s*\)"
    r"|(?:os\.|Sys\.)?getenv\(\s*['\"]HOME['\"]\s*\)|System\.getProperty\(\s*['\"]user\.home['\"]\s*\)|"
    r"path\.expand\(\s*['\"]~['\"]\s*\)"
    r"|System\.user_home(?:!)?(?:\(\))?|\(getenv\s+\"HOME\"\)|os\.Getenv\(\"HOME\"\)"
)
_HOME = lazy_pattern(_HOME_TEXT)
_IN_STRING = lazy_pattern(rf"[#$]\{{\s*(?:{_HOME_TEXT})\s*\}}")
# A variable that means the same inside a string and outside.
_VARIABLE = lazy_pattern(r"\"(?:[^\"\\]|\\.)*\"|\$ENV\{\s*['\"]?HOME['\"]?\s*\}", re.S)
_M4 = lazy_pattern(r"`([^`']*)'")
# A text that is inserted into a text.
_CONSTANT = lazy_pattern(r"[#$]\{\s*([\"'])([^\"'{}]*)\1\s*\}")
# Languages in which two strings beside each other are one.
_ADJACENT = frozenset({"ruby", "python", "awk", "gawk", "mawk"})
_NEIGHBOURS = lazy_pattern(r"(?<![\\(,=])\"\s*\"(?![),])|(?<![\\(,=])'\s*'(?![),])")
_INTERPOLATED = lazy_pattern(r"[#$@]\{([^{}]*)\}")
MOST_INSERTED = 4
_QUOTE = lazy_pattern(r"[\"'`]")
_JOINED = lazy_pattern(r"(?<!\\)([\"'])\s*(?:\+|\.\.?|<>|\|\|)\s*(?<!\\)([\"'])")
_INDEXED = lazy_pattern(r"\[\s*[\"'](\w+)[\"']\s*\](?=\s*\()")


def with_plain_strings(code: str, language: str) -> str:
    """Return code with its strings in double quotes, what is joined joined, and a home as `~`."""
    if language == "perl":
        code = _PERL.sub(_requoted, code)
    elif language in ("ruby", "elixir"):
        code = (_RUBY if language == "ruby" else _ELIXIR).sub(_requoted, code)
    elif language == "lua":
        code = _LUA.sub(lambda found: _quoted(found.group(2)), code)
    elif language == "m4":
        code = _M4.sub(lambda found: _quoted(found.group(1)), code)
    code = _CHARACTERS.sub(_from_numbers, code)
    code = code.replace('"""', '"').replace("'''", "'")
    if "<<" in code:
        code = _HEREDOC.sub(lambda found: _quoted(found.group(3)), code)
    code = _IN_STRING.sub("~", code)
    code = _HOME.sub('"~"', code)
    code = _VARIABLE.sub(_with_home, code)
    code = _FORMATTED.sub(_filled, code)
    code = _CONSTANT.sub(r"\2", code)
    # What is inserted into a text is code of its own.
    inserted = [found.group(1) for found in _INTERPOLATED.finditer(code) if _QUOTE.search(found.group(1))][
        :MOST_INSERTED
    ]
    code = "\n".join((_INTERPOLATED.sub(UNKNOWN_NAME, code), *inserted))
    if language in _ADJACENT:
        code = _NEIGHBOURS.sub("", code)
    code = _with_joined(code)
    return _INDEXED.sub(r".\1", code)


# A text with places, and what is put into them: `("rm %s"):format(x)`, `sprintf("rm %s", x)`, `"rm %s" % [x]`.
_TEXT = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_FORMATTED = lazy_pattern(
    rf"\(?({_TEXT})\)?\s*:\s*format\(([^()]*)\)|\b(?:string\.format|[sS]printf|util\.format|format)\(\s*({_TEXT})\s*,([^()]*)\)"
    rf"|({_TEXT})\s*%\s*\[([^\[\]]*)\]"
)
_PLACE = lazy_pattern(r"%[-+ #0]*\d*(?:\.\d+)?[sdiqvxc]")


def _filled(found: re.Match[str]) -> str:
    """Return a text with what is put into its places, as far as that is written out."""
    text, given = next((one, two) for one, two in zip(found.groups()[::2], found.groups()[1::2], strict=True) if one)
    parts = [one.strip() for one in (given or "").split(",")]
    plain = [re.fullmatch(r"\"[^\"]*\"|'[^']*'", one) is not None for one in parts]
    filling = iter([one[1:-1] if is_plain else UNKNOWN_NAME for one, is_plain in zip(parts, plain, strict=True)])
    filled = _PLACE.sub(lambda _place: next(filling, UNKNOWN_NAME), text[1:-1])
    # What is put in may be code of its own.
    return f"{text[0]}{filled}{text[0]}" + "".join(
        f", {one}" for one, is_plain in zip(parts, plain, strict=True) if not is_plain
    )


# Characters given by their numbers.
_CHARACTERS = lazy_pattern(r"(?:string\.char|String\.fromCharCode|\bchr)\(([\d,\s]+)\)")


def _from_numbers(found: re.Match[str]) -> str:
    numbers = [int(one) for one in re.findall(r"\d+", found.group(1))]
    return _quoted("".join(chr(one) for one in numbers if one < 0x110000))


def _with_home(found: re.Match[str]) -> str:
    text = found.group(0)
    return re.sub(r"\$ENV\{\s*HOME\s*\}|\$HOME\b", "~", text) if text.startswith('"') else '"~"'


def _requoted(found: re.Match[str]) -> str:
    kind, *texts = found.groups()
    text = next((texts[at] for at in (0, 1, 2, 3, 5) if texts[at] is not None), "")
    return f"system({_quoted(text)})" if kind == "x" else _quoted(text)


def _quoted(text: str) -> str:
    plain = text.strip("\n").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def _with_joined(code: str) -> str:
    """Return code in which adjacent strings that an operator joins are one string."""
    made, at = [], 0
    for found in _JOINED.finditer(code):
        made.append(code[at : found.start()])
        # `"a" + 'b'` has two kinds of quotes; the second string is then ended by the first kind.
        if found.group(1) != found.group(2):
            made.append(found.group(0))
        at = found.end()
    return "".join((*made, code[at:]))
