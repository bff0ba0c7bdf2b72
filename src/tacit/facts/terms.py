"""Terms: definitions, linked to the facts and entities that use them. Namespaces: parts of a scope."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tacit.errors import Conflict, NotFound, UsageError
from tacit.facts.entity_graph import own_link
from tacit.model.event import NewEvent
from tacit.model.kinds import IN_USE, fold
from tacit.model.link import DEFINES, Link
from tacit.model.payload import Namespace, Term
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, RecordPage, payload_of
from tacit.model.scope import parse_scope
from tacit.model.verb import arg
from tacit.records.arguments import After, Id, Limit, Namespace as InNamespace, Query, text_of, whole_of
from tacit.records.connection import Connection
from tacit.records.forget import retire_record
from tacit.records.keep import ensure, reword
from tacit.records.write import admitted, keep_vectors, retry_lost_write, writing
from tacit.text.plural import plural
from tacit.text.tokens import query_tokens

TermName = Annotated[str, arg("A term, by its name or id.", record=True)]
NamespaceName = Annotated[str, arg("The name of a namespace.")]


class TermView(NamedTuple):
    """A term, and the records that use it."""

    record: Record
    uses: list[Record]


@retry_lost_write
def add_term(
    c: Connection, term: Annotated[str, arg("The term.")],
    definition: Annotated[str, arg("What the term means in this scope.")] = "", *,
    category: Annotated[str, arg("The group of terms that this term belongs to.")] = "", namespace: InNamespace = "",
) -> Record:  # fmt: skip
    """Define a term. If it exists, a new definition or category replaces the old one."""
    c = c.narrowed(namespace=namespace)
    if not isinstance(term, str) or not term.strip():
        raise UsageError("a term needs a name", 'for example `tacit term add SLO "service level objective"`')
    # Taken out before the name is folded into a key: the redactor could not know a folded secret.
    term = c.redact(" ".join(term.split()))
    draft = admitted(c, Draft(
        kind="term", scope=str(c.scope), title=term, body=definition, key=fold(term),
        payload=Term(term=term, category=category or "general"),
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        record = ensure(c, tx, draft, now)
        old = payload_of(record, Term)
        payload = Term(term=old.term, category=payload_of(draft, Term).category if category else old.category)
        if (draft.body and draft.body != record.body) or payload != old:
            record = reword(c, tx, record, now, body=draft.body or record.body, payload=payload)
        keep_vectors(c, tx, c.meaning.of_records([record]))
        tx.append(NewEvent(type="term.added", subject=record.id, scope=record.scope))
    return record


def find_term(c: Connection, term: TermName) -> Record:
    """Return a term by id or name. Terms of the connection's own scope come first."""
    if (record := c.get(text_of(term, "term"))) and record.kind == "term":
        return record
    found = c.store.find(c.filter(kinds=("term",), key=fold(term)), limit=10).records
    own = [record for record in found if record.scope == str(c.scope)]
    if not found:
        raise NotFound(f"no term {term[:80]!r} in {', '.join(c.walls)}", "`tacit term list` shows the terms")
    return (own or list(found))[0]


def show_term(c: Connection, term: TermName) -> TermView:
    """Show a term by id or name, with the records that use it."""
    record = find_term(c, term)
    return TermView(record, uses_of(c, record.id))


def list_terms(
    c: Connection,
    *,
    category: Annotated[str, arg("Only terms of this category.")] = "",
    limit: Limit = 100,
    after: After = "",
) -> RecordPage:
    """List terms, newest first."""
    facets = (("category", fold(text_of(category, "category"))),) if category else ()
    where = c.filter(kinds=("term",), facets=facets)
    return c.store.find(where, limit=whole_of(limit, "limit"), after=text_of(after, "after"))


def search_terms(c: Connection, query: Query, *, limit: Limit = 20) -> list[Record]:
    """Find terms by the words of their names and definitions, best first."""
    matches = c.store.match(query_tokens(text_of(query, "query")), c.filter(kinds=("term",)), whole_of(limit, "limit"))
    records = c.store.get_many([match.id for match in matches], c.walls)
    return [records[match.id] for match in matches if match.id in records]


@retry_lost_write
def link_term(c: Connection, term: TermName, target: Id) -> Link:
    """Record that a fact, note or entity uses a term."""
    record, other = find_term(c, term), c.require(target)
    now = c.clock.now()
    link = Link(source=record.id, relation=DEFINES, target=other.id, scope=str(c.scope), since=now)
    with writing(c, now) as tx:
        tx.link(link)
        tx.append(NewEvent(type="term.linked", subject=record.id, scope=str(c.scope)))
    return link


