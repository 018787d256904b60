"""Waiting for something to be seen."""

from __future__ import annotations

import time
from typing import Callable, Optional, TypeVar

from .errors import BillhookError

_T = TypeVar("_T")

_RETRIED_STATUSES = (429, 500, 502, 503, 504)

#: A time of ``time.monotonic``, by which a request must have ended; ``None`` for no such time.
Until = Optional[float]


def until_after(seconds: Optional[float]) -> Until:
    return None if seconds is None else time.monotonic() + seconds


def may_pass(error: BillhookError) -> bool:
    """Whether the service, or what stands before it, may answer otherwise in a while."""
    return error.code == "unreachable" or error.status in _RETRIED_STATUSES


def poll(
    what: str,
    look: Callable[[Until], Optional[_T]],
    *,
    interval_seconds: float,
    timeout_seconds: Optional[float],
) -> _T:
    """Looks until there is something to see, with the time by which a look must have ended.

    A service that cannot answer for a while is waited for, once it has answered. ``what`` names what is waited for.
    """
    until = until_after(timeout_seconds)
    has_answered = False
    while True:
        pause_seconds = interval_seconds
        cause: Optional[BillhookError] = None
        try:
            seen = look(until)
            if seen is not None:
                return seen
            has_answered = True
        except BillhookError as error:
            is_late = until is not None and time.monotonic() >= until and may_pass(error)
            if not is_late and not (has_answered and may_pass(error)):
                raise
            cause = error
            pause_seconds = max(pause_seconds, error.retry_after_seconds or 0)
        if until is not None and time.monotonic() + pause_seconds >= until:
            time.sleep(max(0.0, until - time.monotonic()))
            raise BillhookError(f"{what} took longer than {timeout_seconds:g} s.", "wait_timeout") from cause
        time.sleep(pause_seconds)
