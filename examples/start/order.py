"""Asks for a payment, pays it with a simulated deposit, and waits until it is confirmed."""

import json
import secrets
from pathlib import Path

from billhook import Billhook

shop = json.loads(Path("shop.json").read_text())
billhook = Billhook(**shop["client"])
invoice = billhook.create_invoice(
    wallet_ids=[shop["wallet"]],
    name="Tea set",
    amount="25.00",
    currency="USDT",
    reference=f"order-1001-{secrets.token_hex(8)}",
    expires_in_seconds=3600,
)
print(f"Payment page: {invoice.page_url}")
billhook.simulate_deposit(invoice_id=invoice.id)
payment = billhook.wait_for_payment(invoice.id, interval_seconds=0.5)["payment"]
print(f"{payment['status']}: {payment['received']} USDT received")
