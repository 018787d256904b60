"""A merchant's side of the API."""

from __future__ import annotations

import secrets
import ssl
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Union, cast

from .amount import ReadableAmount, amount_of, amount_text, is_known_in
from .answer import Reply, unexpected
from .errors import BillhookError
from .fields import fields_of, suggestion
from .signer import PrivateKey, Signer, checked_signer, key_signer
from .transport import Call, Transport
from .wait import Until, poll

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .api_types import (
        ApiKey,
        ApiKeyDraft,
        BillhookEvent,
        ClaimedWallet,
        DeleteWebhookAnswer,
        Deposit,
        DescribeSandboxAnswer,
        Invoice,
        InvoiceDraft,
        InvoiceFilter,
        InvoiceWithPayment,
        Order,
        OrderDraft,
        OrderFilter,
        Rates,
        RatesTaken,
        RotationDraft,
        ServiceInfo,
        SimulatedDepositDraft,
        Wallet,
        WebhookDelivery,
        WebhookDraft,
        WebhookSettings,
        WebhookTest,
    )

#: A webhook test takes up to 8 s, and an overloaded service may hold its answer back.
_TIMEOUT_SECONDS = 30.0
_RETRY_DELAY_SECONDS = 1.0
_ATTEMPTS = 4
_PAGE_SIZE = 100
_PAYMENT_INTERVAL_SECONDS = 2.0
_WALLET_INTERVAL_SECONDS = 1.0
_IDENTITY_INTERVAL_SECONDS = 1.0
_IDEMPOTENCY_KEY_BYTES = 16
#: No token has more (``uint8`` of ERC-20).
_DECIMALS_MAX = 255


_OPTION_INVOICE = ("id", "url", "amount", "currency", "rate")
_OPTION_FIELDS = ("walletIds", "currency", "amount")


class _Own(Enum):
    """Stands for the client's own signer, which may be ``None``."""

    SIGNER = "the client's own"


#: What signs a request: the client's own signer, another one, or nothing.
_SignsWith = Union[Signer, None, _Own]


@dataclass(frozen=True)
class NewInvoice:
    """A created invoice."""

    id: str
    #: The path of the payment page, behind the address of the service.
    url: str
    #: The whole address of the payment page.
    page_url: str
    #: When it expires unless it is paid or being paid, Unix milliseconds; ``None`` for never.
    expires_at: Optional[int]
    #: Whether it had been created before, by a request with the same idempotency key.
    is_replay: bool
    #: Names the request in the operator's log.
    request_id: Optional[str]


@dataclass(frozen=True)
class OptionInvoice:
    """The invoice of an option of a created order."""

    id: str
    #: The path of its payment page.
    url: str
    #: What it asks in its coin.
    amount: str
    currency: str
    #: The price of one coin that the amount follows from; ``None`` for an amount that you fixed.
    rate: Optional[str]


@dataclass(frozen=True)
class NewOrder:
    """A created order."""

    id: str
    #: The path of its page, behind the address of the service.
    url: str
    #: The whole address of its page.
    page_url: str
    #: When it expires, Unix milliseconds.
    expires_at: int
    #: One for each option, in their order.
    invoices: List[OptionInvoice]
    #: Whether it had been created before, by a request with the same idempotency key.
    is_replay: bool
    #: Names the request in the operator's log.
    request_id: Optional[str]


