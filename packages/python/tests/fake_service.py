"""Servers that answer by a script, down to the byte."""

import json
import socket
import threading

from billhook import Billhook


class FakeService:
    """One raw answer for each request, in turn. An answer is bytes, or a function that is given the socket."""

    def __init__(self, *script):
        self.script = list(script)
        #: Instead of the script, what answers a request.
        self.answer_to = None
        self.asked = []
        #: How many connections were accepted.
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Wakes the thread that accepts, which closing alone does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._open:
            sock.close()
        self._thread.join(10)

    def client(self, **options):
        return Billhook(self.url, **{"retry_delay_seconds": 0.001, "timeout_seconds": 10, **options})

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(sock)
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        file = sock.makefile("rb")
        try:
            while True:
                request = _read_request(file)
                if request is None:
                    return
                self.asked.append(request)
                if self.answer_to is not None:
                    sock.sendall(self.answer_to(request))
                    continue
                answer = self.script.pop(0) if self.script else reply(418, {"error": "no more answers", "code": "x"})
                if callable(answer):
                    answer(sock)
                    return
                sock.sendall(answer)
        except OSError:
            return
        finally:
            sock.close()


def _read_request(file):
    line = file.readline()
    if line == b"":
        return None
    method, path, _ = line.decode("latin-1").split(" ")
    headers = {}
    while True:
        line = file.readline().decode("latin-1").strip()
        if line == "":
            break
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = file.read(int(headers.get("content-length", "0")))
    return {"method": method, "path": path, "headers": headers, "body": body}


def reply(status, body, **headers):
    """An answer in JSON, or of bytes as they are. ``retry_after`` becomes ``retry-after``."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Some Reason", f"content-length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content


def refusal(status, code, **headers):
    return reply(status, {"error": f"Text of {code}.", "code": code}, **headers)
