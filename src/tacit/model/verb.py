"""How the arguments of a verb are declared: a type, a default, one sentence. All doors read the same declaration."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


def arg(
    sentence: str, *, ge: float | None = None, le: float | None = None, choices: Sequence[str] = (), option: str = "",
    metavar: str = "", reads_input: bool = False, record: bool = False, words: bool = False,
) -> msgspec.Meta:  # fmt: skip
    """Describe an argument: `Annotated[int, arg("At most this many.", ge=1)]`.

    `option` and `metavar` give it another name on the command line; `reads_input` lets `-` mean standard input there.
    `record` says that it names records, which may be given by the last letters of their ids; `words` lets it be typed
    there without quotes.
    """
    spelled = {
        "option": option,
        "metavar": metavar,
        "reads_input": reads_input,
        "record": record,
        "words": words,
        "choices": tuple(choices),
    }
    return msgspec.Meta(
        description=sentence, ge=ge, le=le, extra={name: value for name, value in spelled.items() if value},
        extra_json_schema={"enum": list(choices)} if choices else None,
    )  # fmt: skip
