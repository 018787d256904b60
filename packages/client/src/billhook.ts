import type { Reply } from './answer.js'
import type {
  ApiKey,
  ClaimedWallet,
  CreatedInvoice,
  CreateInvoiceRequest,
  Delivery,
  Deposit,
  DescribeSandboxAnswer,
  Event,
  IdentityExistsAnswer,
  Info,
  Invoice,
  InvoiceWithPayment,
  PutWebhookRequest,
  RegisterApiKeyRequest,
  RotateWebhookSecretRequest,
  SimulateDepositRequest,
  TestDelivery,
  Wallet,
  Webhook,
} from './api-types.js'
import { toHex } from './bytes.js'
import { BillhookError } from './error.js'
import { checkedSigner, keySigner, type PrivateKey, type Signer } from './signer.js'
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

export interface BillhookOptions {
  /** The address of the service, with its path prefix if it has one. */
  readonly url: string
  /** The identity that the client acts for. Needed for everything but signed creation, reading and voiding of invoices. */
  readonly owner?: string | undefined
  /** The API key: see `PrivateKey`. Without it and `signer`, requests are not signed. */
  readonly privateKey?: PrivateKey | undefined
  /** What signs instead of a private key. */
  readonly signer?: Signer | undefined
  /** Instead of the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined
  /** The time for each attempt of a request. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** The pause before the first repetition, which doubles with each further one. Default: 1000. */
  readonly retryDelayMs?: number | undefined
  /**
   * How often a request that may be repeated is sent at most. With 1 every request is sent once, and a wrong clock of this machine is not
   * corrected either. Default: 4.
   */
  readonly attempts?: number | undefined
}

/** A created invoice, with the address of its payment page below the `url` of the client. */
export type NewInvoice = CreatedInvoice & { readonly pageUrl: string }

export type InvoiceDraft = Omit<CreateInvoiceRequest, 'owner'>

/** `publicKey` is by default that of the client. */
export type ApiKeyDraft = Omit<RegisterApiKeyRequest, 'owner' | 'publicKey' | 'permissions'> & {
  readonly publicKey?: string | undefined
  /** Default: `invoices:create`. */
  readonly permissions?: readonly string[] | undefined
}

export interface ListOptions {
  /** How many records each request asks for, at most 1000. Default: 100. */
  readonly pageSize?: number | undefined
}

export interface EventOptions extends ListOptions {
  /** The `id` of the last event that you have dealt with. Without it, from the oldest that is kept. */
  readonly after?: string | undefined
}

/** Which invoices to list. */
export interface InvoiceFilter extends ListOptions {
  readonly reference?: string | undefined
  readonly status?: 'unpaid' | 'paid' | undefined
  readonly currency?: 'native' | 'USDT' | undefined
  /** Unix milliseconds, exclusive. */
  readonly createdAfter?: number | undefined
  /** Unix milliseconds, exclusive. */
  readonly createdBefore?: number | undefined
}

/**
 * A merchant's side of the API. Reads, PUT, DELETE and the creation of invoices are repeated when no answer came, or 429, 500,
 * 502, 503 or 504; nothing else is. Every method throws `BillhookError`.
 */
export class Billhook {
  private readonly transport: Transport
  private readonly signer: Signer | undefined
  /** The identity that the client acts for, if it was given one. */
  readonly owner: string | undefined

  /** Throws a `TypeError` for a malformed URL or key. */
  constructor(options: BillhookOptions) {
    const { url, owner, privateKey, signer } = options
    const { timeoutMs = TIMEOUT_MS, retryDelayMs = RETRY_DELAY_MS, attempts = ATTEMPTS } = options
    if (privateKey !== undefined && signer !== undefined) throw new TypeError('give a privateKey or a signer, not both')
    if (!(attempts >= 1)) throw new TypeError('attempts must be 1 or more')
    // Called through a function of its own, because browsers refuse a `fetch` that belongs to another object.
    const send = options.fetch ?? ((...request: Parameters<Fetch>) => fetch(...request))
    this.transport = new Transport({ url, fetch: send, timeoutMs, retryDelayMs, attempts })
    this.signer = privateKey === undefined ? signer && checkedSigner(signer) : keySigner(privateKey)
    this.owner = owner
  }

