"""Records of the API, and what methods take. Generated from the OpenAPI document by `npm run docs`; a test compares the two."""

from __future__ import annotations

from typing import Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .amount import Amount


class CreatedInvoice(TypedDict):
    #: The id of the invoice.
    id: str
    #: The path of the payment page, behind the address of the service.
    url: str


class Invoice(TypedDict):
    #: In order of time, unless the invoice was imported under another id.
    id: str
    #: The identity: the id of its stream on the ledger.
    owner: str
    #: The first wallet.
    wallet_id: str
    #: All wallets, joined by commas. Null or empty: `wallet_id` is the only one.
    wallet_ids: Optional[str]
    #: As sent, trimmed and truncated to 80 characters.
    name: str
    #: As sent, trimmed and truncated to 500 characters.
    description: Optional[str]
    #: Your own id, truncated to 80 characters.
    reference: Optional[str]
    #: As sent.
    amount: str
    #: `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists.
    currency: str
    #: Wins over the identity's default.
    callback_url: Optional[str]
    #: Unix milliseconds.
    created_at: int


class Payment(TypedDict):
    """Computed on every read, exactly, in the invoice's currency. Never stored."""

    #: `paid` when `received` is at least the amount.
    status: Literal["unpaid", "paid"]
    #: Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices.
    received: str
    #: Sum of those that would count but are not confirmed yet.
    pending: str
    #: The part of the amount that is missing; `0` once paid.
    remaining: str
    #: What of `own` is beyond the amount.
    overpaid: str
    #: The part of `received` that is not matched to another invoice.
    own: str


class InvoiceWithPayment(TypedDict):
    #: In order of time, unless the invoice was imported under another id.
    id: str
    #: The identity: the id of its stream on the ledger.
    owner: str
    #: The first wallet.
    wallet_id: str
    #: All wallets, joined by commas. Null or empty: `wallet_id` is the only one.
    wallet_ids: Optional[str]
    #: As sent, trimmed and truncated to 80 characters.
    name: str
    #: As sent, trimmed and truncated to 500 characters.
    description: Optional[str]
    #: Your own id, truncated to 80 characters.
    reference: Optional[str]
    #: As sent.
    amount: str
    #: `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists.
    currency: str
    #: Wins over the identity's default.
    callback_url: Optional[str]
    #: Unix milliseconds.
    created_at: int
    payment: Payment
    #: Since when it is void, by voiding or expiry; null while it is payable.
    voided_at: Optional[int]
    #: When what had come was taken as enough, by its owner or, with `BILLHOOK_UNDERPAYMENT`, by the service; null for never. It is settled, whatever `payment` says.
    accepted_at: Optional[int]
    #: When it expires unless it is paid or being paid; null for never.
    expires_at: Optional[int]
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class CreatedOrderInvoices(TypedDict):
    #: The id of the invoice.
    id: str
    #: The path of its payment page.
    url: str
    #: What it asks in its coin.
    amount: str
    #: As in the option.
    currency: str
    #: The price of one coin that the amount follows from: `1` in the currency of the price, null for an amount that you fixed.
    rate: Optional[str]


class CreatedOrder(TypedDict):
    #: The id of the order.
    id: str
    #: The path of its page, behind the address of the service.
    url: str
    #: When it expires. Its rates are promised until then.
    expires_at: int
    #: One for each option, in their order.
    invoices: List[CreatedOrderInvoices]


class OrderPrice(TypedDict):
    """What the order costs."""

    #: As sent.
    amount: str
    #: A currency code, or the symbol of a coin.
    currency: str


class OrderOptions(TypedDict):
    invoice: Invoice
    payment: Payment
    #: The price of one coin that the amount follows from: `1` in the currency of the price, null for an amount that you fixed.
    rate: Optional[str]
    #: When the source of the rate said so. Null unless a rate was used.
    rateAt: Optional[int]
    #: What was charged on top, in percent. Null unless a rate was used.
    spread: Optional[str]
    #: What of this coin still completes the order, rounded up to its decimals; `0` once it is paid.
    remaining: str
    #: Since when this invoice is void; null while it is payable.
    voided_at: Optional[int]


