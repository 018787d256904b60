"""What the package raises beside ``TypeError`` and ``ValueError`` for misuse."""

from __future__ import annotations

from typing import Optional, Sequence


class BillhookError(Exception):
    """A failure of a request, a wait, a ledger step or a webhook.

    ``code`` is one of docs/errors.md, or one of the package's own:

    - ``unreachable``: no answer came. It is not known whether the request had an effect.
    - ``unexpected_answer``: what answered is not the service: a proxy perhaps, or another program.
    - ``wait_timeout``: a wait took longer than ``timeout_seconds``.
    - ``invoice_void``: the invoice that was waited for is void or expired.
    - ``order_void``: the order that was waited for is void or expired.
    - ``ledger_rejected``: the ledger refused a transaction. It has no effect.
    - ``ledger_unavailable``: no node could be reached. Nothing was sent.
    - ``ledger_uncertain``: it is not known whether a transaction has taken effect. Look before you go on.
    - ``webhook_rejected``: a webhook is not from the service, or is too old.
    - ``amount_unknown``: the service does not list the network of an amount, or no invoice is paid in its currency.

    Branch on the code; the message is for people.

    >>> try:
    ...     billhook.create_invoice(wallet_ids=[wallet_id], name="Tea set", amount="25", currency="EUR")
    ... except BillhookError as error:
    ...     print(error.code, error.field, error.supported)
    unsupported_currency currency ['native', 'USDT', 'USDC']
    """

    def __init__(
        self,
        message: str,
        code: str,
        *,
        status: Optional[int] = None,
        field: Optional[str] = None,
        wallet: Optional[str] = None,
        reason: Optional[str] = None,
        coin: Optional[str] = None,
        supported: Optional[Sequence[str]] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: The HTTP status, if there was an answer.
        self.status = status
        #: The field at fault, if it was one.
        self.field = field
        #: The wallet at fault, if it was one.
        self.wallet = wallet
        #: Why that wallet is refused: ``not_assigned`` or ``no_address``.
        self.reason = reason
        #: The symbol of the coin that has no current rate.
        self.coin = coin
        #: The values that the field may have, if the service lists them.
        self.supported = supported
        #: Names the request in the operator's log.
        self.request_id = request_id
        #: When the service asks to try again.
        self.retry_after_seconds = retry_after_seconds
