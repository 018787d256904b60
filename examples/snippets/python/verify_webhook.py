"""Tells whether a webhook is genuine: python3 verify_webhook.py < body

WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE are its headers, WEBHOOK_SECRET is the secret.
"""
import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def is_genuine(body: bytes, webhook_id: str, timestamp: str, signatures: str, secret: str) -> bool:
    """`body` is the bytes as they arrived."""
    if not timestamp.isascii() or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    text = f"{webhook_id}.{timestamp}.".encode("utf-8", "replace") + body
    mac = hmac.new(bytes.fromhex(secret), text, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    # While a secret is rotated there are two signatures, with a blank between them.
    return any(hmac.compare_digest(expected, one.encode("utf-8", "replace")) for one in signatures.split(" "))


if __name__ == "__main__":
    headers = [os.environ.get(name, "") for name in ("WEBHOOK_ID", "WEBHOOK_TIMESTAMP", "WEBHOOK_SIGNATURE")]
    if not is_genuine(sys.stdin.buffer.read(), *headers, os.environ["WEBHOOK_SECRET"]):
        sys.exit("rejected")
    print("genuine")