@retry_lost_write
def unlink_term(c: Connection, term: TermName, target: Id) -> None:
    """Record that a fact, note or entity no longer uses a term."""
    record, now = find_term(c, term), c.clock.now()
    link = own_link(c, record.id, DEFINES, target)
    if link is None:
        raise NotFound(f"{record.title} is not linked to {str(target)[:80]}", "`tacit term show` lists its links")
    with writing(c, now) as tx:
        tx.unlink(record.id, DEFINES, target, link.scope, now)
        tx.append(NewEvent(type="term.unlinked", subject=record.id, scope=str(c.scope)))


def uses_of(c: Connection, term: TermName) -> list[Record]:
    """List the records that use a term."""
    links = c.store.links([find_term(c, term).id], c.walls, relation=DEFINES, incoming=False)
    records = c.store.get_many([link.target for link in links], c.walls)
    return [records[link.target] for link in links if link.target in records]


def terms_of(c: Connection, id: Id) -> list[Record]:
    """List the terms that a record uses."""
    links = c.store.links([id], c.walls, relation=DEFINES, outgoing=False)
    records = c.store.get_many([link.source for link in links], c.walls)
    return [records[link.source] for link in links if link.source in records]


def remove_term(c: Connection, term: TermName) -> Record:
    """Retire a term; `tacit undo` brings it back."""
    return retire_record(c, find_term(c, term))


# -- namespaces -------------------------------------------------------------------------------------------------


@retry_lost_write
def add_namespace(
    c: Connection,
    name: NamespaceName,
    description: Annotated[str, arg("What the namespace is for.", option="--description")] = "",
) -> Record:
    """Create a namespace inside the current scope. An existing namespace is left unchanged."""
    # Taken out before the name is folded into a key: the redactor could not know a folded secret.
    name = c.redact(text_of(name, "name"))
    c.scope.within(name)
    draft = admitted(c, Draft(
        kind="namespace", scope=str(c.scope), title=name, body=description, key=fold(name), payload=Namespace(name=name)
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        record = ensure(c, tx, draft, now)
        if description and record.body != draft.body:
            record = reword(c, tx, record, now, body=draft.body)
        tx.append(NewEvent(type="namespace.added", subject=record.id, scope=record.scope))
    return record


def list_namespaces(c: Connection) -> list[tuple[str, str, int]]:
    """List the namespaces of this scope: name, description and number of records."""
    if c.scope.namespace:
        # Namespaces do not nest.
        return []
    described = {record.title: record.body for record in _own_namespaces(c)}
    inside = (parse_scope(scope) for scope in c.store.scopes([str(c.scope)]))
    names = {scope.namespace for scope in inside if scope.namespace} | set(described)
    counted = ((name, described.get(name, ""), _held(c, name)) for name in sorted(names))
    return [(name, body, held) for name, body, held in counted if held or name in described]


def _own_namespaces(c: Connection) -> list[Record]:
    """Return the namespaces of this scope itself, without those of other scopes that the connection reads."""
    found = c.store.find(Filter(scopes=(str(c.scope),), kinds=("namespace",)), limit=1000).records
    return [record for record in found if record.scope == str(c.scope)]


def _held(c: Connection, name: str) -> int:
    inner = c.narrowed(namespace=name, create=True)
    return c.store.count(inner.filter(statuses=IN_USE))


def show_namespace(c: Connection, name: NamespaceName) -> tuple[str, str, int]:
    """Show one namespace: name, description and number of records."""
    text_of(name, "name")
    for found in list_namespaces(c):
        if found[0] == name:
            return found
    raise NotFound(f"no namespace {name[:80]!r} in {c.scope}", "`tacit namespace list` shows the namespaces")


def _statuses(c: Connection, name: str) -> str:
    """Return the options that list what a namespace holds, whatever its status."""
    held = c.store.stats([str(c.scope.within(name))]).statuses
    return " ".join(f"--status {status}" for status in sorted(held) if status in IN_USE)


def remove_namespace(c: Connection, name: NamespaceName) -> None:
    """Retire a namespace. It is refused while the namespace still contains records."""
    _name, _body, held = show_namespace(c, name)
    if held:
        raise Conflict(
            f"the namespace {name!r} still contains {plural(held, 'record')}",
            f"`tacit list --namespace {name} --all {_statuses(c, name)}` lists them, and `tacit remove` takes them out "
            "of use one by one",
        )
    for record in _own_namespaces(c):
        if record.key == fold(name):
            retire_record(c, record)
