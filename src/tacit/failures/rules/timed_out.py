"""Commands that an agent ended because they took too long, by what it says of them."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

_END_READ = 400
_TIMED_OUT = lazy_pattern(
    r"(?m)^(?:bash|shell) tool terminated command after exceeding timeout (?P<ms>\d{1,9} ms)"
    r"|^(?:Error: )?Command timed out after "
    r"(?P<time>\d[\d.]*(?: ?m(?:s|in)?\b| ?s\b| seconds| minutes)(?: [\d.]+ ?s\b)?)"
)


def timed_out(output: str) -> str:
    """Return after what time an agent ended a command, as in `timed out after 120000 ms`; empty if it did not."""
    end = output[-_END_READ:]
    said = _TIMED_OUT.search(end) if "timed out" in end or "timeout" in end else None
    return f"timed out after {said['ms'] or said['time']}" if said else ""
