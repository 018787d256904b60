"""Makes an identity with a wallet, an API key and a webhook secret, and keeps them in shop.json."""

import json
import os
import secrets
from pathlib import Path

from billhook import Billhook, assign_wallet, identity_from_phrase, new_phrase, onboard

url = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
receiver = os.environ.get("RECEIVER_URL", "http://127.0.0.1:9000/")
phrase = new_phrase()
identity = identity_from_phrase(phrase)
ledger = Billhook(url).get_info()["ledger"]
if ledger is None:
    raise SystemExit("This service has no ledger: see docs/without-a-ledger.md.")
owner = onboard(ledger, identity)

private_key = secrets.token_hex(32)
billhook = Billhook(url, owner=owner, private_key=private_key)
billhook.wait_for_identity()
billhook.register_api_key(label="start", identity=identity)

wallet = billhook.claim_wallet("TRX-NILE")
assign_wallet(ledger, identity, wallet["id"], billhook=billhook)
billhook.wait_for_wallet(wallet["id"])

secret = billhook.set_webhook(callback_url=receiver)["secret"]
file = Path("shop.json")
file.touch(0o600)
client = {"url": url, "owner": owner, "private_key": private_key}
file.write_text(json.dumps({"client": client, "wallet": wallet["id"], "secret": secret, "phrase": phrase}))
print(f"Identity {owner} has the wallet {wallet['address']}")