class Order(TypedDict):
    #: In order of time.
    id: str
    #: The identity: the id of its stream on the ledger.
    owner: str
    #: What the order costs.
    price: OrderPrice
    #: As sent, trimmed and truncated to 80 characters.
    name: str
    #: As sent, trimmed and truncated to 500 characters.
    description: Optional[str]
    #: Your own id, truncated to 77 characters.
    reference: Optional[str]
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]
    #: Unix milliseconds.
    created_at: int
    #: When it expires unless something has come for it.
    expires_at: int
    #: Since when none of its invoices can be paid, by voiding or expiry; else null, and while it is paid.
    voided_at: Optional[int]
    #: When its owner took what had come as enough; null for never.
    accepted_at: Optional[int]
    #: `paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`.
    status: Literal["unpaid", "partly", "paid", "expired", "void"]
    #: The sum over the options of `payment.own` divided by the amount: 18 places, rounded down.
    paid_fraction: str
    options: List[OrderOptions]


class ApiKey(TypedDict):
    #: Revokes the key.
    id: str
    #: The identity: the id of its stream on the ledger.
    owner: str
    #: Trimmed and truncated to 60 characters.
    label: str
    #: Compressed, hex, as registered.
    public_key: str
    #: Joined by commas: invoices:create, payments:send, treasury:approve.
    permissions: str
    #: Null when the key never expires.
    expires_at: Optional[int]
    #: Null while it is not revoked.
    revoked_at: Optional[int]
    #: Unix milliseconds.
    created_at: int


class _WebhookSettingsAlways(TypedDict):
    #: The identity: the id of its stream on the ledger.
    owner: str
    #: The default callback URL; null if none is set.
    callback_url: Optional[str]
    #: Signs deliveries. Null if nothing was configured.
    secret: Optional[str]
    #: Unix milliseconds.
    created_at: Optional[int]
    #: Unix milliseconds.
    updated_at: Optional[int]