class Billhook:
    """A merchant's side of the API. One client can be used from several threads.

    ``url`` is the address of the service, with its path prefix if it has one. ``owner`` is the identity that the client acts for,
    ``private_key`` the API key, or ``signer`` what signs instead. Without either, requests are not signed. ``timeout_seconds`` is for
    each attempt of a request. A request that may be repeated is sent ``attempts`` times at most, with a pause that begins with
    ``retry_delay_seconds`` and doubles. With 1 every request is sent once, and a wrong clock of this machine is not corrected either.

    Reads, PUT, DELETE and the creation of invoices are repeated when no answer came, or 429, 500, 502, 503 or 504; nothing else is.
    Every method raises ``BillhookError``, and ``TypeError`` or ``ValueError`` for what cannot be right.

    >>> shop = Billhook(url, owner=owner, private_key=private_key)
    >>> shop.owner == owner
    True
    """

    def __init__(
        self,
        url: str,
        *,
        owner: Optional[str] = None,
        private_key: Optional[PrivateKey] = None,
        signer: Optional[Signer] = None,
        timeout_seconds: float = _TIMEOUT_SECONDS,
        retry_delay_seconds: float = _RETRY_DELAY_SECONDS,
        attempts: int = _ATTEMPTS,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        if private_key is not None and signer is not None:
            raise ValueError("give a private_key or a signer, not both")
        if attempts < 1:
            raise ValueError("attempts must be 1 or more")
        if not timeout_seconds > 0:
            raise ValueError("timeout_seconds must be more than 0")
        if owner is not None and not isinstance(owner, str):
            raise TypeError(f"the owner must be the id of an identity, a str, not {type(owner).__name__}")
        if owner is not None and owner.strip() == "":
            raise ValueError("the owner must be the id of an identity, not an empty text")
        self._transport = Transport(
            url,
            timeout_seconds=timeout_seconds,
            retry_delay_seconds=retry_delay_seconds,
            attempts=attempts,
            ssl_context=ssl_context,
        )
        if private_key is not None:
            signer = key_signer(private_key)
        self._signer = None if signer is None else checked_signer(signer)
        self._owner = owner
        #: What the service said last of itself.
        self._info: Optional[ServiceInfo] = None

    @property
    def owner(self) -> Optional[str]:
        """The identity that the client acts for, if it was given one.

        >>> billhook.owner == owner
        True
        """
        return self._owner

    @property
    def url(self) -> str:
        """The address of the service, without a slash at its end.

        >>> Billhook("https://pay.example/billhook/").url
        'https://pay.example/billhook'
        """
        return self._transport.url

    def close(self) -> None:
        """Closes the connections that are kept for the next request. The client can be used again.

        ``with`` does it at the end of the block:

        >>> with Billhook(url, owner=owner, private_key=private_key) as shop:
        ...     wallets = shop.list_wallets()
        """
        self._transport.close()

    def __enter__(self) -> Billhook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def create_invoice(self, *, idempotency_key: Optional[str] = None, **draft: Unpack[InvoiceDraft]) -> NewInvoice:
        """Creates an invoice. ``amount`` is a ``str`` or a ``Decimal``, never a ``float``.

        It is safe to lose the answer: the request carries an ``Idempotency-Key``, a random one if you give none, and is repeated with
        it. Give one of your own, kept with the order, if a restart of your program must not create a second invoice.

        >>> draft = {"wallet_ids": [wallet_id], "name": "Tea set", "amount": "30.00", "currency": "USDT"}
        >>> created = billhook.create_invoice(**draft, expires_in_seconds=3600, idempotency_key="order-1001")
        >>> again = billhook.create_invoice(**draft, expires_in_seconds=3600, idempotency_key="order-1001")
        >>> (again.id == created.id, again.is_replay)
        (True, True)

        The fields of an order, which people search for and your program reads again:

        >>> created = billhook.create_invoice(
        ...     wallet_ids=[wallet_id],
        ...     name="Tea set",
        ...     amount="27.00",
        ...     currency="USDT",
        ...     reference=f"order-1002-{secrets.token_hex(8)}",
        ...     order_number="1002",
        ...     return_url="https://shop.example/orders/1002",
        ...     metadata={"cart": "c-7f3a"},
        ... )
        >>> created.page_url == f"{url}/pay/{created.id}"
        True
        """
        body = {**self._unsigned_owner(), **fields_of("create_invoice", draft)}
        key = secrets.token_hex(_IDEMPOTENCY_KEY_BYTES) if idempotency_key is None else idempotency_key
        reply = self.request("POST /api/invoices", body=body, idempotency_key=key)
        created = _record_in(reply)
        headers = reply.headers
        expires_at = headers.get("invoice-expires-at")
        return NewInvoice(
            id=_text_of(created, "id", reply),
            url=_text_of(created, "url", reply),
            page_url=self._transport.url + _text_of(created, "url", reply),
            expires_at=int(expires_at) if expires_at is not None and expires_at.isdecimal() else None,
            is_replay=headers.get("idempotency-replayed") == "true",
            request_id=headers.get("x-request-id"),
        )

    def get_invoice(self, invoice_id: str) -> InvoiceWithPayment:
        """The record and its payment at this moment.

        >>> payment = billhook.get_invoice(invoice.id)["payment"]
        >>> (payment["status"], payment["remaining"])
        ('unpaid', '25')
        """
        return self._invoice_by(invoice_id, None)

    def _invoice_by(self, invoice_id: str, until: Until) -> InvoiceWithPayment:
        reply = self._send("GET /api/invoices/:id", {"id": invoice_id}, until=until)
        record = _record_in(reply)
        if not isinstance(record.get("payment"), dict):
            raise _no_record(reply, "payment")
        return cast("InvoiceWithPayment", record)

    def void_invoice(self, invoice_id: str) -> InvoiceWithPayment:
        """Ends an invoice that should no longer be paid.

        Refused with ``invoice_paid`` once what came and what is pending cover its amount.

        >>> billhook.void_invoice(invoice.id)["voided_at"] is None
        False
        """
        body = self._unsigned_owner() or None
        return cast("InvoiceWithPayment", self._record("POST /api/invoices/:id/void", {"id": invoice_id}, body))

    def accept_invoice(self, invoice_id: str) -> InvoiceWithPayment:
        """Takes what has come to an invoice as enough, for good, also when an exchange kept its fee.

        Refused with ``invoice_void`` once it is void or expired.

        >>> deposit = billhook.simulate_deposit(invoice_id=invoice.id, amount="24", kind="confirmed")
        >>> accepted = billhook.accept_invoice(invoice.id)
        >>> (accepted["payment"]["remaining"], accepted["accepted_at"] is None)
        ('1', False)
        """
        body = self._unsigned_owner() or None
        return cast("InvoiceWithPayment", self._record("POST /api/invoices/:id/accept", {"id": invoice_id}, body))

    def list_invoices(
        self, *, page_size: int = _PAGE_SIZE, **filter: Unpack[InvoiceFilter]
    ) -> Iterator[InvoiceWithPayment]:
        """The invoices of the owner with their payments, newest first. Pages are read as you go on.

        Void ones are among the unpaid, because a late payment can still come:

        >>> unpaid = billhook.list_invoices(status="unpaid", order_number="1001")
        >>> [one["amount"] for one in unpaid if one["voided_at"] is None]
        ['25.00']
        """
        query = {name: str(value) for name, value in fields_of("list_invoices", filter).items()}
        pages = self._pages("GET /api/users/:id/invoices", {"include": "payment", **query}, page_size)
        return cast("Iterator[InvoiceWithPayment]", pages)

    def list_invoices_without_payment(self, *, page_size: int = _PAGE_SIZE) -> Iterator[Invoice]:
        """The records without their payments, as ``list_invoices``. Cheaper for the service.

        >>> newest = next(billhook.list_invoices_without_payment())
        >>> (newest["id"] == invoice.id, "payment" in newest)
        (True, False)
        """
        return cast("Iterator[Invoice]", self._pages("GET /api/users/:id/invoices", {}, page_size))

    def wait_for_payment(
        self,
        invoice_id: str,
        *,
        timeout_seconds: Optional[float] = None,
        interval_seconds: float = _PAYMENT_INTERVAL_SECONDS,
    ) -> InvoiceWithPayment:
        """Answers when the invoice is paid or accepted.

        Raises ``invoice_void`` once it is void or expired, ``wait_timeout`` after the time; without ``timeout_seconds`` it waits for
        ever. A service that restarts, or limits requests, is waited for once it has answered.

        >>> deposit = billhook.simulate_deposit(invoice_id=invoice.id)
        >>> billhook.wait_for_payment(invoice.id, timeout_seconds=60)["payment"]["received"]
        '25'
        """

        def look(until: Until) -> Optional[InvoiceWithPayment]:
            invoice = self._invoice_by(invoice_id, until)
            if invoice.get("voided_at") is not None:
                raise BillhookError("This invoice is no longer payable.", "invoice_void")
            # An older service does not have the field.
            is_accepted = invoice.get("accepted_at") is not None
            return invoice if is_accepted or invoice["payment"].get("status") == "paid" else None

        return poll("The payment", look, interval_seconds=interval_seconds, timeout_seconds=timeout_seconds)

    def create_order(self, *, idempotency_key: Optional[str] = None, **draft: Unpack[OrderDraft]) -> NewOrder:
        """Creates an order: a price, and an invoice for each way to pay it. Amounts are ``str`` or ``Decimal``, never ``float``.

        What the options without a fixed amount ask follows from the rates of the service. It is safe to lose the answer, as it is for
        ``create_invoice``.

        >>> order = billhook.create_order(
        ...     price={"amount": "30.00", "currency": "USDT"},
        ...     options=[
        ...         {"walletIds": [wallet_id], "currency": "USDT"},
        ...         {"walletIds": [wallet_id], "currency": "native", "amount": "0.0125"},
        ...     ],
        ...     name="Tea set",
        ...     order_number="1003",
        ...     idempotency_key="order-1003",
        ... )
        >>> [(one.amount, one.currency) for one in order.invoices]
        [('30.00', 'USDT'), ('0.0125', 'native')]
        """
        body = {**self._unsigned_owner(), **_with_amounts(fields_of("create_order", draft))}
        key = secrets.token_hex(_IDEMPOTENCY_KEY_BYTES) if idempotency_key is None else idempotency_key
        reply = self.request("POST /api/orders", body=body, idempotency_key=key)
        created = _record_in(reply)
        options, expires_at = created.get("invoices"), created.get("expires_at")
        if not isinstance(options, list) or not isinstance(expires_at, int):
            raise _no_record(reply, "invoices")
        return NewOrder(
            id=_text_of(created, "id", reply),
            url=_text_of(created, "url", reply),
            page_url=self._transport.url + _text_of(created, "url", reply),
            expires_at=expires_at,
            invoices=[OptionInvoice(**{name: one.get(name) for name in _OPTION_INVOICE}) for one in options],
            is_replay=reply.headers.get("idempotency-replayed") == "true",
            request_id=reply.headers.get("x-request-id"),
        )

    def get_order(self, order_id: str) -> Order:
        """The order and what has come for it at this moment.

        >>> options = [{"walletIds": [wallet_id], "currency": "USDT"}]
        >>> order = billhook.create_order(price={"amount": "31.00", "currency": "USDT"}, options=options, name="Tea set")
        >>> told = billhook.get_order(order.id)
        >>> (told["status"], told["paid_fraction"])
        ('unpaid', '0.000000000000000000')
        """
        return self._order_by(order_id, None)

    def _order_by(self, order_id: str, until: Until) -> Order:
        reply = self._send("GET /api/orders/:id", {"id": order_id}, until=until)
        record = _record_in(reply)
        if not isinstance(record.get("status"), str):
            raise _no_record(reply, "status")
        return cast("Order", record)

    def void_order(self, order_id: str) -> Order:
        """Ends an order that should no longer be paid, with all of its invoices.

        Refused with ``order_paid`` once what came and what is pending make up its price.

        >>> options = [{"walletIds": [wallet_id], "currency": "USDT"}]
        >>> order = billhook.create_order(price={"amount": "32.00", "currency": "USDT"}, options=options, name="Tea set")
        >>> billhook.void_order(order.id)["status"]
        'void'
        """
        body = self._unsigned_owner() or None
        return cast("Order", self._record("POST /api/orders/:id/void", {"id": order_id}, body))

    def accept_order(self, order_id: str) -> Order:
        """Takes what has come for an order as enough: it is paid, for good.

        Refused with ``order_void`` once it is void or expired.

        >>> options = [{"walletIds": [wallet_id], "currency": "USDT"}]
        >>> order = billhook.create_order(price={"amount": "33.00", "currency": "USDT"}, options=options, name="Tea set")
        >>> billhook.accept_order(order.id)["status"]
        'paid'
        """
        body = self._unsigned_owner() or None
        return cast("Order", self._record("POST /api/orders/:id/accept", {"id": order_id}, body))

    def list_orders(self, *, page_size: int = _PAGE_SIZE, **filter: Unpack[OrderFilter]) -> Iterator[Order]:
        """The orders of the owner, newest first. Pages are read as you go on.

        >>> options = [{"walletIds": [wallet_id], "currency": "USDT"}]
        >>> order = billhook.create_order(price={"amount": "34.00", "currency": "USDT"}, options=options, name="Tea set")
        >>> next(billhook.list_orders(status="unpaid"))["price"]
        {'amount': '34.00', 'currency': 'USDT'}
        """
        query = {name: str(value) for name, value in fields_of("list_orders", filter).items()}
        return cast("Iterator[Order]", self._pages("GET /api/users/:id/orders", query, page_size))

    def wait_for_order(
        self,
        order_id: str,
        *,
        timeout_seconds: Optional[float] = None,
        interval_seconds: float = _PAYMENT_INTERVAL_SECONDS,
    ) -> Order:
        """Answers when the order is paid, in whatever coins, or accepted.

        Raises ``order_void`` once it is void or expired, ``wait_timeout`` after the time; without ``timeout_seconds`` it waits for ever.

        >>> options = [{"walletIds": [wallet_id], "currency": "USDT"}]
        >>> order = billhook.create_order(price={"amount": "35.00", "currency": "USDT"}, options=options, name="Tea set")
        >>> deposit = billhook.simulate_deposit(invoice_id=order.invoices[0].id, kind="confirmed")
        >>> billhook.wait_for_order(order.id, timeout_seconds=60)["status"]
        'paid'
        """

        def look(until: Until) -> Optional[Order]:
            order = self._order_by(order_id, until)
            if order["status"] == "paid":
                return order
            if order.get("voided_at") is not None:
                raise BillhookError("This order is no longer payable.", "order_void")
            return None

        return poll("The payment of the order", look, interval_seconds=interval_seconds, timeout_seconds=timeout_seconds)

    def register_api_key(self, *, identity: Optional[Signer] = None, **draft: Unpack[ApiKeyDraft]) -> ApiKey:
        """Registers a public key, by default the client's own, with the permission ``invoices:create`` by default.

        A service in strict mode wants the request signed by the identity: give what ``identity_from_phrase`` answers, or
        ``key_signer`` for a key in a file.

        >>> server = Billhook(url, owner=owner, private_key=secrets.token_bytes(32))
        >>> server.register_api_key(label="server", identity=identity, ttl_days=365)["permissions"]
        'invoices:create'
        """
        body: Dict[str, Any] = {"permissions": ["invoices:create"], **fields_of("register_api_key", draft)}
        if "publicKey" not in body:
            if self._signer is None:
                raise TypeError("a client without a key needs the public_key to register")
            body["publicKey"] = self._signer.public_key
        body["owner"] = self._needed_owner()
        return cast("ApiKey", self._record("POST /api/api-keys", {}, body, signer=identity or self._signer))

    def list_api_keys(self) -> List[ApiKey]:
        """The keys of the owner, also those that were revoked or have expired, newest first.

        >>> "shop" in [key["label"] for key in billhook.list_api_keys()]
        True
        """
        return cast("List[ApiKey]", self._list("GET /api/users/:id/api-keys"))

    def revoke_api_key(self, key_id: str) -> ApiKey:
        """Once it has answered, nothing more is created with the key. There is no way back.

        >>> new_key = secrets.token_bytes(32)
        >>> shop = Billhook(url, owner=owner, private_key=new_key)
        >>> old = shop.register_api_key(label="to be replaced", identity=identity)
        >>> billhook.revoke_api_key(old["id"])["revoked_at"] is None
        False
        """
        body = {"owner": self._needed_owner()}
        return cast("ApiKey", self._record("POST /api/api-keys/:id/revoke", {"id": key_id}, body))

    def get_webhook(self) -> WebhookSettings:
        """Where webhooks go, and the secret that signs them. Its fields are ``None`` if nothing is set.

        >>> secret = billhook.get_webhook()["secret"]
        >>> len(secret)
        64
        """
        return cast("WebhookSettings", self._record("GET /api/users/:id/webhook", self._owner_param()))

    def set_webhook(self, **settings: Unpack[WebhookDraft]) -> WebhookSettings:
        """Says where webhooks go. The first time, this makes the secret that signs them; later changes keep it.

        >>> settings = billhook.set_webhook(callback_url=receiver_url, payload="with-invoice")
        >>> settings["callback_url"] == receiver_url
        True
        """
        body = fields_of("set_webhook", settings)
        return cast("WebhookSettings", self._record("PUT /api/users/:id/webhook", self._owner_param(), body))

    def delete_webhook(self) -> DeleteWebhookAnswer:
        """Removes the default callback URL, and the secret with it.

        >>> billhook.delete_webhook()
        {'deleted': True}
        """
        return cast("DeleteWebhookAnswer", self._record("DELETE /api/users/:id/webhook", self._owner_param()))

    def rotate_webhook_secret(self, **rotation: Unpack[RotationDraft]) -> WebhookSettings:
        """Replaces the secret. Until the overlap ends, a day by default, webhooks fit the old and the new one.

        >>> old = billhook.get_webhook()["secret"]
        >>> new = billhook.rotate_webhook_secret(overlap_seconds=3600)["secret"]
        >>> new == old
        False
        """
        body = fields_of("rotate_webhook_secret", rotation)
        return cast("WebhookSettings", self._record("POST /api/users/:id/webhook/rotate", self._owner_param(), body))

    def test_webhook(self) -> WebhookTest:
        """Sends one webhook to the default callback URL at once, marked as a test, and answers how it went.

        >>> went = billhook.test_webhook()
        >>> (went["state"], went["httpStatus"])
        ('delivered', 204)
        """
        return cast("WebhookTest", self._record("POST /api/users/:id/webhook/test", self._owner_param()))

    def list_webhook_deliveries(self, *, page_size: int = _PAGE_SIZE) -> Iterator[WebhookDelivery]:
        """The webhooks of the owner, sent or waiting, newest first. Pages are read as you go on.

        >>> failed = [one["id"] for one in billhook.list_webhook_deliveries() if one["state"] == "failed"]
        >>> failed
        []
        """
        pages = self._pages("GET /api/users/:id/webhook/deliveries", {}, page_size)
        return cast("Iterator[WebhookDelivery]", pages)

    def redeliver_webhook(self, delivery_id: str) -> WebhookDelivery:
        """Sends a webhook again: the same body to the same URL, signed anew.

        >>> delivery = next(billhook.list_webhook_deliveries())
        >>> billhook.redeliver_webhook(delivery["id"])["state"]
        'queued'
        """
        tag = "POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver"
        return cast("WebhookDelivery", self._record(tag, {**self._owner_param(), "deliveryId": delivery_id}))

    def list_events(self, *, after: Optional[str] = None, page_size: int = _PAGE_SIZE) -> Iterator[BillhookEvent]:
        """What happened to the owner, oldest first, up to the last event so far. Pages are read as you go on.

        Keep the ``id`` of each event with what you did about it, and give the last one as ``after`` the next time.
        ``events_removed`` means that some are gone.

        >>> events = list(billhook.list_events())
        >>> (events[-1]["type"], events[-1]["invoiceId"] == invoice.id)
        ('invoice.created', True)
        >>> list(billhook.list_events(after=events[-1]["id"]))
        []
        """
        pages = self._pages("GET /api/users/:id/events", {}, page_size, cursor_name="after", first=after)
        return cast("Iterator[BillhookEvent]", pages)

    def amount_of(self, observed: Mapping[str, object]) -> ReadableAmount:
        """The amount of a webhook, an event's deposit or a deposit as people write it: see the function ``amount_of``.

        What the service said of its networks is kept, and asked again for a network or a token that was not among them.

        >>> amount = billhook.amount_of({"network": "TRX-NILE", "currency": "Tether", "amount": "25000000"})
        >>> (amount.text, amount.value)
        ('25 USDT', Decimal('25'))
        """
        network, label = observed.get("network"), observed.get("currency")
        return amount_of(observed, self._info_where(lambda info: is_known_in(info, network, label)))

    def identity_exists(self, identity: Optional[str] = None) -> bool:
        """Whether an identity exists, by default the owner. ``ledger_unreachable`` means that it is not known.

        >>> billhook.identity_exists()
        True
        """
        return self._identity_exists_by(self._needed_owner() if identity is None else identity, None)

    def _identity_exists_by(self, identity: str, until: Until) -> bool:
        """As ``identity_exists``, within a time. The ledger steps ask it."""
        reply = self._send("GET /api/identity/:id/exists", {"id": identity}, until=until, signer=None)
        exists = _record_in(reply).get("exists")
        if not isinstance(exists, bool):
            raise _no_record(reply, "exists")
        return exists

    def wait_for_identity(
        self, *, timeout_seconds: Optional[float] = None, interval_seconds: float = _IDENTITY_INTERVAL_SECONDS
    ) -> None:
        """Answers when the service knows that the owner exists, so that a key can be registered in strict mode.

        A service that only its gateway tells of the ledger learns of an onboarding a moment later. Without ``timeout_seconds`` it
        waits for ever.

        >>> billhook.wait_for_identity(timeout_seconds=60)
        """
        owner = self._needed_owner()
        poll(
            "The onboarding of the identity",
            lambda until: self._identity_exists_by(owner, until) or None,
            interval_seconds=interval_seconds,
            timeout_seconds=timeout_seconds,
        )

    def claim_wallet(self, network: str) -> ClaimedWallet:
        """Hands out a wallet that is nobody's yet. Assign it at the ledger within ten minutes.

        Raises ``ValueError`` for a network that the service does not have, before anything is handed out. A service without a ledger
        has no wallets to hand out: its operator derives them, and ``list_wallets`` has them.

        >>> claimed = billhook.claim_wallet("TRX-NILE")
        >>> claimed["address"].startswith("T")
        True
        """
        networks = self._info_about(network)["networks"]
        found = next((one for one in networks if one["id"] == network), None)
        if found is None:
            ids = [one["id"] for one in networks]
            meant = suggestion(str(network), ids)
            raise ValueError(f'this service has no network "{network}"{meant} It has {", ".join(ids)}.')
        tag = f"GET /api/wallets/claim/{found['claim']}"
        return cast("ClaimedWallet", self._record(tag, {}, signer=None, has_effect=True))

    def list_wallets(self) -> List[Wallet]:
        """The wallets of the owner, newest first.

        >>> wallet_id in [wallet["id"] for wallet in billhook.list_wallets() if wallet["network"] == "TRX-NILE"]
        True
        """
        return self._wallets_by(None)

    def _wallets_by(self, until: Until) -> List[Wallet]:
        return cast("List[Wallet]", self._list("GET /api/users/:id/wallets", until))

    def _has_wallet_by(self, wallet_id: str, until: Until) -> bool:
        """Whether the service knows the wallet as the owner's, within a time. The ledger steps ask it."""
        return any(wallet.get("id") == wallet_id for wallet in self._wallets_by(until))

    def wait_for_wallet(
        self,
        wallet_id: str,
        *,
        timeout_seconds: Optional[float] = None,
        interval_seconds: float = _WALLET_INTERVAL_SECONDS,
    ) -> Wallet:
        """Answers when the service knows the wallet as the owner's, with its address, so that it can be invoiced on.

        Without ``timeout_seconds`` it waits for ever.

        >>> billhook.wait_for_wallet(wallet_id, timeout_seconds=60)["network"]
        'TRX-NILE'
        """

        def look(until: Until) -> Optional[Wallet]:
            known = (wallet for wallet in self._wallets_by(until) if wallet.get("id") == wallet_id)
            return next((wallet for wallet in known if wallet.get("address") is not None), None)

        what = "The assignment of the wallet"
        return poll(what, look, interval_seconds=interval_seconds, timeout_seconds=timeout_seconds)

    def get_info(self) -> ServiceInfo:
        """What clients must know: the version, the modes, the networks, and how the ledger is used.

        >>> [network["id"] for network in billhook.get_info()["networks"]]
        ['SEP', 'TRX-NILE']
        """
        reply = self._send("GET /api/info", {}, signer=None)
        info = _record_in(reply)
        networks = info.get("networks")
        if not isinstance(networks, list) or not all(_is_network(one) for one in networks):
            raise _no_record(reply, "networks")
        return cast("ServiceInfo", info)

    def get_rates(self) -> Rates:
        """Which rates are in force: the price of one coin, by currency and coin, and which coins have none and why.

        >>> billhook.get_rates()["rates"]["EUR"]["USDT"]
        '0.92'
        """
        return cast("Rates", self._record("GET /api/rates", {}, signer=None))

    def describe_sandbox(self) -> DescribeSandboxAnswer:
        """What the ledger steps need to know of a sandbox.

        >>> billhook.describe_sandbox()["networks"]
        ['SEP', 'TRX-NILE']
        """
        return cast("DescribeSandboxAnswer", self._record("GET /sandbox", {}, signer=None))

    def simulate_deposit(self, **deposit: Unpack[SimulatedDepositDraft]) -> Deposit:
        """Pays at a sandbox. With an invoice, what is still missing; pending at once and confirmed a second later.

        >>> deposit = billhook.simulate_deposit(invoice_id=invoice.id, amount="10")
        >>> billhook.amount_of(deposit).text
        '10 USDT'
        """
        body = fields_of("simulate_deposit", deposit)
        return cast("Deposit", self._record("POST /sandbox/deposits", {}, body, signer=None))

    def set_sandbox_rates(self, rates: Mapping[str, Mapping[str, str]]) -> RatesTaken:
        """Sets all rates of a sandbox, by currency and coin. A coin that is left out has none.

        >>> billhook.set_sandbox_rates({"EUR": {"USDT": "0.92", "ETH": "2950.10", "TRX": "0.2511"}})["status"]
        'accepted'
        """
        return cast("RatesTaken", self._record("POST /sandbox/rates", {}, {"rates": rates}, signer=None))

    def request(
        self,
        tag: str,
        *,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Optional[str]]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        signer: _SignsWith = _Own.SIGNER,
    ) -> Reply:
        """Any request of the reference, as the other methods send theirs.

        ``tag`` is the method and the pattern of the endpoint, as in ``POST /api/invoices/:id/void``; ``params`` stand for its
        ``:names``. Signed by the client's key, unless another ``signer`` or ``None`` is given, and repeated under the same rule.

        >>> reply = billhook.request("GET /api/invoices/:id", params={"id": invoice.id})
        >>> reply.body["orderNumber"]
        '1001'
        """
        return self._send(tag, params or {}, query=query, body=body, idempotency_key=idempotency_key, signer=signer)

    def _send(
        self,
        tag: str,
        params: Mapping[str, str],
        *,
        query: Optional[Mapping[str, Optional[str]]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        signer: _SignsWith = _Own.SIGNER,
        has_effect: bool = False,
        until: Until = None,
    ) -> Reply:
        signs_with = self._signer if signer is _Own.SIGNER else signer
        call = Call(tag, params, query or {}, body, signs_with, idempotency_key, has_effect, until)
        return self._transport.call(call)

    def _record(
        self,
        tag: str,
        params: Mapping[str, str],
        body: Optional[Mapping[str, Any]] = None,
        *,
        signer: _SignsWith = _Own.SIGNER,
        has_effect: bool = False,
    ) -> Dict[str, Any]:
        return _record_in(self._send(tag, params, body=body, signer=signer, has_effect=has_effect))

    def _list(self, tag: str, until: Until = None) -> List[Dict[str, Any]]:
        return _records_in(self._send(tag, self._owner_param(), until=until))

    def _pages(
        self,
        tag: str,
        query: Mapping[str, str],
        page_size: int,
        *,
        cursor_name: str = "cursor",
        first: Optional[str] = None,
    ) -> Iterator[Dict[str, Any]]:
        params = self._owner_param()

        def pages() -> Iterator[Dict[str, Any]]:
            cursor = first
            while True:
                paged = {**query, "limit": str(page_size), cursor_name: cursor}
                reply = self._send(tag, params, query=paged)
                yield from _records_in(reply)
                if reply.next is None:
                    return
                if reply.next == cursor:
                    raise unexpected(reply.headers, f"{self._transport.url} answered the same page twice.")
                cursor = reply.next

        return pages()

    def _needed_owner(self) -> str:
        if self._owner is None:
            raise TypeError("this needs the owner: give it with the url to Billhook(url, owner=…)")
        return self._owner

    def _unsigned_owner(self) -> Dict[str, str]:
        """The owner as a body names it where nothing is signed: a key says itself for whom it acts."""
        if self._signer is not None:
            return {}
        if self._owner is None:
            raise TypeError("this needs a key, Billhook(url, private_key=…), or, where the service takes unsigned requests, the owner")
        return {"owner": self._owner}

    def _owner_param(self) -> Dict[str, str]:
        return {"id": self._needed_owner()}

    def _info_about(self, network: object) -> ServiceInfo:
        """What the service says of itself, asked again if it has not listed a network before."""
        return self._info_where(lambda info: any(one["id"] == network for one in info["networks"]))

    def _info_where(self, tells: Callable[[ServiceInfo], bool]) -> ServiceInfo:
        """What is kept, if it tells what is wanted, or else what the service says now."""
        info = self._info
        if info is None or not tells(info):
            info = self._info = self.get_info()
        return info


def _record_in(reply: Reply) -> Dict[str, Any]:
    if not isinstance(reply.body, dict):
        raise _no_record(reply, "record")
    return reply.body


def _records_in(reply: Reply) -> List[Dict[str, Any]]:
    if not _is_list_of_records(reply.body):
        raise _no_record(reply, "list of records")
    return cast("List[Dict[str, Any]]", reply.body)


def _is_list_of_records(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _is_network(network: object) -> bool:
    """Whether it has what this package uses of it."""
    if not isinstance(network, dict):
        return False
    decimals = network.get("decimals")
    is_counted = isinstance(decimals, int) and 0 <= decimals <= _DECIMALS_MAX
    return is_counted and all(isinstance(network.get(name), str) for name in ("id", "symbol", "claim"))


def _text_of(record: Mapping[str, Any], name: str, reply: Reply) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise _no_record(reply, name)
    return value


def _no_record(reply: Reply, what: str) -> BillhookError:
    return unexpected(reply.headers, f"The answer has no {what} as the service documents it: see what else listens there.")


def _with_amounts(body: Dict[str, Any]) -> Dict[str, Any]:
    """The body of an order with its amounts as texts. Raises ``TypeError`` for a field of an option that there is none of."""
    options = []
    for option in body.get("options", []):
        for name in option:
            if name not in _OPTION_FIELDS:
                raise TypeError(f'an option has no field "{name}"{suggestion(name, _OPTION_FIELDS)} It has {", ".join(_OPTION_FIELDS)}.')
        amount = option.get("amount")
        options.append({**option, "amount": amount_text(amount)} if amount is not None else option)
    price = body.get("price")
    if not isinstance(price, dict):
        return {**body, "options": options}
    return {**body, "price": {**price, "amount": amount_text(price.get("amount"))}, "options": options}
