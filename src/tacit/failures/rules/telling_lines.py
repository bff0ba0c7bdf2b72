"""Which line of an error says what went wrong: not a header, a count, a usage, a hint, or what a host greets with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tacit.text.patterns import lazy_pattern

FAILED_TEST = "FAIL "
"""What a line begins with that names a test that failed, and what it says."""
_MESSAGE_WITHIN, _NAME_CHARS = 6, 60
# What mise, astro and others put before what a program says.
_PREFIX = lazy_pattern(r"(?:\d\d:\d\d:\d\d |\[[\w:.-]{1,40}\] )*+")
# None of them is why a command failed.
_MUTE = lazy_pattern(
    r"(?i)\W*+(?:"
    # Counts and headers of checkers and test runners.
    r"(?:found )?\d+ (?:\w+ )?(?:errors?|problems?|issues?|warnings?|failed|failures?|failing|tests?|passed)\b[^:]*:?"
    r"|(?:tests?|errors?|test (?:files|suites)|suites?|snapshots?|ran)\W? *\d+ [^:]*"
    r"|tests? no tests|(?:unhandled )?errors?(?: between tests)?\W*|error \S+\.\w+|_*(?: ?error (?:at|collecting) .*)?"
    r"|(?:interrupted: )?\d+ errors? during collection\W*|undefined"
    r"|\S+ \(\d+ tests?\b.*|failed (?:tests?|suites?) \d+\W*|fail(?:ed|ures?)?\W*"
    r"|FAIL(?:ED)? \S+(?: \[[\w ]+\]| \([^)]*\)| [\d.]+m?s)*|--- FAIL: \S+(?: \([\d.]+s\))?"
    # That something ended with an exit code.
    r"|(?:elifecycle\]? |error:? |npm (?:err!?|error) )*(?:command|process|script|test|tests|recipe|task|job|lifecycle)"
    r"\b.{0,80}\b(?:failed|exited|exit code|errored)\b.{0,60}"
    r"|(?:error:? )*(?:build|transform|compilation) failed(?: with .{0,40})?\W*"
    r"|.{0,60}\belifecycle\b.{0,20}|(?:signal: \w+|exit(?:ed)? (?:with )?(?:status|code):?) ?\d*"
    r"|npm warn\b.*|npm (?:err!?|error) ?|npm (?:err!?|error) (?:code|path|workspace|location|errno|syscall)\b.*"
    r"|npm (?:err!?|error) (?:a complete log|command|lifecycle)\b.*"
    r"|make(?:\[\d+\])?: (?:\*\*\*|leaving|entering) .*"
    # How it is called, and where to read about it.
    r"|usage:?.*|options:|try .{0,80}(?:-h|help)\b.*|(?:for|see) .{0,80}(?:help|information|details)\b.*"
    r"|(?:please )?run .{0,80}(?:help|for usage)\b.*|did you mean\b.*|(?:hint|note|help|info|docs|tip): .*"
    r"|(?:this|these) (?:stack trace|was)\b.*|the above error\b.*|.{0,40}(?:debug\.log|complete log)\b.*"
    # What is printed besides.
    r"|(?:ubuntu|debian|fedora|centos|alpine|welcome to|last login)\b.{0,80}|no output|warning\b.*"
    r"|(?:include|exclude|start at|duration|run):? .*|time:? +[\d.].*|(?:pass|ok|info|debug)\b.*"
    r"|(?:mon|tue|wed|thu|fri|sat|sun) \w{3} +\d.*|node\.js v\d.*|.*\(node:\d+\).*|\(use `?node --trace.*"
    r"|(?:at|from) \S.*[):]\d*|caused by:?|stack trace:|traceback \(most recent call last\):.*|file \".*"
    r")"
)
_GREETING = lazy_pattern(r"(?i)(?:ubuntu|debian|fedora|centos|alpine) [\w .]{1,40}|(?:welcome to|last login)\b.{0,80}")
# Shown lines of a program, commands that a runner prints, and what passed.
_CODE = lazy_pattern(
    r"(?:[>$+|^~✓✔√☑✅↓│]|-{1,2} |(?:\d+ )+[|│]|[❯→] \S+:\d+|raise \w|throw |node:|except |\}|\{|import "
    r"|from \S+ import|\"{3}|(?:await )?expect\(.*;$)"
)
# An exception with what it says, or an assertion as pytest shows it.
_THROWN = lazy_pattern(
    r"(?:(?:E|[●×✗✘-]|Uncaught|Unhandled|Error:|Caused by:|\[ERROR\]) )*"
    r"(?:(?:[\w.]+[.:])?[A-Z]\w*(?:Error|Exception|Failure|Rejection)(?: \[\w+\])?: \S|assertion .{0,80}failed)"
    r"|E (?:assert|Failed:) |(?:FAILED|ERROR) \S+ - \S|ERROR: \S"
    r"|(?:[Ee]rror: )+expect\("
)
_OF_PYTEST = lazy_pattern(r"\AE (?=[\w.]+: )")
_ERROR = lazy_pattern(r"(?i)(?<![\w/.-])(?:error|fatal|panic|exception)(?![\w/-]|\.\w)|error:")
_SAYS_WHY = lazy_pattern(
    r"(?i)\b(?:cannot|can't|can not|could not|couldn't|unable|failed to|invalid|unknown|unexpected|denied|refused"
    r"|does not|doesn't|not (?:found|allowed|supported|a|installed|permitted|exist)|requires?|must|undefined:|no such"
    r"|no (?:test|tests|files?|matching|module|package|space)\b|timed? ?out|missing [\w\"']"
    r"|expected .{1,80} (?:but|got|to|received)|forbidden|unauthorized|too (?:many|few))\b"
)
_AT_LINE = lazy_pattern(r"\S+\.\w{1,5}:\d+(?::\d+)?:? \S")
_IN_FILE = lazy_pattern(r"\d+:\d+ (?:error|✖) ")
_BIOME = lazy_pattern(r"(?P<at>[^\s:]+(?::\d+:\d+)?) [\w/]+(?: FIXABLE)? ━+")
_PATH = lazy_pattern(r"(?:[\w@.~-]*/)*[\w@.~\[\]-]+\.\w{1,6}")
_CAUSED = lazy_pattern(r"(?i)caused by:?(?: (?P<said>\S.*))?")
_NUMBERED = lazy_pattern(r"\d+: ")
# As go, rust and the runners of JavaScript name a test that failed, and go what it says.
_GO_TEST = lazy_pattern(r"(?P<how>--- FAIL:|=== RUN) +(?P<test>[\w/]\S*)")
_GO_SAID = lazy_pattern(r"\w\S*\.go:\d+:(?!\d)(?: (?P<said>.*))?")
_GO_ERROR = lazy_pattern(r"Error: +(?P<said>\S.*)")
_GO_WHY = lazy_pattern(r"(?i)\b(?:want|got|expected|error|err|fail\w*|unexpected|cannot|not|panic)\b")
_RUST = lazy_pattern(r"thread '(?P<test>[^']+)'(?: \(\d+\))? panicked at (?P<said>.*)")
_JS_TEST = lazy_pattern(r"(?:FAIL \S+ > |● )(?P<test>\S.*)")
_JS_HEADER = lazy_pattern(r"❯ \S+ \(\d+ tests? \| \d+ failed")
_JS_MARKED = lazy_pattern(r"[×✕✗] (?P<test>\S.*?)(?: \d+ ?ms)?")
_TESTS = ("--- FAIL:", "panicked at", "FAIL ", "●", "❯")


def telling_line(lines: Sequence[str]) -> str:
    """Return the line of an output that says best why a command failed; empty if none does."""
    return failed_test(lines) or next(telling_lines(lines), "")


def telling_lines(lines: Sequence[str]) -> Iterator[str]:
    """Return the lines that say what went wrong, those that say it best first."""
    said = [line for line in lines if not is_mute(line)]
    yield from _caused(lines)
    yield from thrown_lines(lines)
    for line in said:
        if found := _BIOME.fullmatch(line):
            after = lines[lines.index(line) + 1 :][:_MESSAGE_WITHIN]
            yield next(
                (f"{found['at']}: {one[2:].rstrip(':')}" for one in after if one.startswith("× ")), line.rstrip(" ━")
            )
        elif _ERROR.search(line):
            yield with_file(line, lines)
    yield from (line for line in said if _AT_LINE.match(line))
    yield from (line for line in said if _SAYS_WHY.search(line))


def thrown_lines(lines: Sequence[str]) -> Iterator[str]:
    """Return the lines in which an exception or an assertion says what it is about."""
    return (without_mark(line) for line in lines if not is_mute(line) and _THROWN.match(_bare(line)))


def without_mark(line: str) -> str:
    """Return an error without what pytest puts before it."""
    return _OF_PYTEST.sub("", line, count=1)


def last_told(lines: Sequence[str]) -> str:
    """Return the line with which an output ends that says what went wrong; empty if none does."""
    said = (line for line in reversed(lines) if not is_mute(line))
    return next(_caused(lines), "") or next(
        (one for one in said if _THROWN.match(_bare(one)) or _ERROR.search(one)), ""
    )


def is_mute(line: str) -> bool:
    """Return whether a line of an error does not say what went wrong."""
    bare = _bare(line)
    return not bare or bool(_CODE.match(bare) or _MUTE.fullmatch(bare))


def is_greeting(line: str) -> bool:
    """Return whether a line is what a host says before anything is run on it."""
    return bool(_GREETING.fullmatch(line))


def failed_test(lines: Sequence[str]) -> str:
    """Return the first test that failed, and what it says, as one line; empty if an output does not name it."""
    if not any(part in line for line in lines for part in _TESTS):
        return ""
    return _failed_in_go(lines) or _failed_elsewhere(lines) or _marked(lines)


def _failed_elsewhere(lines: Sequence[str]) -> str:
    for place, line in enumerate(lines):
        after = lines[place + 1 : place + 1 + _MESSAGE_WITHIN]
        if found := _RUST.match(line):
            said = next(iter(after), "") if found["said"].endswith(":") else found["said"]
            return _told(found["test"], said)
        if (found := _JS_TEST.match(line)) and (said := next(filter(_THROWN.match, after), "")):
            return _told(found["test"].replace(" › ", " > ").rpartition(" > ")[2], said)
    return ""


def _marked(lines: Sequence[str]) -> str:
    """Return the first test that is marked below the header of its file; what it says was perhaps cut."""
    headed = any(map(_JS_HEADER.match, lines))
    found = next(filter(None, map(_JS_MARKED.fullmatch, lines)), None) if headed else None
    return f"FAIL: {found['test']}" if found else ""


def _failed_in_go(lines: Sequence[str]) -> str:
    """Return a test of go: what it says comes after its failure, or before it where tests tell as they run."""
    test, running = "", ""
    said: list[str] = []
    for line, after in pairwise([*lines, ""]):
        if found := _GO_TEST.match(line):
            if test and said:
                break
            is_failed = found["how"] != "=== RUN"
            if is_failed and said and running == found["test"]:
                return _told(running, said[-1])
            test, running = (found["test"], running) if is_failed else ("", found["test"])
            said = [] if not is_failed or running != found["test"] else said
        elif found := _GO_SAID.match(line):
            what = found["said"] or after
            said += [what] if not what.startswith("Error Trace") else []
        elif (test or running) and (found := _GO_ERROR.match(line)):
            said.append(found["said"])
    return _told(test, next(filter(_GO_WHY.search, said), said[-1])) if test and said else ""


def _told(test: str, said: str) -> str:
    return f"{FAILED_TEST}{test[:_NAME_CHARS]}: {said}" if said else ""


def _caused(lines: Sequence[str]) -> Iterator[str]:
    """Return the last cause that an error gives for itself."""
    for line, after in reversed(list(pairwise([*lines, ""]))):
        if found := _CAUSED.fullmatch(line):
            said = found["said"] or _NUMBERED.sub("", after, count=1)
            if not is_mute(said):
                yield said
            return


def with_file(line: str, lines: Sequence[str]) -> str:
    """Return an error with the name of its file, if that stands on a line of its own before it."""
    if not _IN_FILE.match(line):
        return line
    before = lines[: lines.index(line)]
    name = next((one for one in reversed(before) if _PATH.fullmatch(one)), "")
    return f"{name}:{line}" if name else line


def _bare(line: str) -> str:
    found = _PREFIX.match(line)
    return line[found.end() :] if found else line