class WebhookSettings(_WebhookSettingsAlways, total=False):
    #: Absent for `specified`.
    payload: Literal["with-invoice", "events"]
    #: The events that are sent. Only with the payload `events`.
    types: List[Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "deposit.pending", "deposit.confirmed", "deposit.dropped", "delivery.failed", "invoice.accepted", "order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]]


class _ConfiguredWebhookAlways(TypedDict):
    #: The identity: the id of its stream on the ledger.
    owner: str
    #: The default callback URL; null if none is set.
    callback_url: Optional[str]
    #: Signs deliveries.
    secret: str
    #: Unix milliseconds.
    created_at: int
    #: Unix milliseconds.
    updated_at: int


class ConfiguredWebhook(_ConfiguredWebhookAlways, total=False):
    """The settings once there is a secret."""

    #: Absent for `specified`.
    payload: Literal["with-invoice", "events"]
    #: The events that are sent. Only with the payload `events`.
    types: List[Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "deposit.pending", "deposit.confirmed", "deposit.dropped", "delivery.failed", "invoice.accepted", "order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]]


class WebhookDeliveryEvent(TypedDict):
    """With the payload `events`, the event that it tells; else null."""

    #: Its id.
    id: str
    #: What happened.
    type: Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "deposit.pending", "deposit.confirmed", "deposit.dropped", "delivery.failed", "invoice.accepted", "order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]


class WebhookDelivery(TypedDict):
    #: Its `webhook-id`.
    id: str
    #: The invoice that it is about. Null for an event that names none.
    invoiceId: Optional[str]
    #: The reference of the invoice. With an event it may be null.
    reference: Optional[str]
    #: The hash of the transaction. Null for an event that is not about a deposit.
    txHash: Optional[str]
    #: The status of the deposit. Null for an event.
    status: Optional[Literal["pending", "confirmed"]]
    #: With the payload `events`, the event that it tells; else null.
    event: Optional[WebhookDeliveryEvent]
    #: Where it is sent.
    url: str
    #: `waiting` is for the attempt at `nextAttemptAt`; `failed` is final.
    state: Literal["queued", "sending", "waiting", "delivered", "failed"]
    #: Attempts so far, including one in progress.
    attempt: int
    #: The status that the receiver answered.
    httpStatus: Optional[int]
    #: Why there was no answer. `refused_address`: the address is not public, so nothing was sent.
    failure: Optional[Literal["timeout", "dns", "connection", "refused_address", "interrupted"]]
    #: How long the attempt took.
    durationMs: Optional[int]
    #: Unix milliseconds.
    createdAt: int
    #: When the last attempt began.
    attemptedAt: Optional[int]
    #: When the next attempt is due, while `waiting`.
    nextAttemptAt: Optional[int]


class WebhookTest(TypedDict):
    #: Its `webhook-id`.
    id: str
    #: Where it was sent.
    url: str
    #: Whether the receiver answered with 2xx.
    state: Literal["delivered", "failed"]
    #: The status that the receiver answered.
    httpStatus: Optional[int]
    #: Why there was no answer. `refused_address`: the address is not public, so nothing was sent.
    failure: Optional[Literal["timeout", "dns", "connection", "refused_address", "interrupted"]]
    #: How long the attempt took.
    durationMs: Optional[int]


class _DeliveredInvoiceEventDataAlways(TypedDict):
    #: The invoice.
    invoiceId: str
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: Null.
    deposit: None
    #: Null.
    delivery: None
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class DeliveredInvoiceEventData(_DeliveredInvoiceEventDataAlways, total=False):
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str


class _DeliveredInvoiceEventAlways(TypedDict):
    #: That of the event. Deduplicate by it.
    id: str
    #: What happened.
    type: Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "invoice.accepted"]
    #: When the service noted it.
    at: int
    data: DeliveredInvoiceEventData


class DeliveredInvoiceEvent(_DeliveredInvoiceEventAlways, total=False):
    #: In test deliveries only: do nothing.
    test: Literal[True]


class DeliveredDepositEventDataDeposit(TypedDict):
    """As it was then."""

    #: The id of a network, as `GET /api/info` lists them.
    network: str
    #: The hash of the transaction.
    txHash: str
    #: Which transfer of the transaction it is.
    index: int
    #: The receiving address, as observed.
    toAddress: str
    #: `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed.
    currency: Optional[str]
    #: As observed: whole units of a token, decimal coins otherwise.
    amount: str
    #: When it was received: the time of its block, or of first sight.
    receivedAt: int


class _DeliveredDepositEventDataAlways(TypedDict):
    #: The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one.
    invoiceId: Optional[str]
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: As it was then.
    deposit: DeliveredDepositEventDataDeposit
    #: Null.
    delivery: None
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class DeliveredDepositEventData(_DeliveredDepositEventDataAlways, total=False):
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str
    #: If the invoice had become void before the deposit came; else absent.
    late: Literal[True]


class _DeliveredDepositEventAlways(TypedDict):
    #: That of the event. Deduplicate by it.
    id: str
    #: What happened.
    type: Literal["deposit.pending", "deposit.confirmed", "deposit.dropped"]
    #: When the service noted it.
    at: int
    data: DeliveredDepositEventData


class DeliveredDepositEvent(_DeliveredDepositEventAlways, total=False):
    #: In test deliveries only: do nothing.
    test: Literal[True]


class DeliveredOrderEventData(TypedDict):
    #: The invoice whose deposit brought it about. Null for what no deposit has.
    invoiceId: Optional[str]
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: Null.
    deposit: None
    #: Null.
    delivery: None
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str


class _DeliveredOrderEventAlways(TypedDict):
    #: That of the event. Deduplicate by it.
    id: str
    #: What happened.
    type: Literal["order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]
    #: When the service noted it.
    at: int
    data: DeliveredOrderEventData


class DeliveredOrderEvent(_DeliveredOrderEventAlways, total=False):
    #: In test deliveries only: do nothing.
    test: Literal[True]


class DeliveredDeliveryEventDataDeliveryEvent(TypedDict):
    """With the payload `events`, the event that it tells; else null."""

    #: Its id.
    id: str
    #: What happened.
    type: Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "deposit.pending", "deposit.confirmed", "deposit.dropped", "delivery.failed", "invoice.accepted", "order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]


class DeliveredDeliveryEventDataDelivery(TypedDict):
    #: Its `webhook-id`.
    id: str
    #: The status of the deposit. Null for an event.
    status: Optional[Literal["pending", "confirmed"]]
    #: Attempts so far.
    attempt: int
    #: The status that the receiver answered.
    httpStatus: Optional[int]
    #: Why there was no answer. `refused_address`: the address is not public, so nothing was sent.
    failure: Optional[Literal["timeout", "dns", "connection", "refused_address", "interrupted"]]
    #: With the payload `events`, the event that it tells; else null.
    event: Optional[DeliveredDeliveryEventDataDeliveryEvent]


class _DeliveredDeliveryEventDataAlways(TypedDict):
    #: The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one.
    invoiceId: Optional[str]
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: Null.
    deposit: None
    delivery: DeliveredDeliveryEventDataDelivery
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class DeliveredDeliveryEventData(_DeliveredDeliveryEventDataAlways, total=False):
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str


class _DeliveredDeliveryEventAlways(TypedDict):
    #: That of the event. Deduplicate by it.
    id: str
    #: What happened.
    type: Literal["delivery.failed"]
    #: When the service noted it.
    at: int
    data: DeliveredDeliveryEventData


class DeliveredDeliveryEvent(_DeliveredDeliveryEventAlways, total=False):
    #: In test deliveries only: do nothing.
    test: Literal[True]


#: The body of a webhook with the payload `events`. `data` has the other fields of the event in the log. `type` says what it is about.
DeliveredEvent = Union[DeliveredInvoiceEvent, DeliveredDepositEvent, DeliveredOrderEvent, DeliveredDeliveryEvent]


class _InvoiceEventAlways(TypedDict):
    #: Its place in the log, and the cursor behind it. Ids of an identity grow.
    id: str
    #: What happened.
    type: Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "invoice.accepted"]
    #: When the service noted it. It never goes back.
    at: int
    #: The invoice.
    invoiceId: str
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: Null.
    deposit: None
    #: Null.
    delivery: None
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class InvoiceEvent(_InvoiceEventAlways, total=False):
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str
    late: None


class DepositEventDeposit(TypedDict):
    """As it was then."""

    #: The id of a network, as `GET /api/info` lists them.
    network: str
    #: The hash of the transaction.
    txHash: str
    #: Which transfer of the transaction it is.
    index: int
    #: The receiving address, as observed.
    toAddress: str
    #: `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed.
    currency: Optional[str]
    #: As observed: whole units of a token, decimal coins otherwise.
    amount: str
    #: When it was received: the time of its block, or of first sight.
    receivedAt: int


class _DepositEventAlways(TypedDict):
    #: Its place in the log, and the cursor behind it. Ids of an identity grow.
    id: str
    #: What happened.
    type: Literal["deposit.pending", "deposit.confirmed", "deposit.dropped"]
    #: When the service noted it. It never goes back.
    at: int
    #: The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one.
    invoiceId: Optional[str]
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: As it was then.
    deposit: DepositEventDeposit
    #: Null.
    delivery: None
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class DepositEvent(_DepositEventAlways, total=False):
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str
    #: If the invoice had become void before the deposit came; else absent.
    late: Literal[True]


class _OrderEventAlways(TypedDict):
    #: Its place in the log, and the cursor behind it. Ids of an identity grow.
    id: str
    #: What happened.
    type: Literal["order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]
    #: When the service noted it. It never goes back.
    at: int
    #: The invoice whose deposit brought it about. Null for what no deposit has.
    invoiceId: Optional[str]
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: Null.
    deposit: None
    #: Null.
    delivery: None
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str


class OrderEvent(_OrderEventAlways, total=False):
    late: None


class DeliveryEventDeliveryEvent(TypedDict):
    """With the payload `events`, the event that it tells; else null."""

    #: Its id.
    id: str
    #: What happened.
    type: Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "deposit.pending", "deposit.confirmed", "deposit.dropped", "delivery.failed", "invoice.accepted", "order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]


class DeliveryEventDelivery(TypedDict):
    #: Its `webhook-id`.
    id: str
    #: The status of the deposit. Null for an event.
    status: Optional[Literal["pending", "confirmed"]]
    #: Attempts so far.
    attempt: int
    #: The status that the receiver answered.
    httpStatus: Optional[int]
    #: Why there was no answer. `refused_address`: the address is not public, so nothing was sent.
    failure: Optional[Literal["timeout", "dns", "connection", "refused_address", "interrupted"]]
    #: With the payload `events`, the event that it tells; else null.
    event: Optional[DeliveryEventDeliveryEvent]


class _DeliveryEventAlways(TypedDict):
    #: Its place in the log, and the cursor behind it. Ids of an identity grow.
    id: str
    #: What happened.
    type: Literal["delivery.failed"]
    #: When the service noted it. It never goes back.
    at: int
    #: The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one.
    invoiceId: Optional[str]
    #: That of the invoice, or of the order.
    reference: Optional[str]
    #: Null.
    deposit: None
    delivery: DeliveryEventDelivery
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class DeliveryEvent(_DeliveryEventAlways, total=False):
    #: The order, for an event of one, and for an invoice that is one of its options; else absent.
    orderId: str
    late: None


#: What happened to an identity. `type` says what it is about.
BillhookEvent = Union[InvoiceEvent, DepositEvent, OrderEvent, DeliveryEvent]


class Wallet(TypedDict):
    #: The id of its stream on the ledger.
    id: str
    #: Null until the gateway has reported it.
    address: Optional[str]
    #: The id of a network, as `GET /api/info` lists them.
    network: Optional[str]
    #: Unix milliseconds.
    assigned_at: int


class ClaimedWallet(TypedDict):
    #: The id to assign on the ledger.
    id: str
    #: Its address on the network.
    address: str


class ServiceInfoNetworksTokens(TypedDict):
    #: What invoices in it have as their currency.
    symbol: str
    #: The address of its contract; null if it is not configured.
    contract: Optional[str]
    #: Its decimal places.
    decimals: int


class ServiceInfoNetworks(TypedDict):
    #: The id of a network, as `GET /api/info` lists them.
    id: str
    #: The name for people.
    name: str
    #: The symbol of its own coin.
    symbol: str
    #: The address of the contract of USDT; null if it is not configured. The first of `tokens` where USDT is none.
    token: Optional[str]
    #: The decimals of that token.
    decimals: int
    tokens: List[ServiceInfoNetworksTokens]
    #: The end of `/api/wallets/claim/…`.
    claim: str
    #: Whether its coins are worthless.
    testnet: bool


class ServiceInfoLedgerContracts(TypedDict):
    #: The contract that onboards an identity.
    onboard: str
    #: The contract that assigns a wallet.
    assignOwner: str


class ServiceInfoLedger(TypedDict):
    """What the ledger steps need. Null if there is no ledger, or if the operator has not set it: ask the operator then."""

    #: The namespace of the contracts.
    namespace: str
    contracts: ServiceInfoLedgerContracts
    #: The name that identities are onboarded under.
    onboardingName: str
    nodes: List[str]


class ServiceInfo(TypedDict):
    #: The version of the service.
    version: str
    #: Whether everything that belongs to an identity must be signed.
    strict: bool
    #: Who may create and void invoices without a signature: everybody, pages of the service, nobody.
    unsigned: Literal["on", "same-origin", "off"]
    networks: List[ServiceInfoNetworks]
    #: What the ledger steps need. Null if there is no ledger, or if the operator has not set it: ask the operator then.
    ledger: Optional[ServiceInfoLedger]


class Deposit(TypedDict):
    #: The id of a network, as `GET /api/info` lists them.
    network: str
    #: The hash of the transaction.
    txHash: str
    #: Which transfer of the transaction it is.
    index: int
    #: The receiving address, as observed.
    toAddress: str
    #: `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed.
    currency: Optional[str]
    #: As observed: whole units of a token, decimal coins otherwise.
    amount: str
    #: When it was received: the time of its block, or of first sight.
    receivedAt: int
    #: What was last reported of it.
    kind: Literal["pending", "confirmed", "dropped"]
    #: When it was confirmed; null before.
    confirmedAt: Optional[int]


class _EventResultAlways(TypedDict):
    #: The id of the event; null if it had none that can be read.
    id: Optional[str]
    #: A duplicate has no effect.
    status: Literal["applied", "duplicate", "rejected"]


class EventResult(_EventResultAlways, total=False):
    #: Why it was rejected.
    error: str


class RatesWithheldHeld(TypedDict):
    """What it has jumped to; null if it has not."""

    #: In the present set.
    rate: str
    #: The date of the set that said so first.
    since: int


class RatesWithheld(TypedDict):
    #: What it is a price in, such as `EUR`.
    currency: str
    #: The symbol of the coin: a network's own, or a token's.
    coin: str
    #: `held`: it jumped, until another set says so. `left_out`: the present set lacks it. `old`: the present set is too old.
    why: Literal["held", "left_out", "old"]
    #: The last rate that was accepted. It is not used.
    rate: str
    #: The date of its set.
    at: int
    #: What it has jumped to; null if it has not.
    held: Optional[RatesWithheldHeld]


class Rates(TypedDict):
    #: Where rates come from.
    source: Literal["off", "file", "https", "push", "sandbox"]
    #: The date of the present set; null before the first one.
    at: Optional[int]
    #: How old the present set is.
    age_seconds: Optional[int]
    #: The greatest age of a rate that is used.
    max_age_seconds: int
    #: What is charged on top of an amount that was computed by a rate, in percent.
    spread: str
    #: What is in force, by currency and coin: the price of one coin.
    rates: Dict[str, Dict[str, str]]
    #: Coins that have no rate now.
    withheld: List[RatesWithheld]


class RatesTaken(TypedDict):
    #: `repeated`: it is the present set, and changes nothing.
    status: Literal["accepted", "repeated"]
    #: The date of the set.
    at: int
    #: Coins whose rates jumped: they have none until another set says so.
    held: List[RatePair]
    #: Coins that had a rate and are missing in this set: they have none.
    left_out: List[RatePair]


class RatePair(TypedDict):
    #: What it is a price in, such as `EUR`.
    currency: str
    #: The symbol of the coin: a network's own, or a token's.
    coin: str


class DepositPayloadInvoiceOrder(TypedDict):
    """If the invoice is an option of an order: the order, as of that moment. Else absent."""

    #: The id of the order.
    id: str
    #: Your own id of the order.
    reference: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: `paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`.
    status: Literal["unpaid", "partly", "paid", "expired", "void"]


class _DepositPayloadInvoiceAlways(TypedDict):
    #: As sent.
    amount: str
    #: `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists.
    currency: str
    #: `paid` when `received` is at least the amount.
    status: Literal["unpaid", "paid"]
    #: Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices.
    received: str
    #: Sum of those that would count but are not confirmed yet.
    pending: str
    #: The part of the amount that is missing; `0` once paid.
    remaining: str
    #: What of `own` is beyond the amount.
    overpaid: str
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class DepositPayloadInvoice(_DepositPayloadInvoiceAlways, total=False):
    """With the payload `with-invoice`: its state when the delivery was recorded."""

    #: If the invoice is an option of an order: the order, as of that moment. Else absent.
    order: DepositPayloadInvoiceOrder


class _DepositPayloadAlways(TypedDict):
    #: The reference of the invoice.
    reference: str
    #: Act on `confirmed` only.
    status: Literal["pending", "confirmed"]
    #: The invoice.
    invoiceId: str
    #: The id of a network, as `GET /api/info` lists them.
    network: str
    #: With `status`, what to deduplicate by.
    txHash: str
    #: The receiving address.
    toAddress: Optional[str]
    #: As observed: whole units of a token, decimal coins otherwise.
    amount: Optional[str]
    #: `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed.
    currency: Optional[str]
    #: The same in both notifications.
    receivedAt: int


class DepositPayload(_DepositPayloadAlways, total=False):
    #: If the invoice had become void before the deposit came; else absent.
    late: Literal[True]
    #: With the payload `with-invoice`: its state when the delivery was recorded.
    invoice: DepositPayloadInvoice
    test: None


class TestPayloadInvoiceOrder(TypedDict):
    """If the invoice is an option of an order: the order, as of that moment. Else absent."""

    #: The id of the order.
    id: str
    #: Your own id of the order.
    reference: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: `paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`.
    status: Literal["unpaid", "partly", "paid", "expired", "void"]


class _TestPayloadInvoiceAlways(TypedDict):
    #: As sent.
    amount: str
    #: `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists.
    currency: str
    #: `paid` when `received` is at least the amount.
    status: Literal["unpaid", "paid"]
    #: Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices.
    received: str
    #: Sum of those that would count but are not confirmed yet.
    pending: str
    #: The part of the amount that is missing; `0` once paid.
    remaining: str
    #: What of `own` is beyond the amount.
    overpaid: str
    #: Where the payment page leads back to.
    returnUrl: Optional[str]
    #: What people call the order, truncated to 80 characters.
    orderNumber: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Dict[str, str]]


class TestPayloadInvoice(_TestPayloadInvoiceAlways, total=False):
    """With the payload `with-invoice`: its state when the delivery was recorded."""

    #: If the invoice is an option of an order: the order, as of that moment. Else absent.
    order: TestPayloadInvoiceOrder


class _TestPayloadAlways(TypedDict):
    #: The reference of the invoice.
    reference: str
    #: Act on `confirmed` only.
    status: Literal["pending", "confirmed"]
    #: The invoice.
    invoiceId: str
    #: The id of a network, as `GET /api/info` lists them.
    network: str
    #: With `status`, what to deduplicate by.
    txHash: str
    #: The receiving address.
    toAddress: Optional[str]
    #: As observed: whole units of a token, decimal coins otherwise.
    amount: Optional[str]
    #: `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed.
    currency: Optional[str]
    #: The same in both notifications.
    receivedAt: int
    #: It is about no deposit: do nothing.
    test: Literal[True]


class TestPayload(_TestPayloadAlways, total=False):
    #: With the payload `with-invoice`: its state when the delivery was recorded.
    invoice: TestPayloadInvoice
    late: None


#: The body of a webhook with the payload `specified` or `with-invoice`. One with `test` was asked for by a test.
DepositWebhook = Union[TestPayload, DepositPayload]


class DeleteWebhookAnswer(TypedDict):
    #: False when there was none.
    deleted: bool


class IdentityExistsAnswer(TypedDict):
    #: False if every node that answers says so.
    exists: bool


class DescribeSandboxAnswerContracts(TypedDict):
    #: The onboard contract.
    onboard: str
    #: The assign-owner contract.
    assignOwner: str
    #: The contract that replaces the key of an identity.
    replaceKey: str


class DescribeSandboxAnswer(TypedDict):
    #: That nothing in it has any value.
    notice: str
    #: Transactions go to it and a slash.
    nodeUrl: str
    #: The namespace of the contracts.
    namespace: str
    contracts: DescribeSandboxAnswerContracts
    #: The name that identities are onboarded under.
    onboardingName: str
    networks: List[str]


class _InvoiceDraftAlways(TypedDict):
    #: Duplicates are removed, the order is kept.
    wallet_ids: Sequence[str]
    #: Trimmed, truncated to 80 characters.
    name: str
    #: A decimal: no sign, exponent or space, greater than zero. Never rounded. At most 60 digits before the point and 18 significant ones behind it.
    amount: Amount


class InvoiceDraft(_InvoiceDraftAlways, total=False):
    #: `native`, or a token that every network of the wallets has, by its symbol: `USDT`, or another one that `GET /api/info` lists. An empty text counts as absent.
    currency: Optional[str]
    #: Trimmed, truncated to 500 characters.
    description: Optional[str]
    #: Your own id, not trimmed, truncated to 80 characters, unique across all invoices of all owners: make it unguessable. Required for webhooks.
    reference: Optional[str]
    #: An absolute http: or https: URL without user and password. Wins over the identity's default.
    callback_url: Optional[str]
    #: Where the payment page leads back to: an absolute http: or https: URL without user and password.
    return_url: Optional[str]
    #: What people call the order, truncated to 80 characters. Several invoices may have the same.
    order_number: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Mapping[str, str]]
    #: Seconds until it becomes void unless it is paid or being paid. The operator's default applies without it.
    expires_in_seconds: Optional[int]


