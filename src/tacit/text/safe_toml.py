"""Read TOML that somebody else wrote: any problem is raised as one type of error, and no text takes long to read."""

from __future__ import annotations

import re
from typing import Any

from tacit.errors import ConfigError
from tacit.text.patterns import lazy_pattern

# The parser's time grows with the square of the parts of a key: 32,000 parts take 14 seconds.
MOST_PARTS = 16
_PART = r"""(?>[\w-]+|"(?>[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
# Read token by token, so that dots in comments and strings do not count. A string without an end is a token too:
# starting anew at each of its quotes would take longer than the parser.
_TOKEN = lazy_pattern(
    rf"(?P<long>(?>{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}})|[\w-]++|\#[^\n]*+"
    r"""|\"{3}(?>[^"\\]|\\.|"(?!""))*+"{0,5}|'{3}(?>[^']|'(?!''))*+'{0,5}|"(?>[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|.""",
    re.DOTALL,
)
_LARGEST = 2**63
_MOST_SHOWN = 200


def read_toml(text: str, what: str) -> dict[str, Any]:
    """Read a document.

    Raises:
        ConfigError: it is not TOML, nested too deeply, or holds a number beyond 64 bits; names `what` and the problem.
    """
    # Imported on use: most hooks find no file to read.
    import tomllib

    try:
        # A key stands on one line, so most files need no second look.
        dotted = any(line.count(".") >= MOST_PARTS for line in text.split("\n"))
        if dotted and any(token.lastgroup for token in _TOKEN.finditer(text)):
            raise ValueError(f"a key in it has over {MOST_PARTS} parts")
        content = tomllib.loads(text)
        _check(content)
    except RecursionError:
        problem = "it is nested too deeply"
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
    except ValueError as error:
        # Python's own words for a number with too many digits advise to allow more.
        problem = "a number in it is too long" if "digits" in str(error) else str(error)
    else:
        return content
    raise ConfigError(f"{what} cannot be read: {problem[:_MOST_SHOWN]}", "correct the file")


def _check(value: Any) -> None:
    """Refuse what TOML does not allow and the parser lets pass: integers beyond 64 bits."""
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        raise ValueError("a number in it is too long")
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check(one)
