"""Episodes: what was tried, step by step, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.episodes import advice, edit, episodes, open_episode, queue, reflect_with_model, retention
from tacit.episodes.retention import RetentionResult, RetentionRules
from tacit.errors import NotFound
from tacit.loop import learn_episodes
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Progress

if TYPE_CHECKING:
    from tacit.episodes.from_sessions import EpisodeImport

EVERY = 100_000


class Episodes(Noun):
    """The episodes of a memory."""

    NOUN = "episodes"

    start = verb(open_episode.start_episode, creates=True, on_wire=False)
    resume = verb(open_episode.resume_episode, on_wire=False)
    step = verb(open_episode.log_step)
    complete = verb(open_episode.complete_episode)
    get = verb(edit.find_episode)
    show = verb(edit.show_episode)
    steps = verb(edit.list_steps)
    step_count = verb(edit.count_steps)
    list = verb(edit.list_episodes)
    search = verb(advice.search)
    relevant = verb(advice.relevant)
    recommend = verb(advice.recommend)
    feedback = verb(advice.feedback)
    checkpoint = verb(episodes.checkpoint)
    relate = verb(edit.relate)
    reflect = verb(reflect_with_model.reflect_with_model)
    archive = verb(edit.archive)
    restore = verb(edit.restore)
    delete = verb(edit.delete)
    tag = verb(edit.retag)
    tags = verb(edit.tag_counts)
    timeline = verb(edit.timeline)
    prune = verb(retention.prune)
    learn = verb(learn_episodes.work)
    scopes_due = verb(queue.scopes_due, on_wire=False)

    def retain(self, rules: RetentionRules, *, dry_run: bool = False) -> RetentionResult:
        """Erase the step texts that the rules select; the former name of `prune`."""
        return self.prune(**rules._asdict(), dry_run=dry_run)

    def from_sessions(self, records: Sequence[Record], *, progress: Progress | None = None) -> EpisodeImport:
        """Make an episode from each session. The outcome is observed, or stays unknown."""
        from tacit.episodes.from_sessions import from_sessions

        return from_sessions(self._c, records, progress)

    @verb(creates=True)
    def from_session(
        self, *names: Annotated[str, arg("The id of a session, or its beginning.", record=True, metavar="[SESSION]…")],
        every: Annotated[bool, arg("Use every imported session.", option="--all")] = False,
        limit: Annotated[Limit, arg(
            "If no session is given: use this many of the newest sessions.", ge=1, le=EVERY
        )] = 20,
        progress: Progress | None = None,
    ) -> EpisodeImport:  # fmt: skip
        """Make episodes from sessions: the task is the prompt, the steps are the tool calls.

        The outcome is taken from the user's last prompt, or from the last test or build. If neither shows an outcome,
        the outcome is unknown, and the episode stays open: it is neither scored nor learned from. Nothing is created
        twice.
        """
        from tacit.app.verbs.sessions import Sessions

        sessions = Sessions(self._c)
        found = [sessions.get(name) for name in names] or sessions.list(limit=EVERY if every else limit)
        if not found:
            raise NotFound("no session was imported yet", "`tacit sessions import` imports the transcripts of agents")
        return self.from_sessions(found[::-1], progress=progress)
