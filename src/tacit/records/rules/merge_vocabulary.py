"""The words that comparing statements relies on: opposites, verbs that take one value, labels, conditions, units.

They are listed as people write them and stored by their keys, so that one entry covers every form of a word.
"""

from tacit.records.rules.statement import read


def keys_of(text: str) -> frozenset[str]:
    """Return the keys of the words in a text, as `read` gives them."""
    found = read(text)
    return frozenset(found.keys if found else ())


_OPPOSITES = (
    "enable/disable on/off true/false allow/deny allow/forbid allow/prohibit allow/block allow/disallow permit/deny "
    "permit/forbid permit/prohibit before/after include/exclude accept/reject start/stop pass/fail "
    "add/remove connect/disconnect succeed/fail open/closed encourage/discourage keep/remove "
    "increase/decrease forbidden/allowed forbidden/permitted forbidden/required banned/allowed"
)
_OPPOSITE_QUALITIES = (
    "public/private sync/async synchronous/asynchronous manual/automatic manually/automatically required/optional "
    "mandatory/optional internal/external mutable/immutable valid/invalid blocking/nonblocking active/inactive "
    "strict/lenient safe/unsafe stateful/stateless singular/plural local/remote"
)


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(keys_of(pair.replace("/", " ")) for pair in text.split())


OPPOSED = _pairs(_OPPOSITES)
OPPOSED_QUALITIES = _pairs(_OPPOSITE_QUALITIES)

MODALS = keys_of("always must should shall can may will use to need ever any only prefer")
ASIDES = keys_of("port version value number about approximately around roughly")
PREPOSITIONS = keys_of("on at in by via through with over using to from into as under for of")
CARRIERS = keys_of("on at in by via through with over using to from into as under")
CONDITIONS = keys_of("if when whenever unless while where during except whether")
JOINTS = keys_of("and or also too additionally plus both either")
ADDITIONS = keys_of("also too additionally another")
REASONS = keys_of("because since after due so following per")
LABELS = keys_of(
    "issue bug ticket pr step phase chapter line page section rule commit case item figure question adr rfc task team "
    "story sprint shard replica exercise error code"
)
LABELLED = keys_of("response error status branch build release")
EXCLUSIVE = keys_of("required default minimum maximum mandatory needed recommended latest current pinned")
INCLUSIVE = keys_of(
    "support test see fix close cover include mention accept affect break pass fail work depend handle reproduce crash "
    "resolve refer read"
)
SURE_VERBS = keys_of(
    "is use listen live has have require need own handle depend contain belong happen cause prefer must should can "
    "will return expire support take retry go run hold keep wait reside sit default become follow send receive accept "
    "include equal allow deny enable disable store expect exceed provide serve treat throw raise"
)
VERBS = SURE_VERBS | keys_of(
    "start build test deploy ship log set write read put format lint pin cache queue commit push merge release migrate "
    "move point call name host configure define import install generate document publish track assign trigger"
)
TAKES_NAME = keys_of("use prefer choose pick adopt favor call name return equal target follow speak default")
TAKES_PLACE = keys_of(
    "run live sit reside deploy go ship listen bind store keep save write put host locate base build format manage "
    "serve point belong switch migrate move pin set default assign license connect log send publish install generate "
    "lint mock authenticate sign encrypt track configure define document cache queue push merge release partition "
    "index sort order group call name report route load start"
)
SINGLE = keys_of(
    "default owner lead database port language primary maintainer branch license format framework manager cause "
    "solution version region timezone encoding host url path location directory linter formatter runner tool"
)
OWNS = keys_of("own lead maintain manage")
OWNERS = keys_of("owner maintainer lead")
CROWDS = keys_of("team group squad guild")
OWNERS_OWN = keys_of("its their his her own")
COMMANDS = keys_of("make npm pnpm yarn cargo docker git uv poetry just task python bazel gradle mvn script")
PLACES = keys_of(
    "production prod staging stage dev development test testing ci local locally linux macos windows mac ios android "
    "docker kubernetes laptop debug preview qa sandbox"
)
CYCLES = tuple(
    keys_of(cycle)
    for cycle in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april june july august september october november december",
        "hourly daily nightly weekly biweekly monthly quarterly yearly",
        "once twice thrice",
    )
)
SCALES: dict[str, tuple[str, int]] = {
    "ms": ("time", 1),
    "second": ("time", 1_000),
    "minute": ("time", 60_000),
    "hour": ("time", 3_600_000),
    "day": ("time", 86_400_000),
    "week": ("time", 604_800_000),
    "byte": ("size", 1),
    "kb": ("size", 10**3),
    "mb": ("size", 10**6),
    "gb": ("size", 10**9),
    "tb": ("size", 10**12),
    "kib": ("size", 2**10),
    "mib": ("size", 2**20),
    "gib": ("size", 2**30),
}