class InvoiceFilter(TypedDict, total=False):
    #: Only the invoice with this reference.
    reference: str
    #: Only invoices with exactly this order number.
    order_number: str
    #: Only invoices whose payment has this status. An accepted one counts as paid.
    status: Literal["unpaid", "paid"]
    #: Only invoices in this currency.
    currency: str
    #: Only invoices created after this time.
    created_after: int
    #: Only invoices created before this time.
    created_before: int


class OrderDraftPrice(TypedDict):
    """What the order costs."""

    #: A decimal: no sign, exponent or space, greater than zero. Never rounded. At most 60 digits before the point and 18 significant ones behind it.
    amount: str
    #: A currency code, such as `EUR`, or the symbol of a coin.
    currency: str


class _OrderDraftOptionsAlways(TypedDict):
    #: Duplicates are removed, the order is kept.
    walletIds: List[str]


class OrderDraftOptions(_OrderDraftOptionsAlways, total=False):
    #: `native`, or a token that every network of the wallets has. An empty text counts as absent.
    currency: Optional[str]
    #: Fixes what this option asks, in its coin. Without it the amount follows from the price and the rate.
    amount: Optional[str]


class _OrderDraftAlways(TypedDict):
    #: What the order costs.
    price: OrderDraftPrice
    #: The ways to pay. A wallet may be in one option of each currency.
    options: Sequence[OrderDraftOptions]
    #: Trimmed, truncated to 80 characters.
    name: str


