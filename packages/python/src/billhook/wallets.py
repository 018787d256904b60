"""The wallets of an invoice."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Union

if TYPE_CHECKING:
    from .api_types import Invoice, InvoiceWithPayment


def wallet_ids_of(invoice: Union[Invoice, InvoiceWithPayment]) -> List[str]:
    """The wallets of an invoice, whose record has them joined by commas, or only the first one.

    >>> wallet_ids_of(billhook.get_invoice(invoice.id)) == [wallet_id]
    True
    """
    joined = invoice["wallet_ids"]
    return joined.split(",") if joined else [invoice["wallet_id"]]
