"""Skills, personas and teams of a memory, and the phases of tasks."""

from __future__ import annotations

from typing import Annotated, Any

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.notes import skills_and_teams, task_phases
from tacit.records.arguments import Force, Limit, Statuses, Tags

# Inside the classes `list` is a verb.
Records = list[Record]
Key = Annotated[str, arg("The id or key of the record.", record=True)]
BODY = "How it is done; `-` reads standard input."


class KeyedRecords(Noun):
    """The records of one kind: skills, personas or teams."""

    NOUN = KIND = ""

    @verb(creates=True)
    def create(
        self, /, name: Annotated[str, arg("The name of the new record.")],
        body: Annotated[str, arg(BODY, option="--body", reads_input=True)] = "", *,
        key: Annotated[str, arg("A unique key; made from the name by default.")] = "",
        status: Annotated[str, arg(
            "The status of the new record.", choices=skills_and_teams.STATUSES
        )] = "active", tags: Tags = (),
        **fields: Any,
    ) -> Record:  # fmt: skip
        """Add a skill, persona or team. An existing one with the same key is never overwritten."""
        return skills_and_teams.create(self._c, self.KIND, name, body, key=key, status=status, tags=tags, fields=fields)

    @verb()
    def get(self, id: Key) -> Record:
        """Return a skill, persona or team by its id or key."""
        return skills_and_teams.member(self._c, self.KIND, id)

    @verb()
    def list(self, *, statuses: Statuses = ("active",), limit: Limit = skills_and_teams.MOST) -> Records:
        """List the skills, personas or teams, sorted by key."""
        return skills_and_teams.members(self._c, self.KIND, statuses, limit)

    @verb(on_wire=False)
    def update(
        self, /, id: Key, *,
        expected: Annotated[int | None, arg(
            "Change the record only if it still has this version.", option="--version"
        )] = None,
        name: Annotated[str | None, arg("A new name.")] = None,
        body: Annotated[str | None, arg(BODY, reads_input=True)] = None,
        status: Annotated[str | None, arg("A new status.", choices=skills_and_teams.STATUSES)] = None, **fields: Any,
    ) -> Record:  # fmt: skip
        """Change a skill, persona or team; fields that are not given keep their values."""
        return skills_and_teams.update(
            self._c, self.KIND, id, expected=expected, name=name, body=body, status=status, fields=fields
        )

    @verb()
    def archive(self, id: Key) -> Record:
        """Archive a skill, persona or team, which is then no longer active and no longer protects what it cites."""
        return skills_and_teams.archive(self._c, self.KIND, id)

    @verb()
    def delete(self, id: Key, *, force: Force = False) -> Record:
        """Retire a skill, persona or team; `tacit undo` brings it back."""
        return skills_and_teams.delete(self._c, self.KIND, id, force=force)


class Skills(KeyedRecords):
    """Skills: how something is done well, and when it applies."""

    NOUN, KIND = "skills", "skill"
    active = verb(skills_and_teams.active_skills)


class Personas(KeyedRecords):
    """Personas: roles that an agent can take."""

    NOUN, KIND = "personas", "persona"


class Teams(KeyedRecords):
    """Teams: personas and skills that work together."""

    NOUN, KIND = "teams", "team"


class Tasks(Noun):
    """The phases of tasks."""

    NOUN = "tasks"

    log_phase = verb(task_phases.log_phase, creates=True)
    ledger = verb(task_phases.ledger)