class OrderDraft(_OrderDraftAlways, total=False):
    #: Trimmed, truncated to 500 characters.
    description: Optional[str]
    #: Your own id, not trimmed, truncated to 77 characters. The invoices get it with `/1`, `/2` and so on behind it, or the id of the order where it has none.
    reference: Optional[str]
    #: An absolute http: or https: URL without user and password. Wins over the identity's default.
    callback_url: Optional[str]
    #: Where the payment page leads back to: an absolute http: or https: URL without user and password.
    return_url: Optional[str]
    #: What people call the order, truncated to 80 characters. Several invoices may have the same.
    order_number: Optional[str]
    #: Up to 20 texts of your own. Payers never see them.
    metadata: Optional[Mapping[str, str]]
    #: Seconds until it expires unless something has come for it. The operator's default applies without it.
    expires_in_seconds: Optional[int]


class OrderFilter(TypedDict, total=False):
    #: Only orders with this status.
    status: Literal["unpaid", "partly", "paid", "expired", "void"]
    #: Only orders with exactly this order number.
    order_number: str
    #: Only the order with this reference.
    reference: str


class _ApiKeyDraftAlways(TypedDict):
    #: Trimmed, truncated to 60 characters.
    label: str


class ApiKeyDraft(_ApiKeyDraftAlways, total=False):
    #: A compressed public key of secp256k1.
    public_key: str
    #: At least one of invoices:create, payments:send, treasury:approve. Only `invoices:create` is enforced.
    permissions: Sequence[str]
    #: Days until it expires, fractions allowed. Without it the key never expires.
    ttl_days: Optional[float]


