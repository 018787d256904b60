"""The ledger steps of an identity: onboarding it, and assigning a claimed wallet to it."""

from __future__ import annotations

import json
import random
import ssl
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence, Union
from weakref import WeakValueDictionary

from .api_types import ServiceInfoLedger
from .connections import Connections, Lost, Unsent, address_in
from .errors import BillhookError
from .identity import identity_id, ledger_key
from .ledger_verdict import ExpectedStream, LedgerVerdict, verdict_of
from .signer import Signer, signature_of
from .strict_json import parsed_json
from .wait import Until

if TYPE_CHECKING:
    from .client import Billhook

#: A node answers in a second, or not before another transaction comes.
_TIMEOUT_SECONDS = 10.0
_SETTLE_SECONDS = 10.0
_LOOK_INTERVAL_SECONDS = 0.5
#: Two transactions of one identity, or of one wallet, cannot be judged at once.
_BUSY_MAX = 6
_PAUSE_SECONDS = 0.25
#: Posts to one node without an answer. The second one also wakes a first one that waits.
_LOST_MAX = 2
#: Posts to one node whose answers decide nothing.
_UNDECIDED_MAX = 4


#: What a deployment says about its ledger: ``ledger`` of what ``get_info`` answers.
LedgerSettings = ServiceInfoLedger


@dataclass(frozen=True)
class _Step:
    """A transaction, and how to see that it has taken effect."""

    body: bytes
    expected: ExpectedStream
    look: Optional[Callable[[Until], bool]]
    #: What to do when its outcome stays open.
    advice: str
    settle_seconds: float
    timeout_seconds: float
    ssl_context: Optional[ssl.SSLContext]


def onboard(
    ledger: LedgerSettings,
    identity: Signer,
    *,
    billhook: Optional[Billhook] = None,
    settle_seconds: float = _SETTLE_SECONDS,
    timeout_seconds: float = _TIMEOUT_SECONDS,
    ssl_context: Optional[ssl.SSLContext] = None,
) -> str:
    """Makes the key an identity on the ledger, and answers its id.

    The service may learn of it a moment later: ``wait_for_identity`` waits for that. It does no harm to an identity that exists, also
    several times at once. ``billhook``, a client, tells whether it has taken effect where the ledger leaves that open; it is asked
    for ``settle_seconds``. ``timeout_seconds`` is for each answer of a node.

    Raises ``BillhookError`` with ``ledger_rejected``, ``ledger_unavailable`` (nothing was sent) or ``ledger_uncertain`` (it may have
    taken effect).

    >>> ledger = Billhook(url).get_info()["ledger"]
    >>> onboard(ledger, identity) == identity_id(identity.public_key, ledger["onboardingName"])
    True
    """
    public_key = ledger_key(identity.public_key)
    created = identity_id(public_key, ledger["onboardingName"])
    transaction = {
        "$contract": ledger["contracts"]["onboard"],
        "$namespace": ledger["namespace"],
        "$i": {"otk": {"publicKey": public_key, "type": "secp256k1"}},
    }
    signature = signature_of(identity, _json_bytes(transaction))
    step = _Step(
        _json_bytes({"$selfsign": True, "$sigs": {"otk": signature}, "$tx": transaction}),
        ExpectedStream("new", created),
        _exists_look(billhook, created),
        "Onboard again: it does no harm. wait_for_identity() tells whether it has taken effect.",
        settle_seconds,
        timeout_seconds,
        ssl_context,
    )
    with _turn_of(created):
        _carry_out(ledger["nodes"], step)
    return created


def assign_wallet(
    ledger: LedgerSettings,
    identity: Signer,
    wallet_id: str,
    *,
    billhook: Optional[Billhook] = None,
    settle_seconds: float = _SETTLE_SECONDS,
    timeout_seconds: float = _TIMEOUT_SECONDS,
    ssl_context: Optional[ssl.SSLContext] = None,
) -> None:
    """Assigns a claimed wallet to an identity that was onboarded.

    The service learns of it a moment later: ``wait_for_wallet`` waits for that. A wallet that is the identity's already is a success
    if ``billhook`` can tell; one of another identity is ``ledger_rejected``. The wallet goes to the owner of ``billhook``, if it has
    one, whatever key signs: an identity whose key was replaced is no longer made from it. Raises like ``onboard``.

    >>> claimed = billhook.claim_wallet("SEP")
    >>> assign_wallet(ledger, identity, claimed["id"], billhook=billhook)
    >>> billhook.wait_for_wallet(claimed["id"], timeout_seconds=60)["network"]
    'SEP'
    """
    owner = (None if billhook is None else billhook.owner) or identity_id(identity.public_key, ledger["onboardingName"])
    transaction = {
        "$contract": ledger["contracts"]["assignOwner"],
        "$namespace": ledger["namespace"],
        "$i": {"owner": {"$stream": owner, "personal": True}},
        "$o": {"wallet": {"$stream": wallet_id}},
    }
    signature = signature_of(identity, _json_bytes(transaction))
    step = _Step(
        _json_bytes({"$sigs": {owner: signature}, "$tx": transaction}),
        ExpectedStream("updated", wallet_id),
        _wallet_look(billhook, wallet_id),
        "wait_for_wallet() tells whether it has taken effect. If it has not, assign again.",
        settle_seconds,
        timeout_seconds,
        ssl_context,
    )
    with _turn_of(owner):
        _carry_out(ledger["nodes"], step)


