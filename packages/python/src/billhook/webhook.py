"""Whether a webhook is from the service."""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Protocol, Sequence, Tuple, TypeVar, Union, cast

from .errors import BillhookError
from .strict_json import parsed_json

if TYPE_CHECKING:
    from .api_types import DeliveredEvent, DepositPayload, TestPayload

#: As libraries of Standard Webhooks have it.
_TOLERANCE_SECONDS = 300.0
_SECRET = re.compile("[0-9a-f]{64}")
_SECONDS = re.compile("[0-9]{1,12}")
#: Between the values of a header that was there more than once. Signatures in one header are separated by blanks alone.
_REPEATED = re.compile(r",\s")

_T = TypeVar("_T")
_Text = Union[str, bytes]


class _HasItems(Protocol):
    def items(self) -> Iterable[Tuple[Any, Any]]:
        """Pairs of names and values."""


#: What a framework has as the headers of a request, or pairs of names and values. A header that was there twice may be two pairs or
#: a list.
WebhookHeaders = Union[_HasItems, Iterable[Tuple[Any, Any]]]


@dataclass(frozen=True)
class VerifiedWebhook:
    """A webhook that is from the service."""

    #: The same in every repetition of a delivery. ``None`` if only ``X-Service-Signature`` was there.
    id: Optional[str]
    #: The deposit that it tells. With the payload ``events`` read ``event`` instead.
    payload: Union[TestPayload, DepositPayload]

    @property
    def event(self) -> Optional[DeliveredEvent]:
        """What happened, with the payload ``events``; ``None`` with the others.

        >>> event = verify_webhook(raw_event, event_headers, secret).event
        >>> if event is not None and event["type"] == "invoice.paid":
        ...     print(event["data"]["reference"])
        order-1001
        """
        body = cast("Dict[str, object]", self.payload)
        return cast("DeliveredEvent", body) if isinstance(body.get("data"), dict) else None


@dataclass(frozen=True)
class WebhookVerdict:
    """Either ``flaw``, the first reason against the webhook, for people, or ``webhook``."""

    flaw: Optional[str]
    webhook: Optional[VerifiedWebhook]
    #: When it was sent, Unix milliseconds, once a signature that covers the time fits.
    sent_at_ms: Optional[int]


def verify_webhook(
    raw_body: Union[bytes, str],
    headers: WebhookHeaders,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
    accept_untimed: bool = False,
    now_seconds: Optional[float] = None,
) -> VerifiedWebhook:
    """Checks that a webhook is from the service, unchanged and recent, and reads it.

    ``raw_body`` is the body as it arrived: never one that was parsed and written again. ``secrets`` is the secret of the owner, or the
    old and the new one during a rotation. With ``accept_untimed``, ``X-Service-Signature`` alone will do. It covers no time, so a
    captured delivery could be sent again for ever.

    Raises ``BillhookError`` with ``webhook_rejected``: answer 401. Raises ``TypeError`` or ``ValueError`` for a body that was
    parsed, a malformed secret, and a tolerance or a time that is no finite number.

    >>> payload = verify_webhook(raw_body, headers, secret).payload
    >>> if payload.get("test") is not True and payload["status"] == "confirmed":
    ...     print(payload["reference"])
    order-1001
    """
    verdict = judge_webhook(
        raw_body,
        headers,
        secrets,
        tolerance_seconds=tolerance_seconds,
        accept_untimed=accept_untimed,
        now_seconds=now_seconds,
    )
    if verdict.webhook is None:
        raise BillhookError(f"The webhook was rejected: {verdict.flaw}.", "webhook_rejected")
    return verdict.webhook


