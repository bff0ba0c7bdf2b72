"""Every error tacit raises, with its code for programs and its exit code for shells.

TacitError                  anything tacit raises on purpose
├── UsageError              a caller broke a documented rule (2)
├── ConfigError             the settings are invalid; nothing was opened (2)
├── MissingExtra            an optional part is not installed (2)
├── NotFound                no such record, scope, store or file here (3)
├── Refused                 a rule or policy forbids the call; nothing was written (4)
│   ├── NotAdmitted         the content breaks a limit or a rule
│   ├── PersonNeeded        only a person at a terminal may do this
│   ├── CitationProtected   a text that a person wrote cites the record
│   └── SwitchedOff         tacit is paused or switched off here
├── VerificationFailed      a check found something wrong (5)
├── Conflict                another writer was first, or the key is already taken (6)
│   ├── VersionConflict     the record changed since it was read
│   ├── KeyTaken            another record that is not retired already has this key
│   └── RefusedByPerson     a person discarded the same lesson, or voted it down
├── StoreError              the store could not be read or written (1)
│   ├── StoreMissing        the file of a known store does not exist
│   ├── StoreBusy           another writer held the lock for the whole wait time; a retry is safe (6)
│   ├── StoreFull           disk or quota is full; nothing was written
│   ├── StoreReadOnly       the file or its folder cannot be written
│   ├── StoreDamaged        the file is not a store, or it is damaged
│   ├── StoreReplaced       a different store is at the known path
│   ├── StoreUnreachable    the server did not answer or refused the login
│   ├── StoreNewer          a newer version of tacit wrote it; it was left unchanged
│   └── StoreClosed         the memory was used after it was closed
├── EmbedderFailed          the embedder did not answer; text search still works (1)
└── LlmFailed               the language model did not answer; rules are used instead (1)

A message says what happened and to what; a hint says what to do next. No hint suggests destroying anything.
"""

from __future__ import annotations


class TacitError(Exception):
    """Anything tacit raises on purpose."""

    code = "failure"
    exit_code = 1

    def __init__(self, message: str, hint: str = "", **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details


class UsageError(TacitError):
    """A caller broke a documented rule."""

    code = "usage"
    exit_code = 2


class ConfigError(TacitError):
    """The settings are invalid; nothing was opened."""

    code = "config"
    exit_code = 2


class MissingExtra(TacitError):
    """An optional part is not installed."""

    code = "missing_extra"
    exit_code = 2


class NotFound(TacitError):
    """No such record, scope, store or file here."""

    code = "not_found"
    exit_code = 3


class Refused(TacitError):
    """A rule or policy forbids the call; nothing was written."""

    code = "refused"
    exit_code = 4


class NotAdmitted(Refused):
    """The content breaks a limit or a rule; `details` names the field and the limit."""

    code = "not_admitted"


class PersonNeeded(Refused):
    """Only a person at a terminal may do this."""

    code = "person_needed"


class CitationProtected(Refused):
    """A text that a person wrote cites the record, so it cannot be removed."""

    code = "immune"


class SwitchedOff(Refused):
    """Tacit is paused or switched off here."""

    code = "switched_off"


class VerificationFailed(TacitError):
    """A check found something wrong."""

    code = "verification_failed"
    exit_code = 5


class Conflict(TacitError):
    """Another writer was first, or the key is already taken."""

    code = "conflict"
    exit_code = 6


class VersionConflict(Conflict):
    """The record changed since it was read."""

    code = "version_conflict"


class KeyTaken(Conflict):
    """Another record that is not retired already has this key."""

    code = "key_taken"


class RefusedByPerson(Conflict):
    """A person discarded the same lesson, or voted it down: only a person can take it up again."""

    code = "refused_by_person"


class StoreError(TacitError):
    """The store could not be read or written."""

    code = "store"


class StoreMissing(StoreError):
    """The file of a known store does not exist."""

    code = "store_missing"


class StoreBusy(StoreError):
    """Another writer held the lock for the whole wait time; a retry is safe."""

    code = "store_busy"
    exit_code = 6


class StoreFull(StoreError):
    """Disk or quota is full; nothing was written."""

    code = "store_full"


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""

    code = "store_read_only"


class StoreDamaged(StoreError):
    """The file is not a store, or it is damaged."""

    code = "store_damaged"


class StoreReplaced(StoreError):
    """A different store is at the known path."""

    code = "store_replaced"


class StoreUnreachable(StoreError):
    """The server did not answer, or refused the login."""

    code = "store_unreachable"


class StoreNewer(StoreError):
    """A newer version of tacit wrote the store; it was left unchanged."""

    code = "store_newer"


class StoreClosed(StoreError):
    """The memory was used after it was closed."""

    code = "store_closed"


class EmbedderFailed(TacitError):
    """The embedder did not answer; text search still works."""

    code = "embedder_failed"


class LlmFailed(TacitError):
    """The language model did not answer; rules are used instead."""

    code = "llm_failed"
