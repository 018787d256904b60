"""Requests to the service: signed, within a time, again where that is safe."""

from __future__ import annotations

import json
import random
import re
import ssl
import time
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode

from .answer import Reply, clock_in, error_in, reply_in
from .connections import Connections, Lost, Received, Unsent, address_in
from .errors import BillhookError
from .signer import Signer, signed_headers
from .wait import Until, may_pass

#: A longer ``Retry-After`` is left to the caller.
_WAIT_MAX_SECONDS = 30.0


@dataclass(frozen=True)
class Call:
    """A request to the API."""

    #: The method and the pattern of the endpoint, as in the reference. It is also the first line of the signed text.
    tag: str
    #: What stands for the ``:names`` of the tag, not encoded.
    params: Mapping[str, str]
    query: Mapping[str, Optional[str]]
    #: Sent as JSON; ``None`` for no body.
    body: Optional[Mapping[str, Any]] = None
    signer: Optional[Signer] = None
    idempotency_key: Optional[str] = None
    #: Whether a GET has an effect. It is then not repeated.
    has_effect: bool = False
    until: Until = None

    def may_be_repeated(self) -> bool:
        """The documented rule: reads, PUT and DELETE, and what an idempotency key protects."""
        return self.idempotency_key is not None or not (self.has_effect or self.tag.startswith("POST "))


class Transport:
    def __init__(
        self,
        url: str,
        *,
        timeout_seconds: float,
        retry_delay_seconds: float,
        attempts: int,
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        address = address_in(url)
        #: The base address, without a slash at its end.
        self.url = url.rstrip("/")
        self._connections = Connections(address, ssl_context)
        self._timeout_seconds = timeout_seconds
        self._retry_delay_seconds = retry_delay_seconds
        self._attempts = attempts
        #: What the clock of the service is ahead of ours.
        self._ahead_seconds = 0.0

    def close(self) -> None:
        self._connections.close()

    def call(self, call: Call) -> Reply:
        """Raises ``BillhookError``."""
        body = None if call.body is None else _json_bytes(call.body)
        attempt = 1
        is_corrected = False
        while True:
            try:
                received = self._send(call, body)
                error = error_in(received, self.url)
                if error is None:
                    return reply_in(received, self.url)
                is_late = error.code == "invalid_timestamp" and self._attempts > 1 and not is_corrected
                if is_late and self._set_clock(received):
                    # The request had no effect: any may be sent again.
                    is_corrected = True
                    continue
                raise error
            except BillhookError as error:
                pause_seconds = self._pause_seconds(attempt, call, error)
                if pause_seconds is None:
                    raise
            time.sleep(pause_seconds)
            attempt += 1

    def _pause_seconds(self, attempt: int, call: Call, error: BillhookError) -> Optional[float]:
        """How long to wait until the call may be tried again; ``None`` where it may not.

        The error is raised by the caller: a frame that both has it as a variable and is in its traceback would keep the client, and its
        connections, until the garbage collection.
        """
        if attempt >= self._attempts or not call.may_be_repeated():
            return None
        if not may_pass(error) and error.code != "idempotency_in_progress":
            return None
        # Clients that failed together do not come back together.
        delay_seconds = self._retry_delay_seconds * 2 ** (attempt - 1) * (0.5 + random.random() / 2)
        pause_seconds: float = delay_seconds if error.retry_after_seconds is None else error.retry_after_seconds
        if pause_seconds > _WAIT_MAX_SECONDS:
            return None
        if call.until is not None and time.monotonic() + pause_seconds >= call.until:
            return None
        return pause_seconds

    def _send(self, call: Call, body: Optional[bytes]) -> Received:
        method, path = _method_and_path(call)
        timeout_seconds = self._timeout_seconds
        if call.until is not None:
            timeout_seconds = max(0.0, min(timeout_seconds, call.until - time.monotonic()))
        try:
            return self._connections.exchange(
                method,
                path,
                self._headers_of(call, body),
                body,
                timeout_seconds=timeout_seconds,
                may_repeat=call.may_be_repeated(),
            )
        except (Lost, Unsent) as error:
            raise BillhookError(f"{self.url} {error}.", "unreachable") from error

    def _headers_of(self, call: Call, body: Optional[bytes]) -> Dict[str, str]:
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        if call.signer is not None:
            now_ms = int((time.time() + self._ahead_seconds) * 1000)
            headers.update(signed_headers(call.signer, call.tag, body or b"", now_ms))
        return headers

    def _set_clock(self, received: Received) -> bool:
        """Takes over the clock of the service. False if the answer does not tell it."""
        server_seconds = clock_in(received.headers)
        if server_seconds is None:
            return False
        self._ahead_seconds = server_seconds - time.time()
        return True


def _json_bytes(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")


def _method_and_path(call: Call) -> Tuple[str, str]:
    method, _, pattern = call.tag.partition(" ")
    if not method.isupper() or not pattern.startswith("/"):
        raise ValueError(f'a tag is a method and a pattern, as in "GET /api/invoices/:id", not "{call.tag}"')

    def value_of(match: "re.Match[str]") -> str:
        value = call.params.get(match[1])
        # An empty part of a path would lead to another endpoint, or to none.
        if not isinstance(value, str) or value.strip() in ("", ".", ".."):
            raise ValueError(f"{call.tag} needs the {match[1]}, a text that is not empty")
        return quote(value, safe="")

    path = re.sub(r":(\w+)", value_of, pattern)
    query = urlencode({name: value for name, value in call.query.items() if value is not None})
    return method, path if query == "" else f"{path}?{query}"
