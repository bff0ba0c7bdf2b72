"""An episode in progress: log steps, one by one or in batches, and complete it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import TracebackType
from typing import Annotated, Any, NamedTuple

from tacit.episodes import episodes
from tacit.episodes.episodes import Complexity, Domain, EpisodeId, Framework, Language
from tacit.episodes.reflect_with_model import reflect_with_model
from tacit.errors import Conflict, NotFound, StoreError, UsageError
from tacit.model.episode import OUTCOMES, RESULTS, TASK_TYPES, EpisodeStep
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.records.arguments import Tags, Time, whole_of
from tacit.records.connection import Connection

_ERROR_CHARS = 2_000
_REMEMBERED = 64
Batch = Annotated[int, arg("How many steps to collect before they are written together.")]


class StepReceipt(NamedTuple):
    """Write receipt: what a call wrote to the store. Waiting steps are in this process only, and a crash loses them."""

    store: str
    steps: int
    """How many steps this call wrote."""
    waiting: int
    """How many steps are not written yet."""
    seq: int
    """The number of the last event that was written; 0 if there was none."""
    lasting: bool
    """Whether the store still exists after this process ends."""


class OpenEpisode:
    """An episode in progress. An exception that leaves its `with` block completes it as a failure."""

    def __init__(self, connection: Connection, record: Record, batch: int = 0, logged: int = 0) -> None:
        self._c = connection
        self._batch = whole_of(batch, "batch")
        self._logged = logged
        self._waiting: list[EpisodeStep] = []
        # Tools and actions repeat from step to step: each is searched for secrets once. Long texts are not cached.
        short = lru_cache(_REMEMBERED)(connection.redact)
        self._clean = lambda text: short(text) if len(text) <= _ERROR_CHARS else connection.redact(text)
        self.record = record
        self.written = self._receipt()
        """The receipt of the last call."""
        self.notice = ""
        """Why the reflection was made by rules, although a language model is set up."""

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
            # Cut, so that an overlong message raises no error that would hide the exception itself.
            text = f"{type(error).__name__}: {error}"[:_ERROR_CHARS]
            self.complete("failure", error=text.replace("\0", "\ufffd").encode(errors="replace").decode())
        else:
            self.flush()

    def __repr__(self) -> str:
        return f"OpenEpisode({self.record.title!r}, id={self.id!r}, {self.record.status})"

    def step(
        self, tool: str, action: str = "", *, parameters: dict[str, Any] | None = None, result: str | None = None,
        observation: str = "", latency_ms: float = 0, tokens: int = 0, at: Time | None = None,
    ) -> StepReceipt:  # fmt: skip
        """Log a step. It is stored when this returns; with a batch, when the batch is full or flushed."""
        fresh = episodes.step_of(
            tool, action, parameters=parameters, result=result, observation=observation, latency_ms=latency_ms,
            tokens=tokens, at=self._c.when(at, "at"),
        )  # fmt: skip
        # Refused before it waits: a step that can never be written would keep the episode from being completed.
        episodes.with_room(self.id, self._logged + len(self._waiting) + 1)
        self._waiting.append(fresh)
        if len(self._waiting) > self._batch:
            return self.flush()
        self.written = self._receipt()
        return self.written

    def flush(self) -> StepReceipt:
        """Write the waiting steps. A crash loses the steps that were not flushed, at most one batch."""
        self.written = self._receipt()
        if self._waiting:
            try:
                self._logged, seq = episodes.log(self._c, self.id, self._waiting, self._clean)
            except Conflict as error:
                if "most" in error.details:
                    # Others filled it meanwhile: these steps can never be written, and would keep it open for ever.
                    self._waiting = []
                raise
            # Dropped only once they are written: after any other error they can be tried again.
            count, self._waiting = len(self._waiting), []
            self.written = self._receipt(count, seq)
        return self.written

    def _receipt(self, steps: int = 0, seq: int = 0) -> StepReceipt:
        store = self._c.store
        return StepReceipt(store.location, steps, len(self._waiting), seq, store.lasting)

    def checkpoint(self, reason: str, note: str = "") -> None:
        """Set a checkpoint."""
        steps = self.flush().steps
        self.record = episodes.checkpoint(self._c, self.id, reason, note)
        self.written = self._receipt(steps, episodes.last_event(self._c.store, self.id))

    def complete(
        self, outcome: str | None = None, *, result: str = "", error: str | None = None,
        duration_ms: float | None = None, completed: int = 0, failed: int = 0, ok: bool | None = None,
        success: bool | None = None,
    ) -> Record:  # fmt: skip
        """Complete the episode as `success`, `partial`, `failure` or `abstained`; `ok` and `success` are shorthands."""
        steps = self.flush().steps
        short = ok if ok is not None else success
        if outcome is None and short is None:
            raise UsageError("completing an episode needs an outcome", f"give one of {', '.join(OUTCOMES)}")
        how = outcome or ("success" if short else "failure")
        self.record = episodes.complete(
            self._c, self.id, how, result=result, error=error, duration_ms=duration_ms, completed=completed,
            failed=failed,
        )  # fmt: skip
        self.written = self._receipt(steps, episodes.last_event(self._c.store, self.id))
        if self._c.llm() is not None:
            # Only now: a slow or unreachable model must not keep an episode from being completed.
            try:
                self.record, self.notice = reflect_with_model(self._c, self.id)
            except (Conflict, NotFound, StoreError) as error:
                # The episode is completed even if the reflection failed; an error would say that it is not.
                self.notice = error.message
        return self.record


class LoggedStep(NamedTuple):
    """A logged step: its episode, the number of steps it has now, and what was written."""

    id: str
    steps: int
    written: StepReceipt


class CompletedEpisode(NamedTuple):
    """A completed episode, what was written, and why rules reflected on it although a model was requested."""

    record: Record
    notice: str
    written: StepReceipt


def start_episode(
    c: Connection, task: Annotated[str, arg("The task, in words; `-` reads standard input.", reads_input=True)], *,
    task_type: Annotated[str, arg("The kind of task.", option="--type", choices=TASK_TYPES)] = "other",
    language: Language = "", framework: Framework = "", complexity: Complexity = "moderate", domain: Domain = "",
    tags: Tags = (), batch: Batch = 0,
) -> OpenEpisode:  # fmt: skip
    """Start an episode."""
    record = episodes.start(
        c, task, task_type=task_type, language=language, framework=framework, complexity=complexity, domain=domain,
        tags=tags,
    )  # fmt: skip
    return OpenEpisode(c, record, batch)


def resume_episode(c: Connection, id: EpisodeId, *, batch: Batch = 0) -> OpenEpisode:
    """Continue an open episode."""
    record = c.require(id, episodes.KIND)
    return OpenEpisode(c, record, batch, episodes.step_count(c.store, record.id))


def log_step(
    c: Connection, id: EpisodeId, tool: Annotated[str, arg("The tool that was used.")],
    action: Annotated[str, arg("What was done with the tool.")] = "", *,
    parameters: Annotated[Mapping[str, Any] | None, arg("The parameters of the tool.")] = None,
    result: Annotated[str | None, arg("The result of the step.", choices=RESULTS)] = None,
    observation: Annotated[str, arg("What was observed; `-` reads standard input.", reads_input=True)] = "",
    latency_ms: Annotated[float, arg(
        "The duration of the step in ms."
    )] = 0, tokens: Annotated[int, arg("Tokens used.")] = 0,
    at: Annotated[Time | None, arg("When the step was done; default: now.")] = None,
) -> LoggedStep:  # fmt: skip
    """Log a step of an open episode."""
    at = c.when(at, "at")
    episode = resume_episode(c, id)
    written = episode.step(
        tool, action, parameters=None if parameters is None else dict(parameters), result=result,
        observation=observation, latency_ms=latency_ms, tokens=tokens, at=at,
    )  # fmt: skip
    return LoggedStep(id, episodes.step_count(c.store, id), written)


def complete_episode(
    c: Connection, id: EpisodeId, outcome: Annotated[str, arg("The outcome.", choices=OUTCOMES)], *,
    result: Annotated[str, arg("The result, in words.")] = "",
    error: Annotated[str | None, arg("The error, if it failed.")] = None,
    duration_ms: Annotated[float | None, arg("The duration in milliseconds; default: since the start.")] = None,
    completed: Annotated[int, arg("How many parts of the task were done.")] = 0,
    failed: Annotated[int, arg("How many parts of the task were not done.")] = 0,
) -> CompletedEpisode:  # fmt: skip
    """Complete an episode: score it, reflect on it, and queue it for learning."""
    episode = resume_episode(c, id)
    record = episode.complete(
        outcome, result=result, error=error, duration_ms=duration_ms, completed=completed, failed=failed
    )
    return CompletedEpisode(record, episode.notice, episode.written)