  /**
   * Creates an invoice. It is safe to lose the answer: the request carries an `Idempotency-Key`, a random one if you give none, and
   * is repeated with it. Give one of your own, kept with the order, if a restart of your program must not create a second invoice.
   */
  async createInvoice(draft: InvoiceDraft, options: { readonly idempotencyKey?: string } = {}): Promise<NewInvoice> {
    const { idempotencyKey = toHex(crypto.getRandomValues(new Uint8Array(IDEMPOTENCY_KEY_BYTES))) } = options
    const body = this.signer === undefined ? { owner: this.#owner(), ...draft } : draft
    const created = await this.#read<CreatedInvoice>({ tag: 'POST /api/invoices', body, idempotencyKey })
    return { ...created, pageUrl: this.transport.url + created.url }
  }

  /** The record and its payment at this moment. */
  getInvoice(id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<InvoiceWithPayment> {
    return this.#read({ tag: 'GET /api/invoices/:id', params: { id }, signal })
  }

  /** Ends an invoice that should no longer be paid. */
  voidInvoice(id: string): Promise<InvoiceWithPayment> {
    const body = this.signer === undefined ? { body: { owner: this.#owner() } } : {}
    return this.#read({ tag: 'POST /api/invoices/:id/void', params: { id }, ...body })
  }

  /** The invoices of the owner with their payments, newest first. Pages are read as you go on. */
  listInvoices({
    pageSize,
    createdAfter,
    createdBefore,
    ...equal
  }: InvoiceFilter = {}): AsyncGenerator<InvoiceWithPayment, void> {
    const times = { createdAfter: createdAfter?.toString(), createdBefore: createdBefore?.toString() }
    return this.#pages('GET /api/users/:id/invoices', { include: 'payment', ...equal, ...times }, pageSize)
  }

  /** The records without their payments, as `listInvoices`. Cheaper for the service. */
  listInvoiceRecords({ pageSize }: ListOptions = {}): AsyncGenerator<Invoice, void> {
    return this.#pages('GET /api/users/:id/invoices', {}, pageSize)
  }

  /**
   * Resolves when the invoice is paid. Rejects with the code `invoice_void` once it is void or expired, with `wait_timeout` after
   * `timeoutMs`, and with the reason of `signal`. By default it looks every two seconds and waits for ever.
   */
  waitForPayment(
    id: string,
    { intervalMs = PAYMENT_INTERVAL_MS, ...wait }: WaitOptions = {},
  ): Promise<InvoiceWithPayment> {
    const look = async (signal: AbortSignal | undefined) => {
      const invoice = await this.getInvoice(id, { signal })
      if (invoice.voided_at !== null) throw new BillhookError('This invoice is no longer payable.', 'invoice_void')
      return invoice.payment.status === 'paid' ? invoice : null
    }
    return poll('The payment', look, { ...wait, intervalMs })
  }

  /**
   * Registers a public key, by default the client's own. A service in strict mode wants the request signed by the identity: give
   * what `identityFromPhrase` answers.
   */
  registerApiKey(draft: ApiKeyDraft, { identity }: { readonly identity?: Signer | undefined } = {}): Promise<ApiKey> {
    const { publicKey = this.signer?.publicKey, permissions = ['invoices:create'], ...more } = draft
    if (publicKey === undefined) throw new TypeError('a client without a key needs the publicKey to register')
    const body = { owner: this.#owner(), publicKey, permissions, ...more }
    return this.#read({ tag: 'POST /api/api-keys', body, signer: identity })
  }

  /** Newest first. */
  listApiKeys(): Promise<ApiKey[]> {
    return this.#read({ tag: 'GET /api/users/:id/api-keys', params: this.#ownerParam() })
  }

  /** Once it has answered, nothing more is created with the key. */
  revokeApiKey(id: string): Promise<ApiKey> {
    return this.#read({ tag: 'POST /api/api-keys/:id/revoke', params: { id }, body: { owner: this.#owner() } })
  }

  getWebhook(): Promise<Webhook> {
    return this.#read({ tag: 'GET /api/users/:id/webhook', params: this.#ownerParam() })
  }

  putWebhook(settings: PutWebhookRequest): Promise<Webhook> {
    return this.#read({ tag: 'PUT /api/users/:id/webhook', params: this.#ownerParam(), body: settings })
  }

  deleteWebhook(): Promise<{ readonly deleted: boolean }> {
    return this.#read({ tag: 'DELETE /api/users/:id/webhook', params: this.#ownerParam() })
  }

  rotateWebhookSecret(options: RotateWebhookSecretRequest = {}): Promise<Webhook> {
    return this.#read({ tag: 'POST /api/users/:id/webhook/rotate', params: this.#ownerParam(), body: options })
  }

  /** Sends one webhook at once and answers how it went. */
  testWebhook(): Promise<TestDelivery> {
    return this.#read({ tag: 'POST /api/users/:id/webhook/test', params: this.#ownerParam() })
  }

  /** The deliveries of the owner, newest first. Pages are read as you go on. */
  listDeliveries({ pageSize }: ListOptions = {}): AsyncGenerator<Delivery, void> {
    return this.#pages('GET /api/users/:id/webhook/deliveries', {}, pageSize)
  }

  redeliver(deliveryId: string): Promise<Delivery> {
    const params = { ...this.#ownerParam(), deliveryId }
    return this.#read({ tag: 'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver', params })
  }

  /**
   * What happened to the owner, oldest first, up to the last event so far. Pages are read as you go on. Keep the `id` of each event
   * with what you did about it, and give the last one as `after` the next time. `events_removed` means that some are gone.
   */
  listEvents({ after, pageSize }: EventOptions = {}): AsyncGenerator<Event, void> {
    return this.#pages('GET /api/users/:id/events', {}, pageSize, { name: 'after', first: after })
  }

  /** `ledger_unreachable` means that it is not known. */
  async identityExists(
    id: string = this.#owner(),
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    const call = { tag: 'GET /api/identity/:id/exists', params: { id }, signer: undefined, signal } as const
    return (await this.#read<IdentityExistsAnswer>(call)).exists
  }

  /**
   * Resolves when the service knows that the owner exists, so that a key can be registered in strict mode. A service that only its
   * gateway tells of the ledger learns of an onboarding a moment later.
   */
  async waitForIdentity({ intervalMs = IDENTITY_INTERVAL_MS, ...wait }: WaitOptions = {}): Promise<void> {
    const owner = this.#owner()
    const look = async (signal: AbortSignal | undefined) => (await this.identityExists(owner, { signal })) || null
    await poll('The onboarding of the identity', look, { ...wait, intervalMs })
  }

  /** Hands out a wallet that is nobody's yet. Assign it at the ledger within ten minutes. */
  claimWallet(network: 'TRX-NILE' | 'SEP'): Promise<ClaimedWallet> {
    const tag = network === 'SEP' ? 'GET /api/wallets/claim/sep/eth' : 'GET /api/wallets/claim/niles/trx'
    return this.#read({ tag, signer: undefined, hasEffect: true })
  }

  /** The wallets of the owner, newest first. */
  listWallets({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Wallet[]> {
    return this.#read({ tag: 'GET /api/users/:id/wallets', params: this.#ownerParam(), signal })
  }

  /** Resolves when the service knows the wallet as the owner's, with its address, so that it can be invoiced on. */
  waitForWallet(id: string, { intervalMs = WALLET_INTERVAL_MS, ...wait }: WaitOptions = {}): Promise<Wallet> {
    const look = async (signal: AbortSignal | undefined) => {
      const wallets = await this.listWallets({ signal })
      return wallets.find((wallet) => wallet.id === id && wallet.address !== null) ?? null
    }
    return poll('The assignment of the wallet', look, { ...wait, intervalMs })
  }

  /** What clients must know: the version, the modes, the networks, and how the ledger is used. */
  getInfo(): Promise<Info> {
    return this.#read({ tag: 'GET /api/info', signer: undefined })
  }

  /** What the ledger steps need to know of a sandbox. */
  describeSandbox(): Promise<DescribeSandboxAnswer> {
    return this.#read({ tag: 'GET /sandbox', signer: undefined })
  }

  /** Pays at a sandbox. */
  simulateDeposit(deposit: SimulateDepositRequest): Promise<Deposit> {
    return this.#read({ tag: 'POST /sandbox/deposits', body: deposit, signer: undefined })
  }

  /**
   * Any request of the reference, as the other methods send theirs: signed by the client's key, unless the call names another signer or
   * `undefined`, and repeated under the same rule.
   */
  request(call: Call): Promise<Reply> {
    return this.transport.call({ signer: this.signer, ...call })
  }

  #owner(): string {
    if (this.owner === undefined) throw new TypeError('this needs a client that was given its owner')
    return this.owner
  }

  #ownerParam(): { readonly id: string } {
    return { id: this.#owner() }
  }

  async #read<T>(call: Call): Promise<T> {
    return (await this.request(call)).body as T
  }

  async *#pages<T>(
    tag: Call['tag'],
    query: Readonly<Record<string, string | undefined>>,
    pageSize = PAGE_SIZE,
    { name, first }: { readonly name: string; readonly first?: string | undefined } = { name: 'cursor' },
  ): AsyncGenerator<T, void> {
    const limit = String(pageSize)
    let cursor = first ?? null
    do {
      const page: Reply = await this.request({
        tag,
        params: this.#ownerParam(),
        query: { ...query, limit, [name]: cursor ?? undefined },
      })
      yield* page.body as T[]
      cursor = page.next
    } while (cursor !== null)
  }
}
