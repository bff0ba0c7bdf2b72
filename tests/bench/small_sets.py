"""Question sets of a few turns, in the shapes of the public ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "made-up",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I planted tomatoes on the balcony."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "My bicycle has a new saddle."},
            ],
            "session_2_date_time": "10:37 am on 27 June, 2023",
            "session_2": [
                {"speaker": "Ada", "dia_id": "D2:1", "text": "The violin lesson was cancelled."},
                {"speaker": "Ben", "dia_id": "D2:2", "text": "We painted the garden fence green."},
            ],
            "session_3_date_time": "9:00 am on 1 July, 2023",
        },
        "qa": [
            {"question": "What did Ada plant on the balcony?", "evidence": ["D1:1"], "category": 4},
            {"question": "Which colour is the garden fence?", "evidence": ["D:2:02; D9:9"], "category": 1},
            {"question": "Who has a new saddle?", "evidence": ["D1:2"], "category": 5},
            {"question": "What is the meaning of life?", "evidence": [], "category": 3},
        ],
    }
]
POOL: dict[str, Any] = {
    "sessions": {
        "s1": {
            "date": "2023/04/10 (Mon) 17:50",
            "turns": [
                {"role": "user", "content": "My telescope arrived yesterday."},
                {"role": "assistant", "content": "Clear skies help with that."},
            ],
        },
        "s2": {"date": "2023/05/28 (Sun) 21:04", "turns": [{"role": "user", "content": "The sourdough rose well."}]},
    },
    "questions": [
        {"id": "q1", "type": "single-session-user", "question": "When did my telescope arrive?",
         "answer_sessions": ["s1"], "answer_turns": ["s1#0"]},
        {"id": "q2", "type": "multi-session", "question": "Nothing answers this.",
         "answer_sessions": [], "answer_turns": []},
    ],
}  # fmt: skip


def write_sets(folder: Path) -> Path:
    """Write both sets into a folder, one of them compressed."""
    (folder / "locomo-small.json").write_text(json.dumps(LOCOMO))
    (folder / "longmemeval-small.json.gz").write_bytes(gzip.compress(json.dumps(POOL).encode()))
    return folder
