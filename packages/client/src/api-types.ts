// Generated from the OpenAPI document by `npm run docs`; a test compares the two.

/** Codes of docs/errors.md. */
export type ErrorCode =
  | 'missing_auth_headers'
  | 'invalid_timestamp'
  | 'invalid_signature'
  | 'unknown_api_key'
  | 'api_key_revoked'
  | 'api_key_expired'
  | 'permission_missing'
  | 'not_owner'
  | 'not_identity_key'
  | 'unknown_identity'
  | 'rate_limited'
  | 'too_many_claims'
  | 'invalid_api_key_registration'
  | 'public_key_registered'
  | 'too_many_keys'
  | 'owner_required'
  | 'not_key_owner'
  | 'api_key_not_found'
  | 'invalid_invoice'
  | 'unsupported_currency'
  | 'wallet_not_owned'
  | 'mixed_native_coins'
  | 'invalid_callback_url'
  | 'reference_in_use'
  | 'amount_in_use'
  | 'wallet_in_use'
  | 'too_many_wallet_sets'
  | 'invalid_return_url'
  | 'invalid_order_number'
  | 'invalid_metadata'
  | 'invalid_expiry'
  | 'request_repeated'
  | 'invalid_idempotency_key'
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'
  | 'invoice_paid'
  | 'invoice_void'
  | 'not_invoice_owner'
  | 'invoice_not_found'
  | 'invalid_order'
  | 'invalid_price'
  | 'invalid_options'
  | 'rate_unavailable'
  | 'order_paid'
  | 'order_void'
  | 'not_order_owner'
  | 'order_not_found'
  | 'invalid_identity'
  | 'no_wallet_available'
  | 'ledger_unreachable'
  | 'invalid_gateway_signature'
  | 'invalid_events'
  | 'invalid_rates'
  | 'invalid_sandbox_deposit'
  | 'deposit_not_found'
  | 'invalid_payload'
  | 'invalid_types'
  | 'invalid_overlap'
  | 'no_callback_url'
  | 'too_many_tests'
  | 'events_removed'
  | 'delivery_not_found'
  | 'delivery_in_progress'
  | 'too_many_redeliveries'
  | 'invalid_query'
  | 'invalid_json'
  | 'cross_site'
  | 'unsupported_media_type'
  | 'wrong_host'
  | 'malformed_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'length_required'
  | 'body_too_large'
  | 'headers_too_large'
  | 'internal'
  | 'overloaded'
  | 'shutting_down'
  | 'not_ready'
  | 'storage_unavailable'

/** The id of a network. Which there are is the operator's choice: `getInfo` lists them. */
export type NetworkId = 'SEP' | 'TRX-NILE' | (string & {})

/** `native`, or a token by its symbol. Which there are is the operator's choice: `getInfo` lists them. */
export type Currency = 'native' | 'USDT' | 'USDC' | (string & {})

export interface CreatedInvoice {
  /** The id of the invoice. */
  readonly id: string
  /** The path of the payment page, behind the address of the service. */
  readonly url: string
}

export interface Invoice {
  /** In order of time, unless the invoice was imported under another id. */
  readonly id: string
  /** The identity: the id of its stream on the ledger. */
  readonly owner: string
  /** The first wallet. */
  readonly wallet_id: string
  /** All wallets, joined by commas. Null or empty: `wallet_id` is the only one. */
  readonly wallet_ids: string | null
  /** As sent, trimmed and truncated to 80 characters. */
  readonly name: string
  /** As sent, trimmed and truncated to 500 characters. */
  readonly description: string | null
  /** Your own id, truncated to 80 characters. */
  readonly reference: string | null
  /** As sent. */
  readonly amount: string
  /** `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists. */
  readonly currency: Currency
  /** Wins over the identity's default. */
  readonly callback_url: string | null
  /** Unix milliseconds. */
  readonly created_at: number
}

/** Computed on every read, exactly, in the invoice's currency. Never stored. */
export interface Payment {
  /** `paid` when `received` is at least the amount. */
  readonly status: 'unpaid' | 'paid'
  /** Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices. */
  readonly received: string
  /** Sum of those that would count but are not confirmed yet. */
  readonly pending: string
  /** The part of the amount that is missing; `0` once paid. */
  readonly remaining: string
  /** What of `own` is beyond the amount. */
  readonly overpaid: string
  /** The part of `received` that is not matched to another invoice. */
  readonly own: string
}

