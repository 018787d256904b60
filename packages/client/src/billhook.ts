import { amountOf, isKnownIn, type ObservedAmount, type ReadableAmount } from './amount.js'
import type { Reply } from './answer.js'
import type {
  ApiKey,
  BillhookEvent,
  ClaimedWallet,
  ConfiguredWebhook,
  CreatedInvoice,
  CreatedOrder,
  Deposit,
  DescribeSandboxAnswer,
  IdentityExistsAnswer,
  Invoice,
  InvoiceWithPayment,
  NetworkId,
  Order,
  Rates,
  RatesTaken,
  RotateWebhookSecretRequest,
  ServiceInfo,
  SetSandboxRatesRequest,
  SetWebhookRequest,
  SimulateDepositRequest,
  Wallet,
  WebhookDelivery,
  WebhookSettings,
  WebhookTest,
} from './api-types.js'
import { toHex } from './bytes.js'
import { BillhookError } from './error.js'
import { checkFields, checkOptions, suggestion } from './fields.js'
import type {
  ApiKeyDraft,
  BillhookOptions,
  CallOptions,
  CreateInvoiceOptions,
  EventOptions,
  InvoiceDraft,
  InvoiceFilter,
  ListOptions,
  NewInvoice,
  NewOrder,
  OrderDraft,
  OrderFilter,
  RegisterApiKeyOptions,
} from './options.js'
import { checkedSigner, keySigner, type Signer } from './signer.js'
import { type Call, type Fetch, Transport } from './transport.js'
import { poll, type WaitOptions } from './wait.js'

/** A webhook test takes up to 8 s, and an overloaded service may hold its answer back. */
const TIMEOUT_MS = 30_000
const RETRY_DELAY_MS = 1000
const ATTEMPTS = 4
const PAGE_SIZE = 100
const PAYMENT_INTERVAL_MS = 2000
const WALLET_INTERVAL_MS = 1000
const IDENTITY_INTERVAL_MS = 1000
const IDEMPOTENCY_KEY_BYTES = 16

/**
 * A merchant's side of the API. Reads, PUT, DELETE and the creation of invoices are repeated when no answer came, or 429, 500,
 * 502, 503 or 504; nothing else is. Every method throws `BillhookError`, a `TypeError` for what cannot be right, or the reason of its
 * `signal`.
 *
 * @example
 * ```js
 * import { Billhook } from '@billhook/client'
 *
 * const shop = new Billhook({ url, owner, privateKey })
 * console.log(shop.owner === owner) // true
 * ```
 */
export class Billhook {
  private readonly transport: Transport
  private readonly signer: Signer | undefined
  /** The identity that the client acts for, if it was given one. */
  readonly owner: string | undefined
  /** What the service said last of itself. */
  #info: ServiceInfo | null = null

  /** Throws a `TypeError` for a malformed URL, owner or key. */
  constructor(options: BillhookOptions) {
    const { url, owner, privateKey, signer } = options
    const { timeoutMs = TIMEOUT_MS, retryDelayMs = RETRY_DELAY_MS, attempts = ATTEMPTS } = options
    if (privateKey !== undefined && signer !== undefined) throw new TypeError('give a privateKey or a signer, not both')
    if (!(attempts >= 1)) throw new TypeError('attempts must be 1 or more')
    if (owner?.trim() === '') throw new TypeError('the owner must be the id of an identity, not an empty text')
    // Called through a function of its own, because browsers refuse a `fetch` that belongs to another object.
    const send = options.fetch ?? ((...request: Parameters<Fetch>) => fetch(...request))
    this.transport = new Transport({ url, fetch: send, timeoutMs, retryDelayMs, attempts })
    this.signer = privateKey === undefined ? signer && checkedSigner(signer) : keySigner(privateKey)
    this.owner = owner
  }