class _WebhookDraftAlways(TypedDict):
    #: An absolute http: or https: URL without user and password.
    callback_url: str


class WebhookDraft(_WebhookDraftAlways, total=False):
    #: `with-invoice` appends the state of the invoice. `events` sends each event from now on, in place of the deposits. Absent or null, it stays as it was.
    payload: Optional[Literal["specified", "with-invoice", "events"]]
    #: The events that are sent with the payload `events`. Absent or null, they stay as they were: all at first.
    types: Optional[Sequence[Literal["invoice.created", "invoice.voided", "invoice.expired", "invoice.paid", "invoice.unpaid", "deposit.pending", "deposit.confirmed", "deposit.dropped", "delivery.failed", "invoice.accepted", "order.created", "order.partly", "order.paid", "order.unpaid", "order.accepted", "order.expired", "order.voided", "order.overpaid"]]]


class RotationDraft(TypedDict, total=False):
    #: How long both secrets sign.
    overlap_seconds: Optional[int]


class SimulatedDepositDraft(TypedDict, total=False):
    #: Where it goes. Either this or `invoiceId`.
    address: Optional[str]
    #: It goes to the invoice's first wallet, or to its first on `network`.
    invoice_id: Optional[str]
    #: A decimal in the currency. With `invoiceId`: by default what is still missing.
    amount: Optional[Amount]
    #: A currency of the network. By default the invoice's, or `native` with `address`.
    currency: Optional[str]
    #: By default the wallet's, or guessed from the form of the address.
    network: Optional[str]
    #: By default a random one. A known hash adds a transfer to that transaction.
    tx_hash: Optional[str]
    #: Unix milliseconds, by default now.
    received_at: Optional[int]
    #: Exactly this happens. Without it: pending at once, confirmed about a second later.
    kind: Optional[Literal["pending", "confirmed"]]
