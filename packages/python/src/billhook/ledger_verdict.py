"""What the answer of a ledger node says about a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Literal, Mapping, Optional

#: How errors begin. Nodes append an id to most of them.
_EXISTS = "Deterministic Stream Name Exists"
_UNSAVED = "Failed to save"
_CONTRACT = "Vote Failure"
_BUSY = (
    "Busy Locks",
    "Input Stream Position Incorrect",
    "Output Stream Position Incorrect",
    # What a node says while another one goes down.
    "Error: 3x Right Knock Error",
)


@dataclass(frozen=True)
class ExpectedStream:
    """The stream that a transaction is to create or to change."""

    list: Literal["new", "updated"]
    id: str


@dataclass(frozen=True)
class LedgerVerdict:
    """``told`` is the reason, for people.

    ``busy``: nothing happened, because another transaction of a stream is in progress. ``rejected``: nothing happened now.
    """

    kind: Literal["committed", "busy", "rejected", "unknown"]
    told: str = ""
    #: The contract refused it, which it also does when an earlier post of the same transaction has taken effect.
    by_contract: bool = False


def verdict_of(answer: Mapping[str, Any], expected: ExpectedStream) -> LedgerVerdict:
    """Judges an answer, of which every part may be missing or of another kind.

    What is committed is committed, whatever single nodes complain of; only ``Failed to save`` takes it back, and then another
    transaction may have done the same.
    """
    summary = _fields_of(answer.get("$summary"))
    errors = _errors_of(summary)

    def begins(*texts: str) -> Optional[str]:
        return next((error for error in errors if error.startswith(texts)), None)

    unsaved = begins(_UNSAVED)
    if unsaved is not None:
        return LedgerVerdict("unknown", unsaved)
    changed = _ids_of(answer, expected.list)
    if _is_committed(summary):
        if expected.id in changed:
            return LedgerVerdict("committed")
        told = errors[0] if errors else "it changed another stream than the expected one"
        return LedgerVerdict("rejected" if changed else "unknown", told)
    # An identity that exists is a success, also when another call onboarded it (specification, Onboarding rules 3).
    if expected.list == "new" and begins(_EXISTS) is not None:
        return LedgerVerdict("committed")
    busy = begins(*_BUSY)
    if busy is not None:
        return LedgerVerdict("busy", busy)
    if not errors:
        return LedgerVerdict("unknown", "it was not committed")
    refusal = begins(_CONTRACT)
    return LedgerVerdict("rejected", refusal or errors[0], refusal is not None)


def _is_committed(summary: Mapping[str, Any]) -> bool:
    commit = summary.get("commit")
    return isinstance(commit, (int, float)) and not isinstance(commit, bool) and commit > 0


def _errors_of(summary: Mapping[str, Any]) -> List[str]:
    errors = summary.get("errors")
    if errors is None:
        return []
    return [str(error) for error in errors] if isinstance(errors, list) else [str(errors)]


def _ids_of(answer: Mapping[str, Any], name: str) -> List[object]:
    streams = _fields_of(answer.get("$streams")).get(name)
    return [_fields_of(stream).get("id") for stream in streams] if isinstance(streams, list) else []


def _fields_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