export interface InvoiceWithPayment {
  /** In order of time, unless the invoice was imported under another id. */
  readonly id: string
  /** The identity: the id of its stream on the ledger. */
  readonly owner: string
  /** The first wallet. */
  readonly wallet_id: string
  /** All wallets, joined by commas. Null or empty: `wallet_id` is the only one. */
  readonly wallet_ids: string | null
  /** As sent, trimmed and truncated to 80 characters. */
  readonly name: string
  /** As sent, trimmed and truncated to 500 characters. */
  readonly description: string | null
  /** Your own id, truncated to 80 characters. */
  readonly reference: string | null
  /** As sent. */
  readonly amount: string
  /** `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists. */
  readonly currency: Currency
  /** Wins over the identity's default. */
  readonly callback_url: string | null
  /** Unix milliseconds. */
  readonly created_at: number
  readonly payment: Payment
  /** Since when it is void, by voiding or expiry; null while it is payable. */
  readonly voided_at: number | null
  /** When what had come was taken as enough, by its owner or, with `BILLHOOK_UNDERPAYMENT`, by the service; null for never. It is settled, whatever `payment` says. */
  readonly accepted_at: number | null
  /** When it expires unless it is paid or being paid; null for never. */
  readonly expires_at: number | null
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order, truncated to 80 characters. */
  readonly orderNumber: string | null
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata: Readonly<Record<string, string>> | null
}

export interface CreatedOrder {
  /** The id of the order. */
  readonly id: string
  /** The path of its page, behind the address of the service. */
  readonly url: string
  /** When it expires. Its rates are promised until then. */
  readonly expires_at: number
  /** One for each option, in their order. */
  readonly invoices: readonly ({
    /** The id of the invoice. */
    readonly id: string
    /** The path of its payment page. */
    readonly url: string
    /** What it asks in its coin. */
    readonly amount: string
    /** As in the option. */
    readonly currency: Currency
    /** The price of one coin that the amount follows from: `1` in the currency of the price, null for an amount that you fixed. */
    readonly rate: string | null
  })[]
}

export interface Order {
  /** In order of time. */
  readonly id: string
  /** The identity: the id of its stream on the ledger. */
  readonly owner: string
  /** What the order costs. */
  readonly price: {
    /** As sent. */
    readonly amount: string
    /** A currency code, or the symbol of a coin. */
    readonly currency: string
  }
  /** As sent, trimmed and truncated to 80 characters. */
  readonly name: string
  /** As sent, trimmed and truncated to 500 characters. */
  readonly description: string | null
  /** Your own id, truncated to 77 characters. */
  readonly reference: string | null
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order, truncated to 80 characters. */
  readonly orderNumber: string | null
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata: Readonly<Record<string, string>> | null
  /** Unix milliseconds. */
  readonly created_at: number
  /** When it expires unless something has come for it. */
  readonly expires_at: number
  /** Since when none of its invoices can be paid, by voiding or expiry; else null, and while it is paid. */
  readonly voided_at: number | null
  /** When its owner took what had come as enough; null for never. */
  readonly accepted_at: number | null
  /** `paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`. */
  readonly status: 'unpaid' | 'partly' | 'paid' | 'expired' | 'void'
  /** The sum over the options of `payment.own` divided by the amount: 18 places, rounded down. */
  readonly paid_fraction: string
  readonly options: readonly ({
    readonly invoice: Invoice
    readonly payment: Payment
    /** The price of one coin that the amount follows from: `1` in the currency of the price, null for an amount that you fixed. */
    readonly rate: string | null
    /** When the source of the rate said so. Null unless a rate was used. */
    readonly rateAt: number | null
    /** What was charged on top, in percent. Null unless a rate was used. */
    readonly spread: string | null
    /** What of this coin still completes the order, rounded up to its decimals; `0` once it is paid. */
    readonly remaining: string
    /** Since when this invoice is void; null while it is payable. */
    readonly voided_at: number | null
  })[]
}

export interface ApiKey {
  /** Revokes the key. */
  readonly id: string
  /** The identity: the id of its stream on the ledger. */
  readonly owner: string
  /** Trimmed and truncated to 60 characters. */
  readonly label: string
  /** Compressed, hex, as registered. */
  readonly public_key: string
  /** Joined by commas: invoices:create, payments:send, treasury:approve. */
  readonly permissions: string
  /** Null when the key never expires. */
  readonly expires_at: number | null
  /** Null while it is not revoked. */
  readonly revoked_at: number | null
  /** Unix milliseconds. */
  readonly created_at: number
}