  /**
   * Creates an invoice. It is safe to lose the answer: the request carries an `Idempotency-Key`, a random one if you give none, and
   * is repeated with it. Give one of your own, kept with the order, if a restart of your program must not create a second invoice.
   *
   * @example
   * ```js
   * const create = () =>
   *   billhook.createInvoice(
   *     { walletIds: [walletId], name: 'Tea set', amount: '30.00', currency: 'USDT', expiresInSeconds: 3600 },
   *     { idempotencyKey: 'order-1001' },
   *   )
   * const created = await create()
   * const again = await create()
   * console.log(created.isReplay, again.isReplay, again.id === created.id) // false true true
   * if (created.expiresAt !== null) console.log(`Pay at ${created.pageUrl} until ${new Date(created.expiresAt)}`)
   * ```
   */
  async createInvoice(
    draft: InvoiceDraft,
    { idempotencyKey = randomKey(), signal }: CreateInvoiceOptions = {},
  ): Promise<NewInvoice> {
    checkFields('createInvoice', draft)
    const body = this.signer === undefined ? { owner: this.#owner(), ...draft } : draft
    const reply = await this.request({ tag: 'POST /api/invoices', body, idempotencyKey, signal })
    // The service answers what its document says (`CreatedInvoice`).
    const { id, url } = reply.body as CreatedInvoice
    const expiresAt = reply.headers.get('invoice-expires-at')
    return {
      id,
      url,
      pageUrl: this.transport.url + url,
      expiresAt: expiresAt === null ? null : Number(expiresAt),
      isReplay: reply.headers.get('idempotency-replayed') === 'true',
      requestId: reply.headers.get('x-request-id'),
    }
  }

  /**
   * The record and its payment at this moment.
   *
   * @example
   * ```js
   * const { payment, amount, currency } = await billhook.getInvoice(invoice.id)
   * console.log(payment.status, `${payment.remaining} of ${amount} ${currency} missing`) // unpaid 25 of 25.00 USDT missing
   * ```
   */
  async getInvoice(id: string, { signal }: CallOptions = {}): Promise<InvoiceWithPayment> {
    return await this.#read({ tag: 'GET /api/invoices/:id', params: { id }, signal })
  }

  /**
   * Ends an invoice that should no longer be paid. Refused with `invoice_paid` once what came and what is pending cover its amount.
   *
   * @example
   * ```js
   * const ended = await billhook.voidInvoice(invoice.id)
   * console.log(ended.voided_at !== null) // true
   * ```
   */
  async voidInvoice(id: string, { signal }: CallOptions = {}): Promise<InvoiceWithPayment> {
    const body = this.signer === undefined ? { body: { owner: this.#owner() } } : {}
    return await this.#read({ tag: 'POST /api/invoices/:id/void', params: { id }, ...body, signal })
  }

  /**
   * Takes what has come to an invoice as enough, also when an exchange kept its fee. From then on it is settled, for good. Refused with
   * `invoice_void` once it is void or expired.
   *
   * @example
   * ```js
   * const settled = await billhook.acceptInvoice(invoice.id)
   * console.log(settled.accepted_at !== null) // true
   * ```
   */
  async acceptInvoice(id: string, { signal }: CallOptions = {}): Promise<InvoiceWithPayment> {
    const body = this.signer === undefined ? { body: { owner: this.#owner() } } : {}
    return await this.#read({ tag: 'POST /api/invoices/:id/accept', params: { id }, ...body, signal })
  }

  /**
   * The invoices of the owner with their payments, newest first. Pages are read as you go on.
   *
   * @example
   * ```js
   * for await (const { name, payment } of billhook.listInvoices({ status: 'unpaid' })) {
   *   console.log(name, payment.remaining) // Tea set 25
   * }
   * ```
   */
  listInvoices({
    pageSize,
    signal,
    createdAfter,
    createdBefore,
    ...equal
  }: InvoiceFilter = {}): AsyncGenerator<InvoiceWithPayment, void> {
    const times = { createdAfter: createdAfter?.toString(), createdBefore: createdBefore?.toString() }
    const query = { include: 'payment', ...equal, ...times }
    return this.#pages({ tag: 'GET /api/users/:id/invoices', query, signal }, pageSize)
  }

  /**
   * The records without their payments, as `listInvoices`. Cheaper for the service.
   *
   * @example
   * ```js
   * for await (const { name, amount } of billhook.listInvoicesWithoutPayment()) console.log(name, amount) // Tea set 25.00
   * ```
   */
  listInvoicesWithoutPayment({ pageSize, signal }: ListOptions = {}): AsyncGenerator<Invoice, void> {
    return this.#pages({ tag: 'GET /api/users/:id/invoices', signal }, pageSize)
  }

  /**
   * Resolves when the invoice is paid or accepted. Rejects with the code `invoice_void` once it is void or expired, with `wait_timeout` after
   * `timeoutMs`, and with the reason of `signal`. By default it looks every two seconds and waits for ever.
   *
   * @example
   * ```js
   * await billhook.simulateDeposit({ invoiceId: invoice.id, kind: 'confirmed' })
   * const { payment } = await billhook.waitForPayment(invoice.id, { timeoutMs: 60_000 })
   * console.log(payment.status, payment.received) // paid 25
   * ```
   */
  async waitForPayment(
    id: string,
    { intervalMs = PAYMENT_INTERVAL_MS, ...wait }: WaitOptions = {},
  ): Promise<InvoiceWithPayment> {
    const look = async (signal: AbortSignal | undefined) => {
      const invoice = await this.getInvoice(id, { signal })
      if (invoice.voided_at !== null) throw new BillhookError('This invoice is no longer payable.', 'invoice_void')
      // An older service does not have the field.
      const isAccepted = (invoice.accepted_at ?? null) !== null
      return isAccepted || invoice.payment.status === 'paid' ? invoice : null
    }
    return await poll('The payment', look, { ...wait, intervalMs })
  }

  /**
   * Creates an order: a price, and an invoice for each way to pay it. What the options without a fixed amount ask follows from the
   * rates of the service. It is safe to lose the answer, as it is for `createInvoice`.
   *
   * @example
   * ```js
   * const order = await billhook.createOrder(
   *   {
   *     price: { amount: '30.00', currency: 'USDT' },
   *     options: [
   *       { walletIds: [walletId], currency: 'USDT' },
   *       { walletIds: [walletId], currency: 'native', amount: '0.0125' },
   *     ],
   *     name: 'Tea set',
   *     orderNumber: '1001',
   *   },
   *   { idempotencyKey: 'order-1001' },
   * )
   * console.log(order.invoices.map(({ amount, currency }) => `${amount} ${currency}`).join(' or ')) // 30.00 USDT or 0.0125 native
   * ```
   */
  async createOrder(
    draft: OrderDraft,
    { idempotencyKey = randomKey(), signal }: CreateInvoiceOptions = {},
  ): Promise<NewOrder> {
    checkFields('createOrder', draft)
    checkOptions(draft.options)
    const body = this.signer === undefined ? { owner: this.#owner(), ...draft } : draft
    const reply = await this.request({ tag: 'POST /api/orders', body, idempotencyKey, signal })
    // The service answers what its document says (`CreatedOrder`).
    const created = reply.body as CreatedOrder
    return {
      ...created,
      pageUrl: this.transport.url + created.url,
      isReplay: reply.headers.get('idempotency-replayed') === 'true',
      requestId: reply.headers.get('x-request-id'),
    }
  }

  /**
   * The order and what has come for it at this moment.
   *
   * @example
   * ```js
   * const options = [{ walletIds: [walletId], currency: 'USDT' }]
   * const { id } = await billhook.createOrder({ price: { amount: '30.00', currency: 'USDT' }, options, name: 'Tea set' })
   * const { status, paid_fraction } = await billhook.getOrder(id)
   * console.log(status, paid_fraction) // unpaid 0.000000000000000000
   * ```
   */
  async getOrder(id: string, { signal }: CallOptions = {}): Promise<Order> {
    return await this.#read({ tag: 'GET /api/orders/:id', params: { id }, signal })
  }

  /**
   * Ends an order that should no longer be paid, with all of its invoices. Refused with `order_paid` once what came and what is pending
   * make up its price.
   *
   * @example
   * ```js
   * const options = [{ walletIds: [walletId], currency: 'USDT' }]
   * const { id } = await billhook.createOrder({ price: { amount: '30.00', currency: 'USDT' }, options, name: 'Tea set' })
   * const ended = await billhook.voidOrder(id)
   * console.log(ended.status) // void
   * ```
   */
  async voidOrder(id: string, { signal }: CallOptions = {}): Promise<Order> {
    const body = this.signer === undefined ? { body: { owner: this.#owner() } } : {}
    return await this.#read({ tag: 'POST /api/orders/:id/void', params: { id }, ...body, signal })
  }

  /**
   * Takes what has come for an order as enough: it is paid, for good. Refused with `order_void` once it is void or expired.
   *
   * @example
   * ```js
   * const options = [{ walletIds: [walletId], currency: 'USDT' }]
   * const { id } = await billhook.createOrder({ price: { amount: '30.00', currency: 'USDT' }, options, name: 'Tea set' })
   * const settled = await billhook.acceptOrder(id)
   * console.log(settled.status) // paid
   * ```
   */
  async acceptOrder(id: string, { signal }: CallOptions = {}): Promise<Order> {
    const body = this.signer === undefined ? { body: { owner: this.#owner() } } : {}
    return await this.#read({ tag: 'POST /api/orders/:id/accept', params: { id }, ...body, signal })
  }

  /**
   * The orders of the owner, newest first. Pages are read as you go on.
   *
   * @example
   * ```js
   * const options = [{ walletIds: [walletId], currency: 'USDT' }]
   * await billhook.createOrder({ price: { amount: '30.00', currency: 'USDT' }, options, name: 'Tea set' })
   * for await (const { name, price } of billhook.listOrders({ status: 'unpaid' })) {
   *   console.log(name, price.amount, price.currency) // Tea set 30.00 USDT
   * }
   * ```
   */
  listOrders({ pageSize, signal, ...equal }: OrderFilter = {}): AsyncGenerator<Order, void> {
    return this.#pages({ tag: 'GET /api/users/:id/orders', query: { ...equal }, signal }, pageSize)
  }

  /**
   * Resolves when the order is paid, in whatever coins, or accepted. Rejects with the code `order_void` once it is void or expired, with
   * `wait_timeout` after `timeoutMs`, and with the reason of `signal`. By default it looks every two seconds and waits for ever.
   *
   * @example
   * ```js
   * const options = [{ walletIds: [walletId], currency: 'USDT' }]
   * const order = await billhook.createOrder({ price: { amount: '30.00', currency: 'USDT' }, options, name: 'Tea set' })
   * for (const { id } of order.invoices) await billhook.simulateDeposit({ invoiceId: id, kind: 'confirmed' })
   * const { status } = await billhook.waitForOrder(order.id, { timeoutMs: 60_000 })
   * console.log(status) // paid
   * ```
   */
  async waitForOrder(id: string, { intervalMs = PAYMENT_INTERVAL_MS, ...wait }: WaitOptions = {}): Promise<Order> {
    const look = async (signal: AbortSignal | undefined) => {
      const order = await this.getOrder(id, { signal })
      if (order.status === 'paid') return order
      if (order.voided_at !== null) throw new BillhookError('This order is no longer payable.', 'order_void')
      return null
    }
    return await poll('The payment of the order', look, { ...wait, intervalMs })
  }

  /**
   * Registers a public key, by default the client's own. A service in strict mode wants the request signed by the identity: give
   * what `identityFromPhrase` answers.
   *
   * @example
   * ```js
   * import { keySigner } from '@billhook/client'
   *
   * const { publicKey } = keySigner(crypto.getRandomValues(new Uint8Array(32)))
   * const key = await billhook.registerApiKey({ label: 'second till', publicKey, ttlDays: 90 }, { identity })
   * console.log(key.label, key.permissions) // second till invoices:create
   * ```
   */
  async registerApiKey(draft: ApiKeyDraft, { identity, signal }: RegisterApiKeyOptions = {}): Promise<ApiKey> {
    checkFields('registerApiKey', draft)
    const { publicKey = this.signer?.publicKey, permissions = ['invoices:create'], ...more } = draft
    if (publicKey === undefined) throw new TypeError('a client without a key needs the publicKey to register')
    const body = { owner: this.#owner(), publicKey, permissions, ...more }
    return await this.#read({ tag: 'POST /api/api-keys', body, signer: identity, signal })
  }

  /**
   * Newest first.
   *
   * @example
   * ```js
   * const active = (await billhook.listApiKeys()).filter((key) => key.revoked_at === null)
   * console.log(active.length) // 1
   * ```
   */
  async listApiKeys({ signal }: CallOptions = {}): Promise<ApiKey[]> {
    return await this.#readList({ tag: 'GET /api/users/:id/api-keys', params: this.#ownerParam(), signal })
  }

  /**
   * Once it has answered, nothing more is created with the key. There is no way back.
   *
   * @example
   * ```js
   * for (const { id, label } of await billhook.listApiKeys()) {
   *   if (label === 'test') console.log((await billhook.revokeApiKey(id)).revoked_at !== null) // true
   * }
   * ```
   */
  async revokeApiKey(id: string, { signal }: CallOptions = {}): Promise<ApiKey> {
    const body = { owner: this.#owner() }
    return await this.#read({ tag: 'POST /api/api-keys/:id/revoke', params: { id }, body, signal })
  }

  /**
   * Where webhooks go, and the secret that signs them. Its fields are null if nothing is set.
   *
   * @example
   * ```js
   * const { callback_url, secret } = await billhook.getWebhook()
   * console.log(callback_url, secret) // null null
   * ```
   */
  async getWebhook({ signal }: CallOptions = {}): Promise<WebhookSettings> {
    return await this.#read({ tag: 'GET /api/users/:id/webhook', params: this.#ownerParam(), signal })
  }

  /**
   * Says where webhooks go. The first time, this makes the secret that signs them; later changes keep it.
   *
   * @example
   * ```js
   * const { secret } = await billhook.setWebhook({ callbackUrl: 'https://shop.example/billhook', payload: 'with-invoice' })
   * console.log(secret.length) // 64
   * ```
   */
  async setWebhook(settings: SetWebhookRequest, { signal }: CallOptions = {}): Promise<ConfiguredWebhook> {
    checkFields('setWebhook', settings)
    const params = this.#ownerParam()
    return await this.#read({ tag: 'PUT /api/users/:id/webhook', params, body: settings, signal })
  }

  /**
   * Removes the default callback URL, and the secret with it.
   *
   * @example
   * ```js
   * const { deleted } = await billhook.deleteWebhook()
   * console.log(deleted) // false
   * ```
   */
  async deleteWebhook({ signal }: CallOptions = {}): Promise<{ readonly deleted: boolean }> {
    return await this.#read({ tag: 'DELETE /api/users/:id/webhook', params: this.#ownerParam(), signal })
  }

  /**
   * Replaces the secret. Until the overlap ends, a day by default, webhooks fit the old and the new one.
   *
   * @example
   * ```js
   * const before = await billhook.setWebhook({ callbackUrl: 'https://shop.example/billhook' })
   * const { secret } = await billhook.rotateWebhookSecret({ overlapSeconds: 3600 })
   * const accepted = [secret, before.secret] // What verifyWebhook takes meanwhile.
   * console.log(new Set(accepted).size) // 2
   * ```
   */
  async rotateWebhookSecret(
    rotation: RotateWebhookSecretRequest = {},
    { signal }: CallOptions = {},
  ): Promise<ConfiguredWebhook> {
    checkFields('rotateWebhookSecret', rotation)
    const params = this.#ownerParam()
    return await this.#read({ tag: 'POST /api/users/:id/webhook/rotate', params, body: rotation, signal })
  }

  /**
   * Sends one webhook to the default callback URL at once, marked as a test, and answers how it went.
   *
   * @example
   * ```js
   * await billhook.setWebhook({ callbackUrl: 'http://127.0.0.1:1/' })
   * const { state, failure } = await billhook.testWebhook()
   * console.log(state, failure) // failed connection
   * ```
   */
  async testWebhook({ signal }: CallOptions = {}): Promise<WebhookTest> {
    return await this.#read({ tag: 'POST /api/users/:id/webhook/test', params: this.#ownerParam(), signal })
  }

  /**
   * The webhooks of the owner, sent or waiting, newest first. Pages are read as you go on.
   *
   * @example
   * ```js
   * for await (const { reference, status, state } of billhook.listWebhookDeliveries()) console.log(reference, status, state)
   * ```
   */
  listWebhookDeliveries({ pageSize, signal }: ListOptions = {}): AsyncGenerator<WebhookDelivery, void> {
    return this.#pages({ tag: 'GET /api/users/:id/webhook/deliveries', signal }, pageSize)
  }

  /**
   * Sends a webhook again: the same body to the same URL, signed anew.
   *
   * @example
   * ```js
   * for await (const { id, state } of billhook.listWebhookDeliveries()) {
   *   if (state === 'failed') await billhook.redeliverWebhook(id)
   * }
   * ```
   */
  async redeliverWebhook(deliveryId: string, { signal }: CallOptions = {}): Promise<WebhookDelivery> {
    const params = { ...this.#ownerParam(), deliveryId }
    return await this.#read({ tag: 'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver', params, signal })
  }

  /**
   * What happened to the owner, oldest first, up to the last event so far. Pages are read as you go on. Keep the `id` of each event
   * with what you did about it, and give the last one as `after` the next time. `events_removed` means that some are gone.
   *
   * @example
   * ```js
   * await billhook.simulateDeposit({ invoiceId: invoice.id, kind: 'confirmed' })
   * let after
   * for await (const event of billhook.listEvents({ after })) {
   *   if (event.type === 'deposit.confirmed') console.log((await billhook.amountOf(event.deposit)).text) // 25 USDT
   *   after = event.id
   * }
   * ```
   */
  listEvents({ after, pageSize, signal }: EventOptions = {}): AsyncGenerator<BillhookEvent, void> {
    return this.#pages({ tag: 'GET /api/users/:id/events', signal }, pageSize, { name: 'after', first: after })
  }

  /**
   * The amount of a webhook, an event or a deposit as people write it: see the function `amountOf`. What the service said of its networks
   * is kept, and asked again for a network or a token that was not among them.
   *
   * @example
   * ```js
   * const { value, symbol, text } = await billhook.amountOf({ network: 'SEP', amount: '0.50', currency: '#native' })
   * console.log(value, symbol, text) // 0.5 ETH 0.5 ETH
   * ```
   */
  async amountOf(observed: ObservedAmount, { signal }: CallOptions = {}): Promise<ReadableAmount> {
    const { network, currency } = observed
    return amountOf(observed, await this.#infoWhere((info) => isKnownIn(info, network, currency), signal))
  }

  /**
   * Whether an identity exists, by default the owner. `ledger_unreachable` means that it is not known.
   *
   * @example
   * ```js
   * console.log(await billhook.identityExists()) // true
   * ```
   */
  async identityExists(id: string = this.#owner(), { signal }: CallOptions = {}): Promise<boolean> {
    const call = { tag: 'GET /api/identity/:id/exists', params: { id }, signer: undefined, signal } as const
    const { exists } = await this.#read<Partial<IdentityExistsAnswer>>(call)
    // An answer that does not say it is no "no".
    if (typeof exists !== 'boolean') throw this.#unexpected('does not say whether the identity exists')
    return exists
  }

  /**
   * Resolves when the service knows that the owner exists, so that a key can be registered in strict mode. A service that only its
   * gateway tells of the ledger learns of an onboarding a moment later.
   *
   * @example
   * ```js
   * await billhook.waitForIdentity({ timeoutMs: 60_000 })
   * console.log(await billhook.identityExists()) // true
   * ```
   */
  async waitForIdentity({ intervalMs = IDENTITY_INTERVAL_MS, ...wait }: WaitOptions = {}): Promise<void> {
    const owner = this.#owner()
    const look = async (signal: AbortSignal | undefined) => (await this.identityExists(owner, { signal })) || null
    await poll('The onboarding of the identity', look, { ...wait, intervalMs })
  }

  /**
   * Hands out a wallet that is nobody's yet. Assign it at the ledger within ten minutes. Throws a `TypeError` for a network that the
   * service does not have, before anything is handed out.
   *
   * @example
   * ```js
   * const wallet = await billhook.claimWallet('TRX-NILE')
   * console.log(wallet.address.startsWith('T')) // true
   * const told = await billhook.claimWallet('ETH').catch((error) => error.message)
   * console.log(told) // this service has no network "ETH". It has SEP, TRX-NILE.
   * ```
   */
  async claimWallet(network: NetworkId, { signal }: CallOptions = {}): Promise<ClaimedWallet> {
    const { networks } = await this.#infoAbout(network, signal)
    const found = networks.find(({ id }) => id === network)
    if (found === undefined) {
      const ids = networks.map(({ id }) => id)
      const meant = suggestion(String(network), ids)
      throw new TypeError(`this service has no network "${network}"${meant} It has ${ids.join(', ')}.`)
    }
    const tag = `GET /api/wallets/claim/${found.claim}` as const
    return await this.#read({ tag, signer: undefined, hasEffect: true, signal })
  }

  /**
   * The wallets of the owner, newest first.
   *
   * @example
   * ```js
   * const wallets = await billhook.listWallets()
   * console.log(wallets.map(({ network }) => network)) // [ 'TRX-NILE' ]
   * ```
   */
  async listWallets({ signal }: CallOptions = {}): Promise<Wallet[]> {
    return await this.#readList({ tag: 'GET /api/users/:id/wallets', params: this.#ownerParam(), signal })
  }

  /**
   * Resolves when the service knows the wallet as the owner's, with its address, so that it can be invoiced on.
   *
   * @example
   * ```js
   * import { assignWallet } from '@billhook/client'
   *
   * const claimed = await billhook.claimWallet('TRX-NILE')
   * await assignWallet(ledger, identity, claimed.id, { billhook })
   * const wallet = await billhook.waitForWallet(claimed.id, { intervalMs: 100 })
   * console.log(wallet.address === claimed.address) // true
   * ```
   */
  async waitForWallet(id: string, { intervalMs = WALLET_INTERVAL_MS, ...wait }: WaitOptions = {}): Promise<Wallet> {
    const look = async (signal: AbortSignal | undefined) => {
      const wallets = await this.listWallets({ signal })
      return wallets.find((wallet) => wallet.id === id && wallet.address !== null) ?? null
    }
    return await poll('The assignment of the wallet', look, { ...wait, intervalMs })
  }

  /**
   * What clients must know: the version, the modes, the networks, and how the ledger is used.
   *
   * @example
   * ```js
   * const { networks } = await billhook.getInfo()
   * console.log(networks.map(({ id }) => id).sort()) // [ 'SEP', 'TRX-NILE' ]
   * ```
   */
  async getInfo({ signal }: CallOptions = {}): Promise<ServiceInfo> {
    return await this.#read({ tag: 'GET /api/info', signer: undefined, signal })
  }

  /**
   * Which rates are in force: the price of one coin, by currency and coin, and which coins have none and why.
   *
   * @example
   * ```js
   * const { rates, withheld } = await billhook.getRates()
   * console.log(rates.EUR?.USDT, withheld.length) // 0.92 0
   * ```
   */
  async getRates({ signal }: CallOptions = {}): Promise<Rates> {
    return await this.#read({ tag: 'GET /api/rates', signer: undefined, signal })
  }

  /**
   * What the ledger steps need to know of a sandbox.
   *
   * @example
   * ```js
   * const { notice, nodeUrl } = await billhook.describeSandbox()
   * console.log(notice.length > 0, nodeUrl.startsWith(url)) // true true
   * ```
   */
  async describeSandbox({ signal }: CallOptions = {}): Promise<DescribeSandboxAnswer> {
    return await this.#read({ tag: 'GET /sandbox', signer: undefined, signal })
  }

  /**
   * Pays at a sandbox. With an invoice, what is still missing; pending at once and confirmed a second later.
   *
   * @example
   * ```js
   * const deposit = await billhook.simulateDeposit({ invoiceId: invoice.id, amount: '10' })
   * console.log((await billhook.amountOf(deposit)).text) // 10 USDT
   * ```
   */
  async simulateDeposit(deposit: SimulateDepositRequest, { signal }: CallOptions = {}): Promise<Deposit> {
    checkFields('simulateDeposit', deposit)
    return await this.#read({ tag: 'POST /sandbox/deposits', body: deposit, signer: undefined, signal })
  }

  /**
   * Sets all rates of a sandbox, by currency and coin. A coin that is left out has none.
   *
   * @example
   * ```js
   * const { status } = await billhook.setSandboxRates({ EUR: { USDT: '0.92', ETH: '2950.10' } })
   * console.log(status, (await billhook.getRates()).rates.EUR?.ETH) // accepted 2950.10
   * ```
   */
  async setSandboxRates(rates: SetSandboxRatesRequest['rates'], { signal }: CallOptions = {}): Promise<RatesTaken> {
    return await this.#read({ tag: 'POST /sandbox/rates', body: { rates }, signer: undefined, signal })
  }

  /**
   * Any request of the reference, as the other methods send theirs: signed by the client's key, unless the call names another signer or
   * `undefined`, and repeated under the same rule.
   *
   * @example
   * ```js
   * const { body, headers } = await billhook.request({ tag: 'GET /api/invoices/:id', params: { id: invoice.id } })
   * console.log(JSON.stringify(body).includes(invoice.id), headers.has('X-Request-Id')) // true true
   * ```
   */
  async request(call: Call): Promise<Reply> {
    return await this.transport.call({ signer: this.signer, ...call })
  }

  #owner(): string {
    if (this.owner === undefined)
      throw new TypeError('this needs the owner: give it with the url to new Billhook({ url, owner })')
    return this.owner
  }

  #ownerParam(): { readonly id: string } {
    return { id: this.#owner() }
  }

  /** One record. What is in it is as the service documents it. */
  async #read<T>(call: Call): Promise<T> {
    const { body } = await this.request(call)
    if (Array.isArray(body)) throw this.#unexpected('answered with a list instead of a record')
    return body as T
  }

  async #readList<T>(call: Call): Promise<T[]> {
    return this.#listIn((await this.request(call)).body)
  }

  #listIn<T>(body: unknown): T[] {
    const isList = Array.isArray(body) && body.every((record) => typeof record === 'object' && record !== null)
    if (!isList) throw this.#unexpected('answered without a list of records')
    return body
  }

  #unexpected(told: string): BillhookError {
    return new BillhookError(`${this.transport.url} ${told}.`, 'unexpected_answer')
  }

  /** What the service says of itself, asked again if it has not listed a network before. */
  #infoAbout(network: NetworkId, signal: AbortSignal | undefined): Promise<ServiceInfo> {
    return this.#infoWhere(({ networks }) => networks.some(({ id }) => id === network), signal)
  }

  /** What is kept, if it tells what is wanted, or else what the service says now. */
  async #infoWhere(tells: (info: ServiceInfo) => boolean, signal: AbortSignal | undefined): Promise<ServiceInfo> {
    if (this.#info !== null && tells(this.#info)) return this.#info
    this.#info = await this.getInfo({ signal })
    return this.#info
  }

  async *#pages<T>(
    { query, ...call }: Pick<Call, 'tag' | 'query' | 'signal'>,
    pageSize = PAGE_SIZE,
    { name, first }: { readonly name: string; readonly first?: string | undefined } = { name: 'cursor' },
  ): AsyncGenerator<T, void> {
    const limit = String(pageSize)
    let cursor = first ?? null
    do {
      const page: Reply = await this.request({
        ...call,
        params: this.#ownerParam(),
        query: { ...query, limit, [name]: cursor ?? undefined },
      })
      yield* this.#listIn<T>(page.body)
      // It would go on like this without end.
      if (page.next !== null && page.next === cursor)
        throw this.#unexpected('names a page of a list as its own next one')
      cursor = page.next
    } while (cursor !== null)
  }
}

function randomKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(IDEMPOTENCY_KEY_BYTES)))
}
