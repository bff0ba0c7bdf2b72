"""Load the configured embedder and language model, each on first use."""

from __future__ import annotations

import os
from functools import lru_cache

from tacit.errors import MissingExtra
from tacit.model.settings import EmbedderSettings, LlmSettings
from tacit.ports.embedder import Embedder
from tacit.ports.llm import Llm


def load_embedder(settings: EmbedderSettings) -> Embedder | None:
    """Load the configured embedder."""
    match settings.use:
        case "off":
            return None
        case "http":
            from tacit.embed.http import HttpEmbedder

            return HttpEmbedder(settings, os.environ.get(settings.key_env, "") if settings.key_env else "")
        case _:
            return _static()


def load_llm(settings: LlmSettings) -> Llm | None:
    """Load the configured language model, or return None if no model is configured, which is the default."""
    if settings.use == "off":
        return None
    from tacit.llm.http import HttpLlm

    return HttpLlm(settings, os.environ.get(settings.key_env, "") if settings.key_env else "")


@lru_cache(1)  # one for the whole process: its weights and the words it has spelt serve every memory
def _static() -> Embedder:
    try:
        from tacit.embed.static import load_static
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        raise MissingExtra(
            "semantic search needs numpy, which is not installed", "install the extra: pip install 'tacit[semantic]'"
        ) from None
    return load_static()


def semantic_off(settings: EmbedderSettings) -> str:
    """Return why search by meaning is not available; empty if it may be available."""
    return "the embedder is switched off in the settings" if settings.use == "off" else ""
