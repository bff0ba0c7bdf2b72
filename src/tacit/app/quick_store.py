"""Ask a store file a question without opening a memory, for hooks. It imports what it needs only when asked."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.store.sqlite.quick_look import QuickLook as QuickLook


def is_certain(path: object, tenant: object, question: Callable[[QuickLook], bool]) -> bool:
    """Return the answer of a store to a question; True if there is no store yet, False if nobody knows."""
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(tenant, str):
        return False
    if not os.path.exists(path):  # noqa: PTH110 - pathlib takes longer to import than this takes
        return True
    if not os.path.isfile(path):  # noqa: PTH113
        return False
    from tacit.store.sqlite.quick_look import QuickLook, QuickLookError

    try:
        look = QuickLook(path, tenant)
        try:
            return question(look)
        finally:
            look.close()
    except QuickLookError:
        return False
