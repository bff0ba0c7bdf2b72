"""Episodes: what was tried, step by step, and how it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from tacit.episodes import advice as relevant
from tacit.episodes import edit as episode_care
from tacit.episodes import episodes, queue
from tacit.episodes.advice import FeedbackResult, TaskAdvice
from tacit.errors import Conflict, NotFound, StoreError, UsageError
from tacit.loop import learn_episodes
from tacit.model.episode import OUTCOMES, Episode, EpisodeStep, TaskContext
from tacit.model.link import Link
from tacit.model.record import Record, payload_of
from tacit.model.report import Forgotten
from tacit.records.arguments import Time, when, whole_of
from tacit.records.connection import Connection
from tacit.records.forget import forget

if TYPE_CHECKING:
    from tacit.episodes.from_sessions import EpisodeImport
    from tacit.episodes.retention import RetentionResult, RetentionRules

Progress = Callable[[int, int], None]
Context = Mapping[str, Any] | TaskContext
# Inside the class `list` is a verb.
Records = list[Record]
Steps = list[EpisodeStep]
Scopes = list[str]
_SAID_CHARS = 2_000
_REMEMBERED = 64
Timeline = list[tuple[datetime, str]]


class StepReceipt(NamedTuple):
    """A receipt: what a call left in which store. What waits is in this process alone, and a crash loses it."""

    store: str
    steps: int
    """Steps that this call wrote."""
    waiting: int
    """Steps that are not written yet."""
    seq: int
    """The number of the last event that was written; 0 when nothing was."""
    lasting: bool
    """Whether the store outlives this process."""


class OpenEpisode:
    """An episode in progress. Leaving its block with an exception completes it as a failure."""

    def __init__(self, connection: Connection, record: Record, batch: int = 0, logged: int = 0) -> None:
        self._c = connection
        self._batch = whole_of(batch, "batch")
        self._logged = logged
        self._waiting: list[EpisodeStep] = []
        # Tools and actions repeat from step to step: each is searched for secrets once. What is long is not kept.
        short = lru_cache(_REMEMBERED)(connection.redact)
        self._clean = lambda text: short(text) if len(text) <= _SAID_CHARS else connection.redact(text)
        self.record = record
        self.written = self._receipt()
        """The receipt of the last call that wrote, or did not."""
        self.notice = ""
        """Why the reflection is that of rules, although a language model is set up."""

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.record.id

    def __enter__(self) -> OpenEpisode:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.record.status != episodes.OPEN:
            return
        if error is not None:
            # Cut: the message of an exception may be of any length, and must not hide the exception itself.
            said = f"{type(error).__name__}: {error}"[:_SAID_CHARS]
            self.complete("failure", error=said.replace("\0", "\ufffd").encode(errors="replace").decode())
        else:
            self.flush()

    def __repr__(self) -> str:
        return f"Trying({self.record.title!r}, id={self.id!r}, {self.record.status})"

    def step(
        self, tool: str, action: str = "", *, parameters: dict[str, Any] | None = None, result: str | None = None,
        observation: str = "", latency_ms: float = 0, tokens: int = 0, at: Time | None = None,
    ) -> StepReceipt:  # fmt: skip
        """Log a step. It is durable when this returns; in a batch, when the batch is full or flushed."""
        fresh = episodes.step_of(
            tool, action, parameters=parameters, result=result, observation=observation, latency_ms=latency_ms,
            tokens=tokens, at=when(at, "at"),
        )  # fmt: skip
        # Said before it waits: what can never be written must not be in the way of completing.
        episodes.with_room(self.id, self._logged + len(self._waiting) + 1)
        self._waiting.append(fresh)
        if len(self._waiting) > self._batch:
            return self.flush()
        self.written = self._receipt()
        return self.written

    def flush(self) -> StepReceipt:
        """Write the steps that wait. What a crash can lose is what was not flushed, at most a batch."""
        self.written = self._receipt()
        if self._waiting:
            try:
                self._logged, seq = episodes.log(self._c, self.id, self._waiting, self._clean)
            except Conflict as error:
                if "most" in error.details:
                    # Others filled it meanwhile: kept, these could never be written, and it never be completed.
                    self._waiting = []
                raise
            # Given up only once they are written: any other error leaves them to be tried again.
            count, self._waiting = len(self._waiting), []
            self.written = self._receipt(count, seq)
        return self.written

    def _receipt(self, steps: int = 0, seq: int = 0) -> StepReceipt:
        store = self._c.store
        return StepReceipt(store.location, steps, len(self._waiting), seq, store.lasting)

    def checkpoint(self, reason: str, note: str = "") -> None:
        """Mark a place on the way."""
        steps = self.flush().steps
        self.record = episodes.checkpoint(self._c, self.id, reason, note)
        self.written = self._receipt(steps, episodes.last_event(self._c.store, self.id))

    def complete(
        self, outcome: str | None = None, *, result: str = "", error: str | None = None,
        duration_ms: float | None = None, completed: int = 0, failed: int = 0, ok: bool | None = None,
        success: bool | None = None,
    ) -> Record:  # fmt: skip
        """End it: `success`, `partial`, `failure` or `abstained`; `ok` and `success` are short for two of them."""
        steps = self.flush().steps
        short = ok if ok is not None else success
        if outcome is None and short is None:
            raise UsageError("how did it end?", f"give one of {', '.join(OUTCOMES)}")
        how = outcome or ("success" if short else "failure")
        self.record = episodes.complete(
            self._c,
            self.id,
            how,
            result=result,
            error=error,
            duration_ms=duration_ms,
            completed=completed,
            failed=failed,
        )
        self.written = self._receipt(steps, episodes.last_event(self._c.store, self.id))
        if self._c.llm() is not None:
            # Only now: a model that is slow or away must not keep an episode from being completed.
            from tacit.episodes.reflect_with_model import reflect_with_model

            try:
                self.record, self.notice = reflect_with_model(self._c, self.id)
            except (Conflict, NotFound, StoreError) as error:
                # It is completed, whatever became of the draft; an error here would say that it is not.
                self.notice = error.message
        return self.record


class Episodes:
    """The episodes of a memory."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def start(
        self, task: str, *, task_type: str = "other", language: str = "", framework: str = "",
        complexity: str = "moderate", domain: str = "", tags: Sequence[str] = (), batch: int = 0,
    ) -> OpenEpisode:  # fmt: skip
        """Begin an episode. With `batch`, up to so many steps wait to be written together."""
        record = episodes.start(
            self._c, task, task_type=task_type, language=language, framework=framework, complexity=complexity,
            domain=domain, tags=tags,
        )  # fmt: skip
        return OpenEpisode(self._c, record, batch)

    def resume(self, id: str, *, batch: int = 0) -> OpenEpisode:
        """Go on with an episode that is open."""
        record = self._c.require(id, episodes.KIND)
        return OpenEpisode(self._c, record, batch, episodes.step_count(self._c.store, record.id))

    def get(self, id: str) -> Record:
        """Give an episode."""
        return self._c.require(id, episodes.KIND)

    def step_count(self, id: str) -> int:
        """Say how many steps an episode has, without reading them."""
        return episodes.step_count(self._c.store, self.get(id).id)

    def steps(self, id: str) -> Steps:
        """Give the steps of an episode, in order."""
        return episodes.steps_of(self._c.store, self.get(id))

    def list(
        self, *, statuses: Sequence[str] = (episodes.OPEN, episodes.COMPLETE), outcome: str = "", domain: str = "",
        tags: Sequence[str] = (), task_type: str = "", since: Time | None = None, until: Time | None = None,
        min_reward: float | None = None, max_reward: float | None = None, limit: int = 20,
    ) -> Records:  # fmt: skip
        """List episodes, the newest first."""
        return episode_care.list_episodes(
            self._c, statuses=statuses, outcome=outcome, domain=domain, tags=tags, task_type=task_type,
            since=when(since, "since"), until=when(until, "until"), min_reward=min_reward, max_reward=max_reward,
            limit=limit,
        )  # fmt: skip

    def relevant(self, task: str, context: Context | None = None, limit: int = 5) -> TaskAdvice:
        """Find what is worth knowing before a task: episodes, patterns, heuristics and a playbook. Writes nothing."""
        return relevant.relevant(self._c, task, context, limit)

    def recommend(self, task: str, context: Context | None = None, limit: int = 5) -> TaskAdvice:
        """Find it, and keep a receipt for feedback."""
        return relevant.recommend(self._c, task, context, limit)

    def feedback(
        self, receipt: str, verdict: str, patterns: Sequence[str] = (), heuristics: Sequence[str] = ()
    ) -> FeedbackResult:
        """Say whether what was recommended `helped`, had `no-effect`, or `hindered`."""
        return relevant.feedback(self._c, receipt, verdict, patterns, heuristics)

    def checkpoint(self, id: str, reason: str, note: str = "") -> Record:
        """Mark a place on the way of an open episode."""
        return episodes.checkpoint(self._c, id, reason, note)

    def relate(self, id: str, relation: str, other: str) -> Link:
        """Tie an episode to its `parent`, to what it `follows`, or to what it `references`."""
        return episode_care.relate(self._c, id, relation, other)

    def reflect(self, id: str) -> tuple[Record, str]:
        """Let the language model reflect on a completed episode; says why not, when the rules' reflection stays."""
        from tacit.episodes.reflect_with_model import reflect_with_model

        return reflect_with_model(self._c, id)

    def archive(self, id: str) -> Record:
        """Put an episode aside."""
        return episode_care.archive(self._c, id)

    def restore(self, id: str) -> Record:
        """Take an episode out again."""
        return episode_care.archive(self._c, id, restore=True)

    def delete(self, id: str) -> Forgotten:
        """Delete an episode for good, with its steps."""
        return forget(self._c, [self.get(id).id])

    def tag(self, id: str, tags: Sequence[str], *, keep: bool | None = None) -> Record:
        """Give an episode other tags; `keep` says whether it stays whatever its age."""
        return episode_care.retag(self._c, id, tags, keep=keep)

    def tags(self) -> dict[str, int]:
        """Count the tags of episodes."""
        return episode_care.tag_counts(self._c)

    def from_sessions(self, records: Sequence[Record], *, progress: Progress | None = None) -> EpisodeImport:
        """Make an episode of each session; how it ended is what can be observed, or stays unknown."""
        from tacit.episodes.from_sessions import from_sessions

        return from_sessions(self._c, records, progress)

    def retain(self, rules: RetentionRules, *, dry_run: bool = False) -> RetentionResult:
        """Erase what was said in the steps of episodes that a rule means; that they happened stays."""
        from tacit.episodes.retention import retain

        return retain(self._c, rules, dry_run=dry_run)

    def learn(self, limit: int = 100) -> learn_episodes.LearningPass:
        """Work off episodes that wait to be learned from."""
        return learn_episodes.work(self._c, limit)

    def scopes_due(self) -> Scopes:
        """Name the scopes of the store in which episodes wait to be learned from; for who works them all off."""
        return queue.scopes_due(self._c)

    def timeline(self, id: str) -> Timeline:
        """Give what happened in an episode, with its times."""
        record = self.get(id)
        payload = payload_of(record, Episode)
        lines = [(payload.started_at, "started")] if payload.started_at else []
        lines += [(s.at, f"{s.tool} {s.action}: {s.result or 'unknown'}") for s in self.steps(id) if s.at]
        lines += [(mark.at, f"checkpoint: {mark.reason}") for mark in payload.checkpoints]
        lines += [(payload.ended_at, f"ended: {payload.outcome}")] if payload.ended_at else []
        return sorted(lines, key=lambda line: line[0])
