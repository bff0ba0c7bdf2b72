"""Commands that an agent ended because they took too long, by what it says of them."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

_READ = 400
_METADATA = lazy_pattern(r"\s*</?(?:shell|bash)_metadata>\s*")
_TIMED_OUT = lazy_pattern(
    r"(?:bash|shell) tool terminated command after exceeding timeout (?P<ms>\d{1,9} ms)"
    r"|(?:Exit code \d+\s+)?(?:Error: )?Command timed out after "
    r"(?P<time>\d[\d.]*(?: ?m(?:s|in)?\b| ?s\b| seconds| minutes)(?: [\d.]+ ?s\b)?)"
)


def timed_out(output: str) -> str:
    """Return after what time an agent ended a command, as in `timed out after 120000 ms`; empty if it did not."""
    ends = output[:_READ], output[-_READ:]
    if not any("timed out" in one or "timeout" in one for one in ends):
        return ""
    # It says so first or last; anywhere else it is about something that the command itself did.
    last = _METADATA.sub("\n", ends[1]).rstrip().rpartition("\n")[2]
    said = _TIMED_OUT.match(ends[0].lstrip()) or _TIMED_OUT.match(last)
    return f"timed out after {said['ms'] or said['time']}" if said else ""
