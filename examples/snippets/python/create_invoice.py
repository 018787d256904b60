"""Creates an invoice: python3 create_invoice.py WALLET_ID AMOUNT

Needs the package `cryptography`. The key is in api-key.pem, or in the file that API_KEY_FILE names.
"""
import base64
import json
import os
import secrets
import sys
import time
import urllib.request

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key


def signed_headers(private_key, body: bytes) -> dict[str, str]:
    timestamp = str(int(time.time() * 1000))
    text = b"POST /api/invoices\n" + timestamp.encode() + b"\n" + body
    public_key = private_key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    return {
        "Content-Type": "application/json",
        "X-Service-Api-Key": public_key.hex(),
        "X-Service-Timestamp": timestamp,
        "X-Service-Signature": base64.b64encode(private_key.sign(text, ec.ECDSA(hashes.SHA256()))).decode(),
    }


if __name__ == "__main__":
    wallet_id, amount = sys.argv[1:]
    with open(os.environ.get("API_KEY_FILE", "api-key.pem"), "rb") as file:
        private_key = load_pem_private_key(file.read(), None)
    invoice = {
        "walletIds": [wallet_id],
        "name": "Tea set",
        "amount": amount,
        "currency": "USDT",
        "reference": f"order-1001-{secrets.token_hex(8)}",
    }
    body = json.dumps(invoice).encode()
    url = os.environ.get("BASE_URL", "http://127.0.0.1:8080") + "/api/invoices"
    request = urllib.request.Request(url, body, signed_headers(private_key, body))
    with urllib.request.urlopen(request, timeout=10) as response:
        print(response.read().decode())