export interface WebhookSettings {
  /** The identity: the id of its stream on the ledger. */
  readonly owner: string
  /** The default callback URL; null if none is set. */
  readonly callback_url: string | null
  /** Signs deliveries. Null if nothing was configured. */
  readonly secret: string | null
  /** Unix milliseconds. */
  readonly created_at: number | null
  /** Unix milliseconds. */
  readonly updated_at: number | null
  /** Absent for `specified`. */
  readonly payload?: 'with-invoice' | 'events'
  /** The events that are sent. Only with the payload `events`. */
  readonly types?: readonly ('invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped' | 'delivery.failed' | 'invoice.accepted' | 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid')[]
}

/** The settings once there is a secret. */
export interface ConfiguredWebhook {
  /** The identity: the id of its stream on the ledger. */
  readonly owner: string
  /** The default callback URL; null if none is set. */
  readonly callback_url: string | null
  /** Signs deliveries. */
  readonly secret: string
  /** Unix milliseconds. */
  readonly created_at: number
  /** Unix milliseconds. */
  readonly updated_at: number
  /** Absent for `specified`. */
  readonly payload?: 'with-invoice' | 'events'
  /** The events that are sent. Only with the payload `events`. */
  readonly types?: readonly ('invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped' | 'delivery.failed' | 'invoice.accepted' | 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid')[]
}

export interface WebhookDelivery {
  /** Its `webhook-id`. */
  readonly id: string
  /** The invoice that it is about. Null for an event that names none. */
  readonly invoiceId: string | null
  /** The reference of the invoice. With an event it may be null. */
  readonly reference: string | null
  /** The hash of the transaction. Null for an event that is not about a deposit. */
  readonly txHash: string | null
  /** The status of the deposit. Null for an event. */
  readonly status: 'pending' | 'confirmed' | null
  /** With the payload `events`, the event that it tells; else null. */
  readonly event: {
    /** Its id. */
    readonly id: string
    /** What happened. */
    readonly type: 'invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped' | 'delivery.failed' | 'invoice.accepted' | 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid'
  } | null
  /** Where it is sent. */
  readonly url: string
  /** `waiting` is for the attempt at `nextAttemptAt`; `failed` is final. */
  readonly state: 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed'
  /** Attempts so far, including one in progress. */
  readonly attempt: number
  /** The status that the receiver answered. */
  readonly httpStatus: number | null
  /** Why there was no answer. `refused_address`: the address is not public, so nothing was sent. */
  readonly failure: 'timeout' | 'dns' | 'connection' | 'refused_address' | 'interrupted' | null
  /** How long the attempt took. */
  readonly durationMs: number | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** When the last attempt began. */
  readonly attemptedAt: number | null
  /** When the next attempt is due, while `waiting`. */
  readonly nextAttemptAt: number | null
}

export interface WebhookTest {
  /** Its `webhook-id`. */
  readonly id: string
  /** Where it was sent. */
  readonly url: string
  /** Whether the receiver answered with 2xx. */
  readonly state: 'delivered' | 'failed'
  /** The status that the receiver answered. */
  readonly httpStatus: number | null
  /** Why there was no answer. `refused_address`: the address is not public, so nothing was sent. */
  readonly failure: 'timeout' | 'dns' | 'connection' | 'refused_address' | 'interrupted' | null
  /** How long the attempt took. */
  readonly durationMs: number | null
}

export interface DeliveredInvoiceEvent {
  /** That of the event. Deduplicate by it. */
  readonly id: string
  /** What happened. */
  readonly type: 'invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'invoice.accepted'
  /** When the service noted it. */
  readonly at: number
  readonly data: {
    /** The invoice. */
    readonly invoiceId: string
    /** That of the invoice, or of the order. */
    readonly reference: string | null
    /** Null. */
    readonly deposit: null
    /** Null. */
    readonly delivery: null
    /** Where the payment page leads back to. */
    readonly returnUrl: string | null
    /** What people call the order, truncated to 80 characters. */
    readonly orderNumber: string | null
    /** Up to 20 texts of your own. Payers never see them. */
    readonly metadata: Readonly<Record<string, string>> | null
    /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
    readonly orderId?: string
  }
  /** In test deliveries only: do nothing. */
  readonly test?: true
  readonly reference?: undefined
  readonly status?: undefined
  readonly invoiceId?: undefined
  readonly network?: undefined
  readonly txHash?: undefined
  readonly toAddress?: undefined
  readonly amount?: undefined
  readonly currency?: undefined
  readonly receivedAt?: undefined
  readonly invoice?: undefined
  readonly late?: undefined
}

export interface DeliveredDepositEvent {
  /** That of the event. Deduplicate by it. */
  readonly id: string
  /** What happened. */
  readonly type: 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped'
  /** When the service noted it. */
  readonly at: number
  readonly data: {
    /** The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one. */
    readonly invoiceId: string | null
    /** That of the invoice, or of the order. */
    readonly reference: string | null
    /** As it was then. */
    readonly deposit: {
      /** The id of a network, as `GET /api/info` lists them. */
      readonly network: NetworkId
      /** The hash of the transaction. */
      readonly txHash: string
      /** Which transfer of the transaction it is. */
      readonly index: number
      /** The receiving address, as observed. */
      readonly toAddress: string
      /** `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed. */
      readonly currency: string | null
      /** As observed: whole units of a token, decimal coins otherwise. */
      readonly amount: string
      /** When it was received: the time of its block, or of first sight. */
      readonly receivedAt: number
    }
    /** Null. */
    readonly delivery: null
    /** Where the payment page leads back to. */
    readonly returnUrl: string | null
    /** What people call the order, truncated to 80 characters. */
    readonly orderNumber: string | null
    /** Up to 20 texts of your own. Payers never see them. */
    readonly metadata: Readonly<Record<string, string>> | null
    /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
    readonly orderId?: string
    /** If the invoice had become void before the deposit came; else absent. */
    readonly late?: true
  }
  /** In test deliveries only: do nothing. */
  readonly test?: true
  readonly reference?: undefined
  readonly status?: undefined
  readonly invoiceId?: undefined
  readonly network?: undefined
  readonly txHash?: undefined
  readonly toAddress?: undefined
  readonly amount?: undefined
  readonly currency?: undefined
  readonly receivedAt?: undefined
  readonly invoice?: undefined
  readonly late?: undefined
}

export interface DeliveredOrderEvent {
  /** That of the event. Deduplicate by it. */
  readonly id: string
  /** What happened. */
  readonly type: 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid'
  /** When the service noted it. */
  readonly at: number
  readonly data: {
    /** The invoice whose deposit brought it about. Null for what no deposit has. */
    readonly invoiceId: string | null
    /** That of the invoice, or of the order. */
    readonly reference: string | null
    /** Null. */
    readonly deposit: null
    /** Null. */
    readonly delivery: null
    /** Where the payment page leads back to. */
    readonly returnUrl: string | null
    /** What people call the order, truncated to 80 characters. */
    readonly orderNumber: string | null
    /** Up to 20 texts of your own. Payers never see them. */
    readonly metadata: Readonly<Record<string, string>> | null
    /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
    readonly orderId: string
  }
  /** In test deliveries only: do nothing. */
  readonly test?: true
  readonly reference?: undefined
  readonly status?: undefined
  readonly invoiceId?: undefined
  readonly network?: undefined
  readonly txHash?: undefined
  readonly toAddress?: undefined
  readonly amount?: undefined
  readonly currency?: undefined
  readonly receivedAt?: undefined
  readonly invoice?: undefined
  readonly late?: undefined
}

export interface DeliveredDeliveryEvent {
  /** That of the event. Deduplicate by it. */
  readonly id: string
  /** What happened. */
  readonly type: 'delivery.failed'
  /** When the service noted it. */
  readonly at: number
  readonly data: {
    /** The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one. */
    readonly invoiceId: string | null
    /** That of the invoice, or of the order. */
    readonly reference: string | null
    /** Null. */
    readonly deposit: null
    readonly delivery: {
      /** Its `webhook-id`. */
      readonly id: string
      /** The status of the deposit. Null for an event. */
      readonly status: 'pending' | 'confirmed' | null
      /** Attempts so far. */
      readonly attempt: number
      /** The status that the receiver answered. */
      readonly httpStatus: number | null
      /** Why there was no answer. `refused_address`: the address is not public, so nothing was sent. */
      readonly failure: 'timeout' | 'dns' | 'connection' | 'refused_address' | 'interrupted' | null
      /** With the payload `events`, the event that it tells; else null. */
      readonly event: {
        /** Its id. */
        readonly id: string
        /** What happened. */
        readonly type: 'invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped' | 'delivery.failed' | 'invoice.accepted' | 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid'
      } | null
    }
    /** Where the payment page leads back to. */
    readonly returnUrl: string | null
    /** What people call the order, truncated to 80 characters. */
    readonly orderNumber: string | null
    /** Up to 20 texts of your own. Payers never see them. */
    readonly metadata: Readonly<Record<string, string>> | null
    /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
    readonly orderId?: string
  }
  /** In test deliveries only: do nothing. */
  readonly test?: true
  readonly reference?: undefined
  readonly status?: undefined
  readonly invoiceId?: undefined
  readonly network?: undefined
  readonly txHash?: undefined
  readonly toAddress?: undefined
  readonly amount?: undefined
  readonly currency?: undefined
  readonly receivedAt?: undefined
  readonly invoice?: undefined
  readonly late?: undefined
}

/** The body of a webhook with the payload `events`. `data` has the other fields of the event in the log. `type` says what it is about. */
export type DeliveredEvent = DeliveredInvoiceEvent | DeliveredDepositEvent | DeliveredOrderEvent | DeliveredDeliveryEvent

export interface InvoiceEvent {
  /** Its place in the log, and the cursor behind it. Ids of an identity grow. */
  readonly id: string
  /** What happened. */
  readonly type: 'invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'invoice.accepted'
  /** When the service noted it. It never goes back. */
  readonly at: number
  /** The invoice. */
  readonly invoiceId: string
  /** That of the invoice, or of the order. */
  readonly reference: string | null
  /** Null. */
  readonly deposit: null
  /** Null. */
  readonly delivery: null
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order, truncated to 80 characters. */
  readonly orderNumber: string | null
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata: Readonly<Record<string, string>> | null
  /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
  readonly orderId?: string
  readonly late?: undefined
}

export interface DepositEvent {
  /** Its place in the log, and the cursor behind it. Ids of an identity grow. */
  readonly id: string
  /** What happened. */
  readonly type: 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped'
  /** When the service noted it. It never goes back. */
  readonly at: number
  /** The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one. */
  readonly invoiceId: string | null
  /** That of the invoice, or of the order. */
  readonly reference: string | null
  /** As it was then. */
  readonly deposit: {
    /** The id of a network, as `GET /api/info` lists them. */
    readonly network: NetworkId
    /** The hash of the transaction. */
    readonly txHash: string
    /** Which transfer of the transaction it is. */
    readonly index: number
    /** The receiving address, as observed. */
    readonly toAddress: string
    /** `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed. */
    readonly currency: string | null
    /** As observed: whole units of a token, decimal coins otherwise. */
    readonly amount: string
    /** When it was received: the time of its block, or of first sight. */
    readonly receivedAt: number
  }
  /** Null. */
  readonly delivery: null
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order, truncated to 80 characters. */
  readonly orderNumber: string | null
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata: Readonly<Record<string, string>> | null
  /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
  readonly orderId?: string
  /** If the invoice had become void before the deposit came; else absent. */
  readonly late?: true
}

export interface OrderEvent {
  /** Its place in the log, and the cursor behind it. Ids of an identity grow. */
  readonly id: string
  /** What happened. */
  readonly type: 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid'
  /** When the service noted it. It never goes back. */
  readonly at: number
  /** The invoice whose deposit brought it about. Null for what no deposit has. */
  readonly invoiceId: string | null
  /** That of the invoice, or of the order. */
  readonly reference: string | null
  /** Null. */
  readonly deposit: null
  /** Null. */
  readonly delivery: null
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order, truncated to 80 characters. */
  readonly orderNumber: string | null
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata: Readonly<Record<string, string>> | null
  /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
  readonly orderId: string
  readonly late?: undefined
}

export interface DeliveryEvent {
  /** Its place in the log, and the cursor behind it. Ids of an identity grow. */
  readonly id: string
  /** What happened. */
  readonly type: 'delivery.failed'
  /** When the service noted it. It never goes back. */
  readonly at: number
  /** The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one. */
  readonly invoiceId: string | null
  /** That of the invoice, or of the order. */
  readonly reference: string | null
  /** Null. */
  readonly deposit: null
  readonly delivery: {
    /** Its `webhook-id`. */
    readonly id: string
    /** The status of the deposit. Null for an event. */
    readonly status: 'pending' | 'confirmed' | null
    /** Attempts so far. */
    readonly attempt: number
    /** The status that the receiver answered. */
    readonly httpStatus: number | null
    /** Why there was no answer. `refused_address`: the address is not public, so nothing was sent. */
    readonly failure: 'timeout' | 'dns' | 'connection' | 'refused_address' | 'interrupted' | null
    /** With the payload `events`, the event that it tells; else null. */
    readonly event: {
      /** Its id. */
      readonly id: string
      /** What happened. */
      readonly type: 'invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped' | 'delivery.failed' | 'invoice.accepted' | 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid'
    } | null
  }
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order, truncated to 80 characters. */
  readonly orderNumber: string | null
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata: Readonly<Record<string, string>> | null
  /** The order, for an event of one, and for an invoice that is one of its options; else absent. */
  readonly orderId?: string
  readonly late?: undefined
}

/** What happened to an identity. `type` says what it is about. */
export type BillhookEvent = InvoiceEvent | DepositEvent | OrderEvent | DeliveryEvent

export interface Wallet {
  /** The id of its stream on the ledger. */
  readonly id: string
  /** Null until the gateway has reported it. */
  readonly address: string | null
  /** The id of a network, as `GET /api/info` lists them. */
  readonly network: NetworkId | null
  /** Unix milliseconds. */
  readonly assigned_at: number
}

export interface ClaimedWallet {
  /** The id to assign on the ledger. */
  readonly id: string
  /** Its address on the network. */
  readonly address: string
}

export interface ServiceInfo {
  /** The version of the service. */
  readonly version: string
  /** Whether everything that belongs to an identity must be signed. */
  readonly strict: boolean
  /** Who may create and void invoices without a signature: everybody, pages of the service, nobody. */
  readonly unsigned: 'on' | 'same-origin' | 'off'
  readonly networks: readonly ({
    /** The id of a network, as `GET /api/info` lists them. */
    readonly id: NetworkId
    /** The name for people. */
    readonly name: string
    /** The symbol of its own coin. */
    readonly symbol: string
    /** The address of the contract of USDT; null if it is not configured. The first of `tokens` where USDT is none. */
    readonly token: string | null
    /** The decimals of that token. */
    readonly decimals: number
    readonly tokens: readonly ({
      /** What invoices in it have as their currency. */
      readonly symbol: string
      /** The address of its contract; null if it is not configured. */
      readonly contract: string | null
      /** Its decimal places. */
      readonly decimals: number
    })[]
    /** The end of `/api/wallets/claim/…`. */
    readonly claim: string
    /** Whether its coins are worthless. */
    readonly testnet: boolean
  })[]
  /** What the ledger steps need. Null if there is no ledger, or if the operator has not set it: ask the operator then. */
  readonly ledger: {
    /** The namespace of the contracts. */
    readonly namespace: string
    readonly contracts: {
      /** The contract that onboards an identity. */
      readonly onboard: string
      /** The contract that assigns a wallet. */
      readonly assignOwner: string
    }
    /** The name that identities are onboarded under. */
    readonly onboardingName: string
    readonly nodes: readonly string[]
  } | null
}

export interface Deposit {
  /** The id of a network, as `GET /api/info` lists them. */
  readonly network: NetworkId
  /** The hash of the transaction. */
  readonly txHash: string
  /** Which transfer of the transaction it is. */
  readonly index: number
  /** The receiving address, as observed. */
  readonly toAddress: string
  /** `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed. */
  readonly currency: string | null
  /** As observed: whole units of a token, decimal coins otherwise. */
  readonly amount: string
  /** When it was received: the time of its block, or of first sight. */
  readonly receivedAt: number
  /** What was last reported of it. */
  readonly kind: 'pending' | 'confirmed' | 'dropped'
  /** When it was confirmed; null before. */
  readonly confirmedAt: number | null
}

export interface EventResult {
  /** The id of the event; null if it had none that can be read. */
  readonly id: string | null
  /** A duplicate has no effect. */
  readonly status: 'applied' | 'duplicate' | 'rejected'
  /** Why it was rejected. */
  readonly error?: string
}

export interface Rates {
  /** Where rates come from. */
  readonly source: 'off' | 'file' | 'https' | 'push' | 'sandbox'
  /** The date of the present set; null before the first one. */
  readonly at: number | null
  /** How old the present set is. */
  readonly age_seconds: number | null
  /** The greatest age of a rate that is used. */
  readonly max_age_seconds: number
  /** What is charged on top of an amount that was computed by a rate, in percent. */
  readonly spread: string
  /** What is in force, by currency and coin: the price of one coin. */
  readonly rates: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Coins that have no rate now. */
  readonly withheld: readonly ({
    /** What it is a price in, such as `EUR`. */
    readonly currency: string
    /** The symbol of the coin: a network's own, or a token's. */
    readonly coin: string
    /** `held`: it jumped, until another set says so. `left_out`: the present set lacks it. `old`: the present set is too old. */
    readonly why: 'held' | 'left_out' | 'old'
    /** The last rate that was accepted. It is not used. */
    readonly rate: string
    /** The date of its set. */
    readonly at: number
    /** What it has jumped to; null if it has not. */
    readonly held: {
      /** In the present set. */
      readonly rate: string
      /** The date of the set that said so first. */
      readonly since: number
    } | null
  })[]
}

export interface RatesTaken {
  /** `repeated`: it is the present set, and changes nothing. */
  readonly status: 'accepted' | 'repeated'
  /** The date of the set. */
  readonly at: number
  /** Coins whose rates jumped: they have none until another set says so. */
  readonly held: readonly RatePair[]
  /** Coins that had a rate and are missing in this set: they have none. */
  readonly left_out: readonly RatePair[]
}

export interface RatePair {
  /** What it is a price in, such as `EUR`. */
  readonly currency: string
  /** The symbol of the coin: a network's own, or a token's. */
  readonly coin: string
}

export interface DepositPayload {
  /** The reference of the invoice. */
  readonly reference: string
  /** Act on `confirmed` only. */
  readonly status: 'pending' | 'confirmed'
  /** The invoice. */
  readonly invoiceId: string
  /** The id of a network, as `GET /api/info` lists them. */
  readonly network: NetworkId
  /** With `status`, what to deduplicate by. */
  readonly txHash: string
  /** The receiving address. */
  readonly toAddress: string | null
  /** As observed: whole units of a token, decimal coins otherwise. */
  readonly amount: string | null
  /** `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed. */
  readonly currency: string | null
  /** The same in both notifications. */
  readonly receivedAt: number
  /** If the invoice had become void before the deposit came; else absent. */
  readonly late?: true
  /** With the payload `with-invoice`: its state when the delivery was recorded. */
  readonly invoice?: {
    /** As sent. */
    readonly amount: string
    /** `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists. */
    readonly currency: Currency
    /** `paid` when `received` is at least the amount. */
    readonly status: 'unpaid' | 'paid'
    /** Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices. */
    readonly received: string
    /** Sum of those that would count but are not confirmed yet. */
    readonly pending: string
    /** The part of the amount that is missing; `0` once paid. */
    readonly remaining: string
    /** What of `own` is beyond the amount. */
    readonly overpaid: string
    /** Where the payment page leads back to. */
    readonly returnUrl: string | null
    /** What people call the order, truncated to 80 characters. */
    readonly orderNumber: string | null
    /** Up to 20 texts of your own. Payers never see them. */
    readonly metadata: Readonly<Record<string, string>> | null
    /** If the invoice is an option of an order: the order, as of that moment. Else absent. */
    readonly order?: {
      /** The id of the order. */
      readonly id: string
      /** Your own id of the order. */
      readonly reference: string | null
      /** What people call the order, truncated to 80 characters. */
      readonly orderNumber: string | null
      /** `paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`. */
      readonly status: 'unpaid' | 'partly' | 'paid' | 'expired' | 'void'
    }
  }
  readonly test?: undefined
  readonly id?: undefined
  readonly type?: undefined
  readonly at?: undefined
  readonly data?: undefined
}

export interface TestPayload {
  /** The reference of the invoice. */
  readonly reference: string
  /** Act on `confirmed` only. */
  readonly status: 'pending' | 'confirmed'
  /** The invoice. */
  readonly invoiceId: string
  /** The id of a network, as `GET /api/info` lists them. */
  readonly network: NetworkId
  /** With `status`, what to deduplicate by. */
  readonly txHash: string
  /** The receiving address. */
  readonly toAddress: string | null
  /** As observed: whole units of a token, decimal coins otherwise. */
  readonly amount: string | null
  /** `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed. */
  readonly currency: string | null
  /** The same in both notifications. */
  readonly receivedAt: number
  /** With the payload `with-invoice`: its state when the delivery was recorded. */
  readonly invoice?: {
    /** As sent. */
    readonly amount: string
    /** `native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists. */
    readonly currency: Currency
    /** `paid` when `received` is at least the amount. */
    readonly status: 'unpaid' | 'paid'
    /** Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices. */
    readonly received: string
    /** Sum of those that would count but are not confirmed yet. */
    readonly pending: string
    /** The part of the amount that is missing; `0` once paid. */
    readonly remaining: string
    /** What of `own` is beyond the amount. */
    readonly overpaid: string
    /** Where the payment page leads back to. */
    readonly returnUrl: string | null
    /** What people call the order, truncated to 80 characters. */
    readonly orderNumber: string | null
    /** Up to 20 texts of your own. Payers never see them. */
    readonly metadata: Readonly<Record<string, string>> | null
    /** If the invoice is an option of an order: the order, as of that moment. Else absent. */
    readonly order?: {
      /** The id of the order. */
      readonly id: string
      /** Your own id of the order. */
      readonly reference: string | null
      /** What people call the order, truncated to 80 characters. */
      readonly orderNumber: string | null
      /** `paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`. */
      readonly status: 'unpaid' | 'partly' | 'paid' | 'expired' | 'void'
    }
  }
  /** It is about no deposit: do nothing. */
  readonly test: true
  readonly late?: undefined
  readonly id?: undefined
  readonly type?: undefined
  readonly at?: undefined
  readonly data?: undefined
}

/** The body of a webhook with the payload `specified` or `with-invoice`. One with `test` was asked for by a test. */
export type DepositWebhook = TestPayload | DepositPayload

/** The body of any webhook. Events have a `type`, deposits have none. */
export type WebhookPayload = TestPayload | DepositPayload | DeliveredInvoiceEvent | DeliveredDepositEvent | DeliveredOrderEvent | DeliveredDeliveryEvent

export interface CreateInvoiceRequest {
  /** On the unsigned path only. A signed request ignores it. */
  readonly owner?: string | undefined
  /** Duplicates are removed, the order is kept. */
  readonly walletIds: readonly string[]
  /** Trimmed, truncated to 80 characters. */
  readonly name: string
  /** A decimal: no sign, exponent or space, greater than zero. Never rounded. At most 60 digits before the point and 18 significant ones behind it. */
  readonly amount: string
  /** `native`, or a token that every network of the wallets has, by its symbol: `USDT`, or another one that `GET /api/info` lists. An empty text counts as absent. */
  readonly currency?: Currency | null | undefined
  /** Trimmed, truncated to 500 characters. */
  readonly description?: string | null | undefined
  /** Your own id, not trimmed, truncated to 80 characters, unique across all invoices of all owners: make it unguessable. Required for webhooks. */
  readonly reference?: string | null | undefined
  /** An absolute http: or https: URL without user and password. Wins over the identity's default. */
  readonly callbackUrl?: string | null | undefined
  /** Where the payment page leads back to: an absolute http: or https: URL without user and password. */
  readonly returnUrl?: string | null | undefined
  /** What people call the order, truncated to 80 characters. Several invoices may have the same. */
  readonly orderNumber?: string | null | undefined
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  /** Seconds until it becomes void unless it is paid or being paid. The operator's default applies without it. */
  readonly expiresInSeconds?: number | null | undefined
}

export interface VoidInvoiceRequest {
  /** Identity id of 1 to 128 characters, trimmed. */
  readonly owner: string
}

export interface AcceptInvoiceRequest {
  /** Identity id of 1 to 128 characters, trimmed. */
  readonly owner: string
}

export interface CreateOrderRequest {
  /** On the unsigned path only. A signed request ignores it. */
  readonly owner?: string | undefined
  /** What the order costs. */
  readonly price: {
    /** A decimal: no sign, exponent or space, greater than zero. Never rounded. At most 60 digits before the point and 18 significant ones behind it. */
    readonly amount: string
    /** A currency code, such as `EUR`, or the symbol of a coin. */
    readonly currency: string
  }
  /** The ways to pay. A wallet may be in one option of each currency. */
  readonly options: readonly ({
    /** Duplicates are removed, the order is kept. */
    readonly walletIds: readonly string[]
    /** `native`, or a token that every network of the wallets has. An empty text counts as absent. */
    readonly currency?: Currency | null | undefined
    /** Fixes what this option asks, in its coin. Without it the amount follows from the price and the rate. */
    readonly amount?: string | null | undefined
  })[]
  /** Trimmed, truncated to 80 characters. */
  readonly name: string
  /** Trimmed, truncated to 500 characters. */
  readonly description?: string | null | undefined
  /** Your own id, not trimmed, truncated to 77 characters. The invoices get it with `/1`, `/2` and so on behind it, or the id of the order where it has none. */
  readonly reference?: string | null | undefined
  /** An absolute http: or https: URL without user and password. Wins over the identity's default. */
  readonly callbackUrl?: string | null | undefined
  /** Where the payment page leads back to: an absolute http: or https: URL without user and password. */
  readonly returnUrl?: string | null | undefined
  /** What people call the order, truncated to 80 characters. Several invoices may have the same. */
  readonly orderNumber?: string | null | undefined
  /** Up to 20 texts of your own. Payers never see them. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  /** Seconds until it expires unless something has come for it. The operator's default applies without it. */
  readonly expiresInSeconds?: number | null | undefined
}

export interface VoidOrderRequest {
  /** Identity id of 1 to 128 characters, trimmed. */
  readonly owner: string
}

export interface AcceptOrderRequest {
  /** Identity id of 1 to 128 characters, trimmed. */
  readonly owner: string
}

export interface RegisterApiKeyRequest {
  /** Identity id of 1 to 128 characters, trimmed. */
  readonly owner: string
  /** Trimmed, truncated to 60 characters. */
  readonly label: string
  /** A compressed public key of secp256k1. */
  readonly publicKey: string
  /** At least one of invoices:create, payments:send, treasury:approve. Only `invoices:create` is enforced. */
  readonly permissions: readonly string[]
  /** Days until it expires, fractions allowed. Without it the key never expires. */
  readonly ttlDays?: number | null | undefined
}

export interface RevokeApiKeyRequest {
  /** Identity id of 1 to 128 characters, trimmed. */
  readonly owner: string
}

export interface SetWebhookRequest {
  /** An absolute http: or https: URL without user and password. */
  readonly callbackUrl: string
  /** `with-invoice` appends the state of the invoice. `events` sends each event from now on, in place of the deposits. Absent or null, it stays as it was. */
  readonly payload?: 'specified' | 'with-invoice' | 'events' | null | undefined
  /** The events that are sent with the payload `events`. Absent or null, they stay as they were: all at first. */
  readonly types?: readonly ('invoice.created' | 'invoice.voided' | 'invoice.expired' | 'invoice.paid' | 'invoice.unpaid' | 'deposit.pending' | 'deposit.confirmed' | 'deposit.dropped' | 'delivery.failed' | 'invoice.accepted' | 'order.created' | 'order.partly' | 'order.paid' | 'order.unpaid' | 'order.accepted' | 'order.expired' | 'order.voided' | 'order.overpaid')[] | null | undefined
}

export interface DeleteWebhookAnswer {
  /** False when there was none. */
  readonly deleted: boolean
}

export interface RotateWebhookSecretRequest {
  /** How long both secrets sign. */
  readonly overlapSeconds?: number | null | undefined
}

export interface IdentityExistsAnswer {
  /** False if every node that answers says so. */
  readonly exists: boolean
}

export interface DescribeSandboxAnswer {
  /** That nothing in it has any value. */
  readonly notice: string
  /** Transactions go to it and a slash. */
  readonly nodeUrl: string
  /** The namespace of the contracts. */
  readonly namespace: string
  readonly contracts: {
    /** The onboard contract. */
    readonly onboard: string
    /** The assign-owner contract. */
    readonly assignOwner: string
    /** The contract that replaces the key of an identity. */
    readonly replaceKey: string
  }
  /** The name that identities are onboarded under. */
  readonly onboardingName: string
  readonly networks: readonly NetworkId[]
}

export interface SimulateDepositRequest {
  /** Where it goes. Either this or `invoiceId`. */
  readonly address?: string | null | undefined
  /** It goes to the invoice's first wallet, or to its first on `network`. */
  readonly invoiceId?: string | null | undefined
  /** A decimal in the currency. With `invoiceId`: by default what is still missing. */
  readonly amount?: string | null | undefined
  /** A currency of the network. By default the invoice's, or `native` with `address`. */
  readonly currency?: Currency | null | undefined
  /** By default the wallet's, or guessed from the form of the address. */
  readonly network?: NetworkId | null | undefined
  /** By default a random one. A known hash adds a transfer to that transaction. */
  readonly txHash?: string | null | undefined
  /** Unix milliseconds, by default now. */
  readonly receivedAt?: number | null | undefined
  /** Exactly this happens. Without it: pending at once, confirmed about a second later. */
  readonly kind?: 'pending' | 'confirmed' | null | undefined
}

export interface SetSandboxRatesRequest {
  /** By currency and coin: the price of one coin. At most 2000 rates. */
  readonly rates: Readonly<Record<string, Readonly<Record<string, string>>>>
}
