"""What answers mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from typing import Any, Dict, List, Optional, Sequence
from urllib.parse import parse_qs, urlsplit
import time

from .connections import Received
from .errors import BillhookError
from .strict_json import parsed_json

_SECONDS = re.compile("[0-9]{1,9}")
_NEXT = re.compile('<([^>]*)>; rel="next"')


@dataclass(frozen=True)
class Reply:
    """A successful answer."""

    #: Parsed.
    body: Any
    #: Where the next page of a list starts; ``None`` at its end.
    next: Optional[str]
    headers: HTTPMessage


def error_in(received: Received, url: str) -> Optional[BillhookError]:
    """The refusal in an answer; ``None`` for a success."""
    status, headers = received.status, received.headers
    if 200 <= status < 300:
        return None
    request_id = headers.get("x-request-id")
    if status < 400:
        place = headers.get("location") or "another place"
        message = f"{url} answered {status} and sends clients to {place}."
        return BillhookError(message, "unexpected_answer", status=status, request_id=request_id)
    retry_after_seconds = _retry_after_in(headers)
    body = _object_in(received.body)
    error, code = body.get("error"), body.get("code")
    if not isinstance(error, str) or not isinstance(code, str):
        message = f"{url} answered {status}, and not as this service does: see what else listens there."
        return BillhookError(
            message,
            "unexpected_answer",
            status=status,
            request_id=request_id,
            retry_after_seconds=retry_after_seconds,
        )
    field, wallet, reason, coin = (_text_in(body.get(name)) for name in ("field", "wallet", "reason", "coin"))
    listed = body.get("supported")
    supported = [str(one) for one in listed] if isinstance(listed, list) else None
    return BillhookError(
        _message_of(error, code, field, wallet, reason, coin, supported),
        code,
        status=status,
        field=field,
        wallet=wallet,
        reason=reason,
        coin=coin,
        supported=supported,
        request_id=request_id,
        retry_after_seconds=retry_after_seconds,
    )


#: What to do about refusals that say only what is wrong, by code.
_ADVICE = {
    "unknown_api_key": "Register its public key at this service first.",
    "unknown_identity": "Onboard it first, and wait until the service knows it.",
    "missing_auth_headers": "In strict mode requests are signed by a registered key, and its registration by the identity.",
    "not_identity_key": "In strict mode register_api_key takes the key of the identity: identity=….",
    "not_found": "See whether the URL of the service is right. Only a sandbox simulates deposits.",
}

_REASONS = {
    "not_assigned": "is not assigned to this identity, or the service has not learned of it yet",
    "no_address": "is assigned, but the service does not know its address yet",
}


def _message_of(
    text: str,
    code: str,
    field: Optional[str],
    wallet: Optional[str],
    reason: Optional[str],
    coin: Optional[str],
    supported: Optional[Sequence[str]],
) -> str:
    """The text of the service, with everything else that its answer says: a log has the message alone."""
    sentences: List[str] = [text]
    if field is not None and not text.startswith(field):
        sentences.append(f"Field: {field}.")
    if supported is not None:
        sentences.append(f"Supported: {', '.join(supported)}.")
    if coin is not None:
        sentences.append(f"Coin: {coin}.")
    if wallet is not None:
        why = _REASONS.get(reason or "")
        sentences.append(f"Wallet: {wallet}." if why is None else f"Wallet {wallet} {why}.")
    if code in _ADVICE:
        sentences.append(_ADVICE[code])
    return " ".join(sentences)


def reply_in(received: Received, url: str) -> Reply:
    try:
        body = parsed_json(received.body)
    except ValueError:
        body = None
    if not isinstance(body, (dict, list)):
        raise unexpected(received.headers, f"{url} did not answer with JSON: see what else listens there.", received.status)
    return Reply(body, _next_in(received.headers.get("link") or ""), received.headers)


def unexpected(headers: HTTPMessage, message: str, status: int = 200) -> BillhookError:
    return BillhookError(message, "unexpected_answer", status=status, request_id=headers.get("x-request-id"))


def clock_in(headers: HTTPMessage) -> Optional[float]:
    """What the clock of the service says, Unix seconds."""
    return _date_in(headers.get("date") or "")


def _next_in(link: str) -> Optional[str]:
    target = _NEXT.search(link)
    if target is None:
        return None
    query = parse_qs(urlsplit(target[1]).query)
    return next((query[name][0] for name in ("cursor", "after") if name in query), None)


def _object_in(body: bytes) -> Dict[str, Any]:
    try:
        value = parsed_json(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text_in(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def _retry_after_in(headers: HTTPMessage) -> Optional[float]:
    """Seconds or a date (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after") or ""
    if _SECONDS.fullmatch(value) is not None:
        return float(value)
    at = _date_in(value)
    return None if at is None else max(0.0, at - time.time())


def _date_in(text: str) -> Optional[float]:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError, OSError):
        # Older versions raise TypeError for what is no date, and times that no platform knows raise the last ones.
        return None
