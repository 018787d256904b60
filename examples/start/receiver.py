"""Receives webhooks, checks each, and prints what it says."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from billhook import BillhookError, verify_webhook

secret = json.loads(Path("shop.json").read_text())["secret"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        try:
            payload = verify_webhook(body, self.headers, secret).payload
            print(f"verified: {payload['status']} for {payload['reference']}", flush=True)
            self.send_response(204)
        except BillhookError as error:
            print(f"rejected: {error}", flush=True)
            self.send_response(401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """The lines above say enough."""


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
