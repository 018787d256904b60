"""A merchant's side of Billhook, a self-hosted payment service. docs/python.md describes it."""

from .amount import Amount, ReadableAmount, amount_of
from .answer import Reply
from .client import Billhook, NewInvoice, NewOrder, OptionInvoice
from .errors import BillhookError
from .identity import IDENTITY_PATH, identity_from_phrase, identity_id, new_phrase
from .ledger import LedgerSettings, assign_wallet, onboard
from .signer import PrivateKey, Signer, key_signer, signed_headers
from .wallets import wallet_ids_of
from .webhook import VerifiedWebhook, WebhookHeaders, WebhookVerdict, judge_webhook, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "Amount",
    "Billhook",
    "BillhookError",
    "IDENTITY_PATH",
    "LedgerSettings",
    "NewInvoice",
    "NewOrder",
    "OptionInvoice",
    "PrivateKey",
    "ReadableAmount",
    "Reply",
    "Signer",
    "VerifiedWebhook",
    "WebhookHeaders",
    "WebhookVerdict",
    "amount_of",
    "assign_wallet",
    "identity_from_phrase",
    "identity_id",
    "judge_webhook",
    "key_signer",
    "new_phrase",
    "onboard",
    "signed_headers",
    "verify_webhook",
    "wallet_ids_of",
]