def judge_webhook(
    raw_body: Union[bytes, str],
    headers: WebhookHeaders,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
    accept_untimed: bool = False,
    now_seconds: Optional[float] = None,
) -> WebhookVerdict:
    """As ``verify_webhook``, but answers what is wrong with the webhook instead of raising it. For tools that explain.

    >>> judge_webhook(raw_body.replace(b"25000000", b"99000000"), headers, secret).flaw
    'webhook-signature does not fit the body, its id, its time and the secret'
    """
    given = _checked_secrets(secrets)
    now = time.time() if now_seconds is None else now_seconds
    for name, value in (("tolerance_seconds", tolerance_seconds), ("now_seconds", now)):
        # Nothing is farther away than NaN.
        if not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number")
    if not isinstance(raw_body, (bytes, bytearray, memoryview, str)):
        raise TypeError("the raw body must be bytes or a str: a body that was parsed cannot be verified")
    body = _bytes_of(raw_body) if isinstance(raw_body, str) else bytes(raw_body)
    signatures = _header_of(headers, "webhook-signature")
    if not signatures:
        return _judge_untimed(body, _header_of(headers, "x-service-signature"), given, accept_untimed)
    ids, timestamps = _header_of(headers, "webhook-id"), _header_of(headers, "webhook-timestamp")
    for name, values in (("signature", signatures), ("id", ids), ("timestamp", timestamps)):
        if len(values) > 1 or any(_REPEATED.search(value) for value in values):
            return _rejected(f"it has more than one webhook-{name}")
    if not ids or not timestamps or _SECONDS.fullmatch(timestamps[0]) is None:
        return _rejected("webhook-signature stands without a webhook-id and a webhook-timestamp")
    # The key is the bytes that the secret encodes (Standard Webhooks 1.0, Signature scheme).
    signed = _bytes_of(f"{ids[0]}.{timestamps[0]}.") + body
    offered = [_bytes_of(signature) for signature in signatures[0].split(" ")]

    def fits(secret: str) -> bool:
        mac = hmac.new(bytes.fromhex(secret), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(mac)
        return _is_any(offered, lambda signature: hmac.compare_digest(signature, expected))

    if not _is_any(given, fits):
        return _rejected("webhook-signature does not fit the body, its id, its time and the secret")
    sent_at = int(timestamps[0])
    age_seconds = now - sent_at
    if abs(age_seconds) > tolerance_seconds:
        when = f"{math.ceil(-age_seconds)} s in the future" if age_seconds < 0 else f"{math.floor(age_seconds)} s ago"
        return _rejected(f"it was sent {when}, and {tolerance_seconds:g} s are tolerated", sent_at * 1000)
    return _verdict_on(body, ids[0], sent_at * 1000)


def _judge_untimed(body: bytes, signatures: Sequence[str], secrets: Sequence[str], is_accepted: bool) -> WebhookVerdict:
    if not is_accepted:
        return _rejected("it has no webhook-signature")
    if len(signatures) > 1:
        return _rejected("it has more than one X-Service-Signature")
    offered = _bytes_of(signatures[0] if signatures else "")

    def fits(secret: str) -> bool:
        # The key is the text of the secret (specification, Webhook authenticity).
        expected = hmac.new(secret.encode("ascii"), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(offered, expected.encode("ascii"))

    if not _is_any(secrets, fits):
        return _rejected("X-Service-Signature does not fit the body and the secret")
    return _verdict_on(body, None, None)


def _checked_secrets(secrets: Union[str, Sequence[str]]) -> List[str]:
    # What `get_webhook` answers has None in the place of a secret that nobody has made.
    given = [secrets] if isinstance(secrets, str) or secrets is None else list(secrets)
    if not given or not all(isinstance(secret, str) and _SECRET.fullmatch(secret) for secret in given):
        raise ValueError("a webhook secret must be 64 lower-case hex characters, as set_webhook() and get_webhook() answer it")
    return given


def _is_any(all_of_them: Sequence[_T], test: Callable[[_T], bool]) -> bool:
    """Goes through all, so that the time does not tell which one fits."""
    return sum([test(one) for one in all_of_them]) > 0


def _header_of(headers: WebhookHeaders, name: str) -> List[str]:
    # Mappings of frameworks answer with every value of a repeated header here, and only with the first one when they are asked for it.
    pairs: Iterable[Tuple[Any, Any]] = headers.items() if hasattr(headers, "items") else headers
    values: List[str] = []
    for key, value in pairs:
        if _text_of(key).lower() == name:
            several = [value] if isinstance(value, (str, bytes)) else value
            values.extend(_text_of(one) for one in several)
    return values


def _text_of(value: _Text) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _bytes_of(text: str) -> bytes:
    # A surrogate fits no signature, but is no reason to fail.
    return text.encode("utf-8", "surrogatepass")


def _verdict_on(body: bytes, webhook_id: Optional[str], sent_at_ms: Optional[int]) -> WebhookVerdict:
    """The verdict on a webhook whose signature is right."""
    try:
        payload = parsed_json(body)
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        return _rejected("it is signed, but no JSON object", sent_at_ms)
    # The service signs what its records describe.
    return WebhookVerdict(None, VerifiedWebhook(webhook_id, cast("DepositPayload", payload)), sent_at_ms)


def _rejected(flaw: str, sent_at_ms: Optional[int] = None) -> WebhookVerdict:
    return WebhookVerdict(flaw, None, sent_at_ms)
