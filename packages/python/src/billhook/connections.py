"""HTTP to one address: connections that are used again, each answer bounded in time and size, no redirect followed."""

from __future__ import annotations

import http.client
import io
import os
import re
import select
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

#: More than a page of a thousand invoices of the largest kind.
ANSWER_MAX_BYTES = 64 * 1024 * 1024
#: Servers and proxies read them differently.
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f]")
_PIECE_BYTES = 64 * 1024
_IDLE_MAX = 8


@dataclass(frozen=True)
class Received:
    """An answer, read to its end."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Unsent(Exception):
    """Nothing was sent."""


class Lost(Exception):
    """Something was sent, and no whole answer came."""


@dataclass(frozen=True)
class Address:
    is_tls: bool
    host: str
    port: int
    #: Without a slash at its end.
    path: str


def address_in(url: str) -> Address:
    """Raises ``ValueError`` for a URL that is none."""
    if _NOT_IN_URLS.search(url) is not None:
        raise ValueError(f"the url has a blank or a control character: {url!r}")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
        host.encode("idna")
    except ValueError:
        raise ValueError(f"the url is malformed: {url}") from None
    if parts.scheme not in ("http", "https") or host == "":
        raise ValueError(f"the url must begin with https:// or http://: {url}")
    if "@" in parts.netloc:
        raise ValueError("the url must have no user and password")
    if not parts.path.isascii():
        raise ValueError(f"the path of the url must be percent-encoded: {url}")
    if parts.query != "" or parts.fragment != "":
        raise ValueError(f"the url must be an address and a path: {url}")
    is_tls = parts.scheme == "https"
    return Address(is_tls, host, port or (443 if is_tls else 80), parts.path.rstrip("/"))


class Connections:
    """Usable from several threads: each request has a connection of its own meanwhile."""

    def __init__(self, address: Address, context: Optional[ssl.SSLContext]) -> None:
        self._address = address
        self._context = (context or ssl.create_default_context()) if address.is_tls else None
        self._lock = threading.Lock()
        self._idle: List[_Connection] = []

    def exchange(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        *,
        timeout_seconds: float,
        may_repeat: bool,
    ) -> Received:
        """Raises ``Unsent`` or ``Lost``, or ``ValueError`` for a header or a path that cannot be sent.

        A server may close an idle connection in the moment in which a request is sent on it. What may not be repeated has therefore
        always a new one.
        """
        deadline = _Deadline(timeout_seconds)
        path = self._address.path + path
        idle = self._taken() if may_repeat else None
        if idle is not None:
            try:
                return self._over(idle, deadline, method, path, headers, body)
            except Lost:
                if deadline.is_over():
                    raise
        return self._over(self._opened(deadline), deadline, method, path, headers, body)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        # Programs that never close a client have no open sockets left of it.
        self.close()

    def _over(
        self,
        connection: _Connection,
        deadline: _Deadline,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
    ) -> Received:
        try:
            received, may_stay = connection.exchange(deadline, method, path, headers, body)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Lost(_told(error, deadline)) from error
        except BaseException:
            connection.close()
            raise
        with self._lock:
            may_stay = may_stay and len(self._idle) < _IDLE_MAX
            if may_stay:
                self._idle.append(connection)
        if not may_stay:
            connection.close()
        return received

    def _taken(self) -> Optional[_Connection]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if connection.is_usable():
                return connection
            connection.close()

    def _opened(self, deadline: _Deadline) -> _Connection:
        address = self._address
        try:
            places = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
            for at, (family, kind, protocol, _, place) in enumerate(places):
                try:
                    # Each place gets its share, so that one that is silent leaves time for the next.
                    share_seconds = deadline.remaining_seconds() / (len(places) - at)
                    sock = self._connected(socket.socket(family, kind, protocol), place, share_seconds)
                    return _Connection(address, sock)
                except OSError:
                    if at == len(places) - 1:
                        raise
        except (OSError, UnicodeError) as error:
            raise Unsent(_told(error, deadline)) from error
        raise Unsent(f"{address.host} has no address")

    def _connected(self, sock: socket.socket, place: Tuple[object, ...], within_seconds: float) -> socket.socket:
        try:
            sock.settimeout(within_seconds)
            sock.connect(place)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is None:
                return sock
            return self._context.wrap_socket(sock, server_hostname=self._address.host)
        except BaseException:
            sock.close()
            raise


class _Connection:
    def __init__(self, address: Address, sock: socket.socket) -> None:
        self._timed = _TimedSocket(sock)
        # The standard library's own class for HTTPS would open a socket itself.
        self._http = http.client.HTTPConnection(address.host, address.port)
        self._http.default_port = 443 if address.is_tls else 80
        self._http.sock = self._timed
        self._process = os.getpid()

    def exchange(
        self, deadline: _Deadline, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes]
    ) -> Tuple[Received, bool]:
        """The answer, and whether the connection may be used again."""
        self._timed.deadline = deadline
        self._http.request(method, path, body, dict(headers))
        response = self._http.getresponse()
        body_read = _read_body(response)
        return Received(response.status, response.headers, body_read), not response.will_close

    def is_usable(self) -> bool:
        # Of a fork, both processes would read the answers of each other. What can be read before a request is an end, or no answer to it.
        return self._process == os.getpid() and not self._timed.is_readable()

    def close(self) -> None:
        self._timed.end()


def _read_body(response: http.client.HTTPResponse) -> bytes:
    pieces = []
    size = 0
    while True:
        piece = response.read(_PIECE_BYTES)
        if piece == b"":
            break
        size += len(piece)
        if size > ANSWER_MAX_BYTES:
            raise http.client.HTTPException(f"the answer is larger than {ANSWER_MAX_BYTES} bytes")
        pieces.append(piece)
    if response.length:
        raise http.client.HTTPException(f"the answer ends {response.length} bytes too early")
    return b"".join(pieces)


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def is_over(self) -> bool:
        return time.monotonic() >= self._end

    def remaining_seconds(self) -> float:
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise socket.timeout("timed out")
        return remaining


class _TimedSocket:
    """What ``http.client`` uses of a socket. The time of a socket is for each piece, so an answer that drips would have no end."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.deadline = _Deadline(0)

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self.deadline.remaining_seconds())
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self))

    def recv_into(self, buffer: memoryview) -> int:
        self._sock.settimeout(self.deadline.remaining_seconds())
        return self._sock.recv_into(buffer)

    def is_readable(self) -> bool:
        try:
            poll = select.poll()
            poll.register(self._sock, select.POLLIN)
            return poll.poll(0) != []
        except AttributeError:
            # Windows has no poll, and no limit to what select takes.
            return select.select([self._sock], [], [], 0)[0] != []

    def close(self) -> None:
        """Nothing: ``http.client`` calls it before it reads the body of an answer that is the last one."""

    def end(self) -> None:
        self._sock.close()


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: _TimedSocket) -> None:
        super().__init__()
        self._timed = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._timed.recv_into(buffer)


def _told(error: Exception, deadline: _Deadline) -> str:
    if isinstance(error, socket.timeout) and deadline.is_over():
        return f"gave no answer within {deadline.seconds:g} s"
    return f"cannot be reached: {error or type(error).__name__}"
