"""Which field of the service a keyword is. Generated from the OpenAPI document by `npm run docs`; a test compares the two."""

from typing import Dict

REQUEST_FIELDS: Dict[str, Dict[str, str]] = {
    "create_invoice": {
        "wallet_ids": "walletIds",
        "name": "name",
        "amount": "amount",
        "currency": "currency",
        "description": "description",
        "reference": "reference",
        "callback_url": "callbackUrl",
        "return_url": "returnUrl",
        "order_number": "orderNumber",
        "metadata": "metadata",
        "expires_in_seconds": "expiresInSeconds",
    },
    "list_invoices": {
        "reference": "reference",
        "order_number": "orderNumber",
        "status": "status",
        "currency": "currency",
        "created_after": "createdAfter",
        "created_before": "createdBefore",
    },
    "create_order": {
        "price": "price",
        "options": "options",
        "name": "name",
        "description": "description",
        "reference": "reference",
        "callback_url": "callbackUrl",
        "return_url": "returnUrl",
        "order_number": "orderNumber",
        "metadata": "metadata",
        "expires_in_seconds": "expiresInSeconds",
    },
    "list_orders": {
        "status": "status",
        "order_number": "orderNumber",
        "reference": "reference",
    },
    "register_api_key": {
        "label": "label",
        "public_key": "publicKey",
        "permissions": "permissions",
        "ttl_days": "ttlDays",
    },
    "set_webhook": {
        "callback_url": "callbackUrl",
        "payload": "payload",
        "types": "types",
    },
    "rotate_webhook_secret": {
        "overlap_seconds": "overlapSeconds",
    },
    "simulate_deposit": {
        "address": "address",
        "invoice_id": "invoiceId",
        "amount": "amount",
        "currency": "currency",
        "network": "network",
        "tx_hash": "txHash",
        "received_at": "receivedAt",
        "kind": "kind",
    },
}