_Look = Optional[Callable[[Until], bool]]


def _exists_look(billhook: Optional[Billhook], identity: str) -> _Look:
    return None if billhook is None else partial(billhook._identity_exists_by, identity)


def _wallet_look(billhook: Optional[Billhook], wallet_id: str) -> _Look:
    return None if billhook is None or billhook.owner is None else partial(billhook._has_wallet_by, wallet_id)


def _json_bytes(value: Mapping[str, Any]) -> bytes:
    """As nodes write it before they verify the signature: without blanks, and with characters beyond ASCII as they are."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def _carry_out(nodes: Sequence[str], step: _Step) -> None:
    """Posts a transaction until it is known how it ended."""
    #: Why an earlier post may have taken effect.
    open_because: Optional[str] = None
    causes: List[str] = []
    for node in nodes:
        busy = lost = undecided = 0
        while True:
            answer = _post_to(node, step)
            if isinstance(answer, Unsent):
                causes.append(f"{node} {answer}")
                break
            if isinstance(answer, Lost):
                causes.append(f"{node} {answer}")
                verdict = LedgerVerdict("unknown", f"{node} {answer}")
            else:
                verdict = verdict_of(answer, step.expected)
            if verdict.kind == "committed":
                return
            if verdict.kind == "rejected":
                return _reject(step, verdict, open_because)
            if verdict.kind == "busy":
                busy += 1
                if busy >= _BUSY_MAX:
                    return _reject(step, verdict, open_because)
                time.sleep(busy * _PAUSE_SECONDS)
                continue
            open_because = verdict.told
            if _is_seen(step, 0):
                return
            if isinstance(answer, Lost):
                lost += 1
            else:
                undecided += 1
            if lost >= _LOST_MAX or undecided >= _UNDECIDED_MAX:
                break
            if not isinstance(answer, Lost):
                # Two that failed together do not come back together.
                time.sleep(undecided * _PAUSE_SECONDS * random.random())
    if open_because is not None:
        return _leave_open(step, open_because)
    told = "; ".join(causes) or "none is given"
    raise BillhookError(f"No node of the ledger can be reached, of {len(nodes)}: {told}.", "ledger_unavailable")


def _reject(step: _Step, verdict: LedgerVerdict, open_because: Optional[str]) -> None:
    """Raises, unless the refusal is about something that has taken effect: an earlier post, or an assignment of long ago."""
    if open_because is not None:
        return _leave_open(step, f"{open_because}; then {verdict.told}")
    if verdict.by_contract and _is_seen(step, step.settle_seconds):
        return None
    raise BillhookError(f"The ledger rejected the transaction: {verdict.told}", "ledger_rejected")


def _leave_open(step: _Step, told: str) -> None:
    if not _is_seen(step, step.settle_seconds):
        message = f"It is not known whether the ledger committed the transaction: {told}. {step.advice}"
        raise BillhookError(message, "ledger_uncertain")


def _is_seen(step: _Step, within_seconds: float) -> bool:
    """Whether the service knows the effect of the transaction, by then at the latest. It is asked at least once."""
    if step.look is None:
        return False
    end = time.monotonic() + within_seconds
    while True:
        try:
            if step.look(max(end, time.monotonic() + _LOOK_INTERVAL_SECONDS)):
                return True
        except BillhookError:
            # A service that does not answer, or that asks for another key, has not seen anything.
            pass
        if time.monotonic() + _LOOK_INTERVAL_SECONDS > end:
            return False
        time.sleep(_LOOK_INTERVAL_SECONDS)


def _post_to(node: str, step: _Step) -> Union[Mapping[str, Any], Lost, Unsent]:
    """The answer of a node. One connection for each post: a node may have got what was sent on one that broke."""
    connections = Connections(address_in(node), step.ssl_context)
    try:
        received = connections.exchange(
            "POST",
            "/",
            {"Content-Type": "application/json"},
            step.body,
            timeout_seconds=step.timeout_seconds,
            may_repeat=False,
        )
        answer = parsed_json(received.body)
    except (Lost, Unsent) as error:
        return error
    except ValueError:
        answer = None
    finally:
        connections.close()
    if 200 <= received.status < 300 and isinstance(answer, dict) and "$summary" in answer:
        return answer
    return Lost(f"answered {received.status}, and not as a ledger node")


class _Turn:
    """One transaction of an identity at a time: of two at once a node may leave one without an answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_turns: "WeakValueDictionary[str, _Turn]" = WeakValueDictionary()
_turns_lock = threading.Lock()


def _turn_of(identity: str) -> _Turn:
    with _turns_lock:
        turn = _turns.get(identity)
        if turn is None:
            turn = _turns[identity] = _Turn()
        return turn
