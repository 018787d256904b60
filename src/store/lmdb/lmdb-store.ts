import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.js'
import type { ApiKey, ApiKeyRegistration } from '../../domain/api-key.js'
import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../../domain/block.js'
import type { Deposit } from '../../domain/deposit.js'
import { type Outcome, refuse, succeed } from '../../domain/failure.js'
import type { IdempotentRequest } from '../../domain/idempotency.js'
import type { Invoice } from '../../domain/invoice.js'
import type { EventOutcome, LedgerFact, UnreadableFact } from '../../domain/ledger-fact.js'
import type { LedgerMemory, LedgerStep } from '../../domain/ledger-progress.js'
import type { Network, TokenDecimals } from '../../domain/network.js'
import type { RetryDecision } from '../../domain/retry.js'
import type { ClaimedWallet, FlawOfAddress, Wallet } from '../../domain/wallet.js'
import type { Delivery, DeliveryResult, WebhookConfiguration, WebhookPayload } from '../../domain/webhook.js'
import type { SigningSecrets } from '../../domain/webhook-secret.js'
import { StartError } from '../../start-error.js'
import type { ChainPort } from '../chain.js'
import type {
  CommandPort,
  CreationTerms,
  DepositCommand,
  DepositResult,
  InvoiceCommand,
  InvoiceResult,
  Settled,
  VoidCommand,
  WalletCommand,
  WalletResult,
} from '../commands.js'
import type { CommitObserver } from '../commit-observer.js'
import type { DepositPort } from '../deposits.js'
import type { IdentityPort } from '../identities.js'
import type { InvoicePort, InvoiceWithPayment } from '../invoices.js'
import type { KeyPort } from '../keys.js'
import type { LedgerEvent, LedgerPort } from '../ledger.js'
import type {
  LaneKey,
  LaneOfOwner,
  OldestQueued,
  OutboxDepth,
  OutboxPort,
  OwedDelivery,
  Redelivery,
} from '../outbox.js'
import type { Page, PageOf } from '../pages.js'
import type { Store } from '../store.js'
import type { WalletPort } from '../wallets.js'
import type { WebhookPort } from '../webhooks.js'
import { ApiKeys } from './api-keys.js'
import { BlockRows } from './block-rows.js'
import { Chains } from './chains.js'
import { CommitLoop } from './commit-loop.js'
import { DATA_FILE, flawOfDataFile } from './data-file.js'
import { DepositRows } from './deposit-rows.js'
import { Deposits } from './deposits.js'
import { type DirectoryLock, lockDirectory } from './directory-lock.js'
import { Events } from './events.js'
import { Expiries } from './expiries.js'
import { IdempotencyKeys } from './idempotency.js'
import { Identities } from './identities.js'
import { InvoiceAnswers, idBytes } from './invoice-answers.js'
import { InvoiceIndex } from './invoice-index.js'
import { InvoiceRows } from './invoice-rows.js'
import { Invoices } from './invoices.js'
import { LedgerRows } from './ledger-rows.js'
import { Matches } from './matches.js'
import { OpenInvoices } from './open-invoices.js'
import { Outbox } from './outbox.js'
import { PaidInvoices } from './paid-invoices.js'
import { Payees } from './payees.js'
import { Payments } from './payments.js'
import { prepareSchema } from './schema.js'
import { Sequences } from './sequences.js'
import { SignedCreations } from './signed-creations.js'
import { type Environment, openEnvironment, type Tables } from './tables.js'
import { WalletSets } from './wallet-sets.js'
import { toWallet, Wallets } from './wallets.js'
import { WatchedAddressLists } from './watched-addresses.js'
import { WebhookBodies } from './webhook-bodies.js'
import { WebhookConfigurations } from './webhook-configurations.js'

/** What a probe of the disk writes: more than the free pages that are left here and there in a full file. */
const PROBE_KEY = Buffer.from('probe')
const PROBE_BYTES = 262_144

/** Interrupted attempts that are ended in one transaction at start. */
const INTERRUPTED_BATCH = 1000

const INTERRUPTED: DeliveryResult = {
  kind: 'failed',
  reason: 'interrupted',
  detail: 'the service stopped before the outcome was known',
  durationMs: 0,
}

const NO_TERMS: CreationTerms = {}

/** What the store is given instead of taking it from the world. */
export interface LmdbStoreOptions {
  /** The data directory; made when it is not there. */
  readonly directory: string
  readonly clock: Clock
  readonly tokenDecimals: TokenDecimals
  /** Asked when a wallet becomes known at an address. */
  readonly flawOfAddress: FlawOfAddress
  /** Whether several unpaid invoices of a currency may share a wallet (decisions 6). */
  readonly areWalletsShared: boolean
  /** 16 time-ordered bytes whose first 6 are `nowMs`. */
  readonly newId: (nowMs: number) => Buffer
  /** 16 hex characters. */
  readonly randomKeyId: () => string
  /** 64 hex characters. */
  readonly randomSecretHex: () => string
  readonly commitObserver?: CommitObserver
}

/**
 * Opens the store in a directory that no other process uses. Throws `StartError` when the directory is taken, cannot be
 * used, or holds something else.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LmdbStore> {
  const lock = lockDirectory(options.directory)
  let root: Environment | undefined
  try {
    root = openOrExplain(options.directory)
    return new LmdbStore(await prepareSchema(root, options.directory), lock, options)
  } catch (error) {
    await root?.close()
    lock.release()
    throw error
  }
}

function openOrExplain(directory: string): Environment {
  try {
    const flaw = flawOfDataFile(directory)
    if (flaw !== null) throw new Error(flaw)
    return openEnvironment(directory)
  } catch (error) {
    const what = existsSync(join(directory, DATA_FILE)) ? 'holds a damaged or foreign database' : 'cannot be used'
    throw new StartError(`the data directory ${directory} ${what}: ${(error as Error).message}`)
  }
}

/** The store on LMDB: one process, one directory, one writer, readers that never wait. */
export class LmdbStore implements Store {
  private readonly engine: Engine

  constructor(tables: Tables, lock: DirectoryLock, options: LmdbStoreOptions) {
    this.engine = new Engine(tables, lock, options)
  }

  readonly commands = {
    perform: (batch: readonly WalletCommand[]) => this.engine.perform(batch),
    answerWithoutTurn: (command: InvoiceCommand) => this.engine.answerWithoutTurn(command),
    removeExpiredRequests: (limit: number) => this.engine.removeExpiredRequests(limit),
  } satisfies CommandPort
  readonly keys = {
    register: (registration: ApiKeyRegistration) => this.engine.registerApiKey(registration),
    revoke: (id: string, owner: string) => this.engine.revokeApiKey(id, owner),
    find: (publicKey: Uint8Array) => this.engine.apiKey(publicKey),
    page: (owner: string, page: Page) => this.engine.apiKeys(owner, page),
  } satisfies KeyPort
  readonly identities = {
    isKnown: (owner: string) => this.engine.isIdentityKnown(owner),
    remember: (owner: string) => this.engine.rememberIdentity(owner),
  } satisfies IdentityPort
  readonly wallets = {
    find: (id: string) => this.engine.wallet(id),
    at: (network: Network, address: string) => this.engine.walletAt(network, address),
    page: (owner: string, page: Page) => this.engine.wallets(owner, page),
    claim: (network: Network, leaseMs: number) => this.engine.claimWallet(network, leaseMs),
    countUnassigned: (network: Network) => this.engine.unassignedWallets(network),
    countClaimable: (network: Network, limit: number) => this.engine.claimableWallets(network, limit),
  } satisfies WalletPort
  readonly invoices = {
    find: (id: string) => this.engine.invoice(id),
    findWithPayment: (id: string) => this.engine.invoiceWithPayment(id),
    findByReference: (reference: string) => this.engine.invoiceByReference(reference),
    page: (owner: string, page: Page) => this.engine.invoices(owner, page),
    pageWithPayment: (owner: string, page: Page) => this.engine.invoicesWithPayment(owner, page),
  } satisfies InvoicePort
  readonly deposits = {
    find: (network: Network, txHash: string, index: number) => this.engine.deposit(network, txHash, index),
    page: (network: Network, page: Page) => this.engine.deposits(network, page),
  } satisfies DepositPort
  readonly chain = {
    position: (network: Network) => this.engine.chain(network),
    blockAt: (network: Network, height: number) => this.engine.blockAt(network, height),
    addressesOf: (step: ChainStep) => this.engine.addressesOf(step),
    watched: (network: Network) => this.engine.watched(network),
  } satisfies ChainPort
  readonly outbox = {
    find: (id: string) => this.engine.delivery(id),
    page: (owner: string, page: Page) => this.engine.deliveries(owner, page),
    queuedLanes: () => this.engine.queuedLanes(),
    queued: (lane: LaneKey, after: string | null, limit: number) => this.engine.queuedDeliveries(lane, after, limit),
    markAttempted: (ids: readonly string[]) => this.engine.markAttempted(ids),
    recordResult: (id: string, result: DeliveryResult, retry: RetryDecision) =>
      this.engine.recordResult(id, result, retry),
    settleInterrupted: (retry: RetryDecision) => this.engine.settleInterrupted(retry),
    nextRetryAt: () => this.engine.nextRetryAt(),
    releaseRetries: (attemptsMax: number, limit: number) => this.engine.releaseRetries(attemptsMax, limit),
    redeliver: (owner: string, id: string) => this.engine.redeliver(owner, id),
    removeSettledBefore: (timeMs: number, limit: number) => this.engine.removeSettledBefore(timeMs, limit),
    depth: () => this.engine.outboxDepth(),
    oldestQueued: (after: LaneKey | null, lanes: number) => this.engine.oldestQueued(after, lanes),
  } satisfies OutboxPort
  readonly webhooks = {
    find: (owner: string) => this.engine.webhook(owner),
    put: (owner: string, callbackUrl: string, payload?: WebhookPayload) =>
      this.engine.putWebhook(owner, callbackUrl, payload),
    rotate: (owner: string, overlapMs: number) => this.engine.rotateWebhookSecret(owner, overlapMs),
    delete: (owner: string) => this.engine.deleteWebhook(owner),
    secrets: (owner: string) => this.engine.webhookSecrets(owner),
  } satisfies WebhookPort
  readonly ledger = {
    applyFacts: (batch: readonly LedgerEvent[]) => this.engine.applyLedgerFacts(batch),
    memory: () => this.engine.ledgerMemory(),
    saveStep: (step: LedgerStep) => this.engine.saveLedgerStep(step),
    removeEventsBefore: (timeMs: number, limit: number) => this.engine.removeEventsBefore(timeMs, limit),
  } satisfies LedgerPort

  probeWrite(): Promise<void> {
    return this.engine.probeWrite()
  }

  isOpen(): boolean {
    return this.engine.isOpen()
  }

  close(): Promise<void> {
    return this.engine.close()
  }
}

class Engine {
  private readonly identities: Identities
  private readonly wallets_: Wallets
  private readonly walletSets: WalletSets
  private readonly apiKeys_: ApiKeys
  private readonly invoices_: Invoices
  private readonly answers: InvoiceAnswers
  private readonly depositRows: DepositRows
  private readonly deposits_: Deposits
  private readonly blocks: BlockRows
  private readonly chains: Chains
  private readonly watchedAddresses: WatchedAddressLists
  private readonly webhooks: WebhookConfigurations
  private readonly outbox: Outbox
  private readonly events: Events
  private readonly idempotencyKeys: IdempotencyKeys
  private readonly ledgerRows: LedgerRows
  private readonly signedCreations: SignedCreations
  private readonly commits: CommitLoop
  private readonly clock: Clock
  private closing: Promise<void> | null = null

  constructor(
    private readonly tables: Tables,
    private readonly lock: DirectoryLock,
    private readonly options: LmdbStoreOptions,
  ) {
    this.clock = options.clock
    const sequences = new Sequences(tables.meta)
    const payees = new Payees(tables, sequences)
    const rows = new InvoiceRows(tables, payees)
    this.identities = new Identities(tables, sequences)
    this.wallets_ = new Wallets(tables, sequences, this.identities, options.flawOfAddress)
    this.apiKeys_ = new ApiKeys(tables, sequences, this.identities, options.randomKeyId)
    const payments = new Payments(tables, this.wallets_)
    this.walletSets = new WalletSets(tables)
    const index = new InvoiceIndex(
      rows,
      payees,
      this.wallets_,
      payments,
      new OpenInvoices(tables, this.walletSets),
      new PaidInvoices(tables),
      new Matches(tables),
    )
    const expiries = new Expiries(tables)
    this.invoices_ = new Invoices(
      tables,
      rows,
      this.identities,
      this.wallets_,
      payees,
      index,
      expiries,
      payments,
      options.areWalletsShared,
    )
    this.answers = new InvoiceAnswers(rows, payments)
    this.webhooks = new WebhookConfigurations(tables, this.identities, options.randomSecretHex)
    this.outbox = new Outbox(tables, this.identities)
    this.events = new Events(tables)
    this.idempotencyKeys = new IdempotencyKeys(tables)
    this.ledgerRows = new LedgerRows(tables)
    this.signedCreations = new SignedCreations(tables)
    this.depositRows = new DepositRows(tables.deposits)
    this.deposits_ = new Deposits(
      tables,
      this.depositRows,
      sequences,
      this.wallets_,
      rows,
      index,
      this.webhooks,
      new WebhookBodies(this.webhooks, payments),
      this.outbox,
      options.tokenDecimals,
    )
    this.blocks = new BlockRows(tables)
    this.chains = new Chains(this.blocks, this.depositRows, this.deposits_, options.tokenDecimals)
    this.watchedAddresses = new WatchedAddressLists(tables, this.wallets_)
    const hooks = {
      beforeCommit: () => sequences.save(),
      afterAbort: () => {
        sequences.forget()
        payees.forget()
        this.walletSets.forget()
        this.apiKeys_.forget()
        expiries.forget()
        this.identities.forget()
        this.wallets_.forget()
      },
    }
    this.commits = new CommitLoop(tables.root, hooks, options.commitObserver)
  }

  perform(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]> {
    if (!areInvoices(batch)) return this.performInPieces(batch)
    return this.commits.runAllAdmitted(batch.map((command) => () => this.createInvoice(command, this.begin())))
  }

  answerWithoutTurn({ request, terms }: InvoiceCommand): InvoiceResult | null {
    if (this.wallets_.areAllOf(request.owner, request.walletIds)) return null
    const earlier = this.answerOfEarlier(terms?.idempotency, this.clock.now())
    return earlier ?? { type: 'invoice', outcome: refuse('wallet_not_owned'), isReplay: false }
  }

  async applyLedgerFacts(batch: readonly LedgerEvent[]): Promise<readonly Settled<EventOutcome>[]> {
    const fates = await this.commits.runAll(
      batch.map(
        ({ eventId, fact }) =>
          () =>
            this.applyEvent(eventId, fact),
      ),
    )
    for (const { fact } of batch) {
      if (fact.type === 'identity.onboarded' || fact.type === 'unreadable') continue
      if (fact.network === null || fact.address === null) continue
      this.watchedAddresses.learned(fact.network, fact.address)
    }
    return fates
  }

  registerApiKey(registration: ApiKeyRegistration): Promise<Outcome<ApiKey>> {
    return this.commits.run(() => this.apiKeys_.register(registration, this.clock.now()))
  }

  revokeApiKey(id: string, owner: string): Promise<Outcome<ApiKey>> {
    return this.commits.run(() => this.apiKeys_.revoke(id, owner, this.clock.now()))
  }

  claimWallet(network: Network, leaseMs: number): Promise<ClaimedWallet | null> {
    return this.commits.run(() => this.wallets_.claim(network, this.clock.now(), leaseMs))
  }

  async rememberIdentity(owner: string): Promise<void> {
    await this.commits.run(() => this.identities.markKnown(owner))
  }

  putWebhook(owner: string, callbackUrl: string, payload?: WebhookPayload): Promise<WebhookConfiguration> {
    return this.commits.run(() => this.webhooks.put(owner, callbackUrl, payload, this.clock.now()))
  }

  rotateWebhookSecret(owner: string, overlapMs: number): Promise<WebhookConfiguration> {
    return this.commits.run(() => this.webhooks.rotate(owner, overlapMs, this.clock.now()))
  }

  deleteWebhook(owner: string): Promise<boolean> {
    return this.commits.run(() => this.webhooks.delete(owner))
  }

  webhookSecrets(owner: string): Promise<SigningSecrets> {
    const known = this.webhooks.secrets(owner, this.clock.now())
    if (known !== null) return Promise.resolve(known)
    return this.commits.runAdmitted(() => this.webhooks.secretsOnDemand(owner, this.clock.now()))
  }

  apiKey(publicKey: Uint8Array): ApiKey | undefined {
    return this.apiKeys_.find(publicKey)
  }

  apiKeys(owner: string, page: Page): PageOf<ApiKey> {
    return this.apiKeys_.pageOf(owner, page)
  }

  invoice(id: string): Invoice | undefined {
    const bytes = idBytes(id)
    return bytes === undefined ? undefined : this.invoices_.find(bytes)
  }

  invoiceWithPayment(id: string): InvoiceWithPayment | undefined {
    return this.answers.find(id, this.clock.now())
  }

  invoices(owner: string, page: Page): PageOf<Invoice> {
    return this.invoices_.pageOf(owner, page)
  }

  invoicesWithPayment(owner: string, page: Page): PageOf<InvoiceWithPayment> {
    return this.invoices_.pageWithPayments(owner, page, this.clock.now())
  }

  invoiceByReference(reference: string): Invoice | undefined {
    return this.invoices_.byReference(reference)
  }

  wallet(id: string): Wallet | undefined {
    const row = this.wallets_.find(id)
    return row === undefined ? undefined : toWallet(row)
  }

  walletAt(network: Network, address: string): Wallet | undefined {
    const row = this.wallets_.at(network, address)
    return row === undefined ? undefined : toWallet(row)
  }

  wallets(owner: string, page: Page): PageOf<Wallet> {
    return this.wallets_.pageOf(owner, page)
  }

  claimableWallets(network: Network, limit: number): number {
    return this.wallets_.countClaimable(network, this.clock.now(), limit)
  }

  unassignedWallets(network: Network): number {
    return this.wallets_.countUnassigned(network)
  }

  isIdentityKnown(owner: string): boolean {
    return this.identities.isKnown(owner)
  }

  webhook(owner: string): WebhookConfiguration {
    return this.webhooks.of(owner)
  }

  deposit(network: Network, txHash: string, index: number): Deposit | undefined {
    return this.depositRows.find(network, txHash, index)
  }

  deposits(network: Network, page: Page): PageOf<Deposit> {
    return this.depositRows.pageOf(network, page)
  }

  chain(network: Network): ChainPosition | undefined {
    return this.blocks.position(network)
  }

  blockAt(network: Network, height: number): BlockHead | undefined {
    return this.blocks.headAt(network, height)
  }

  addressesOf(step: ChainStep): readonly string[] {
    return this.chains.addressesOf(step)
  }

  watched(network: Network): WatchedAddresses {
    return this.watchedAddresses.of(network)
  }

  queuedLanes(): readonly LaneOfOwner[] {
    return this.outbox.lanes()
  }

  queuedDeliveries(lane: LaneKey, after: string | null, limit: number): readonly Delivery[] {
    return this.outbox.queued(lane, after, limit)
  }

  delivery(id: string): Delivery | undefined {
    const bytes = idBytes(id)
    return bytes === undefined ? undefined : this.outbox.find(bytes)
  }

  deliveries(owner: string, page: Page): PageOf<Delivery> {
    return this.outbox.pageOf(owner, page)
  }

  markAttempted(ids: readonly string[]): Promise<readonly boolean[]> {
    // One unit: were some marked and the call rejected, the caller would not send them and nobody else ever would.
    return this.commits.runAdmitted(() =>
      ids.map((id) => this.outbox.markAttempted(Buffer.from(id, 'hex'), this.clock.now())),
    )
  }

  recordResult(id: string, result: DeliveryResult, retry: RetryDecision): Promise<number | null> {
    return this.commits.runAdmitted(() => this.outbox.endAttempt(Buffer.from(id, 'hex'), result, retry))
  }

  nextRetryAt(): number | null {
    return this.outbox.firstDueAt()
  }

  releaseRetries(attemptsMax: number, limit: number): Promise<readonly OwedDelivery[]> {
    return this.commits.runAdmitted(() => this.outbox.release(this.clock.now(), attemptsMax, limit))
  }

  redeliver(owner: string, id: string): Promise<Outcome<Redelivery>> {
    const bytes = idBytes(id)
    if (bytes === undefined) return Promise.resolve(refuse('delivery_not_found'))
    return this.commits.run(() => this.outbox.redeliver(owner, bytes, this.clock.now()))
  }

  async settleInterrupted(retry: RetryDecision): Promise<number> {
    let settled = 0
    for (;;) {
      const count = await this.commits.runAdmitted(() => {
        const ids = this.outbox.unsettled(INTERRUPTED_BATCH)
        for (const id of ids) {
          this.outbox.endAttempt(id, INTERRUPTED, retry)
        }
        return ids.length
      })
      settled += count
      if (count < INTERRUPTED_BATCH) return settled
    }
  }

  removeSettledBefore(timeMs: number, limit: number): Promise<number> {
    return this.commits.run(() => this.outbox.removeSettledBefore(timeMs, limit))
  }

  removeEventsBefore(timeMs: number, limit: number): Promise<number> {
    return this.commits.run(() => this.events.removeBefore(timeMs, limit))
  }

  removeExpiredRequests(limit: number): Promise<number> {
    return this.commits.run(() => {
      const now = this.clock.now()
      const keys = this.idempotencyKeys.removeExpired(now, limit)
      return keys === limit ? keys : keys + this.signedCreations.removeExpired(now, limit - keys)
    })
  }

  outboxDepth(): OutboxDepth {
    return this.outbox.depth()
  }

  oldestQueued(after: LaneKey | null, lanes: number): OldestQueued {
    return this.outbox.oldest(after, lanes)
  }

  ledgerMemory(): LedgerMemory | undefined {
    return this.ledgerRows.read()
  }

  saveLedgerStep(step: LedgerStep): Promise<void> {
    return this.commits.runAdmitted(() => this.ledgerRows.write(step))
  }

  async probeWrite(): Promise<void> {
    const { meta } = this.tables
    await this.commits.runAdmitted(() => meta.putSync(PROBE_KEY, Buffer.alloc(PROBE_BYTES)))
    await this.commits.runAdmitted(() => meta.removeSync(PROBE_KEY))
  }

  isOpen(): boolean {
    return this.closing === null
  }

  close(): Promise<void> {
    this.closing ??= this.finish()
    return this.closing
  }

  /** Performs commands in order, in more than one commit when one of them has to wait: it holds up those behind it. */
  private async performInPieces(batch: readonly WalletCommand[]): Promise<readonly Settled<WalletResult>[]> {
    const fates: Settled<WalletResult>[] = []
    while (fates.length < batch.length) {
      let isHeldUp = false
      const units = batch.slice(fates.length).map((command) => () => {
        const result = isHeldUp ? null : this.performOne(command)
        isHeldUp = result === null
        return result
      })
      for (const fate of await this.commits.runAllAdmitted(units)) {
        if (fate.status === 'rejected') fates.push(fate)
        else if (fate.value !== null) fates.push({ status: 'fulfilled', value: fate.value })
        else break
      }
    }
    // Not before: until the commit is durable readers see the invoice as it was, and may keep it so.
    for (const command of batch) if (command.type === 'void') this.answers.forget(command.invoiceId)
    return fates
  }

  private async finish(): Promise<void> {
    await this.commits.close()
    await this.tables.root.close()
    this.lock.release()
  }

  /** The time of a command, in a transaction in which what is due by then has expired. */
  private begin(): number {
    const now = this.clock.now()
    this.invoices_.expireDue(now)
    return now
  }

  /** Runs in a transaction. Null when the command has to wait for another one. */
  private performOne(command: WalletCommand): WalletResult | null {
    const now = this.begin()
    switch (command.type) {
      case 'invoice':
        return this.createInvoice(command, now)
      case 'void':
        return { type: 'void', outcome: this.voidInvoice(command, now) }
      case 'chain':
        if (!this.chains.settle(command.step, now)) return null
        return { type: 'chain', ...this.chains.take(command.step, now, this.options.newId) }
      case 'deposit':
        return this.recordDeposit(command, now)
    }
  }

  private recordDeposit(command: DepositCommand, now: number): DepositResult | null {
    const flaw = this.events.flawOf(command.eventId)
    if (flaw !== null) return { type: 'deposit', outcome: { status: 'rejected', error: flaw }, owed: [] }
    const answered = this.events.answerTo(command.eventId)
    if (answered !== null) {
      const outcome = answered.status === 'duplicate' ? { ...answered, deposit: null } : answered
      return { type: 'deposit', outcome, owed: [] }
    }
    if (!this.deposits_.settle([command.fact.sighting], now)) return null
    const recorded = this.deposits_.record(command.fact, now, this.options.newId)
    this.events.remember(command.eventId, recorded.outcome, now)
    return { type: 'deposit', ...recorded }
  }

  private createInvoice({ request, terms = NO_TERMS }: InvoiceCommand, now: number): InvoiceResult {
    const { authority, idempotency, signed } = terms
    const denied = this.apiKeys_.refusalOf(authority, now)
    if (denied !== null) return { type: 'invoice', outcome: { ok: false, failure: denied }, isReplay: false }
    const earlier = this.answerOfEarlier(idempotency, now)
    if (earlier !== null) return earlier
    const isRepeated = () => signed !== undefined && this.signedCreations.has(signed)
    const outcome = this.invoices_.create(request, now, this.options.newId, isRepeated)
    if (outcome.ok && signed !== undefined) this.signedCreations.remember(signed)
    if (outcome.ok && idempotency !== undefined) {
      this.idempotencyKeys.remember(idempotency, Buffer.from(outcome.value.id, 'hex'), now)
    }
    return { type: 'invoice', outcome, isReplay: false }
  }

  /** What an idempotency key answers that an invoice was created under; null when there is none. */
  private answerOfEarlier(idempotency: IdempotentRequest | undefined, now: number): InvoiceResult | null {
    const earlier = idempotency === undefined ? undefined : this.idempotencyKeys.find(idempotency, now)
    if (earlier === undefined) return null
    if (!earlier.isSameBody) return { type: 'invoice', outcome: refuse('idempotency_key_reused'), isReplay: false }
    const invoice = this.invoices_.find(earlier.invoiceId)
    if (invoice === undefined) throw new Error('an idempotency key names an invoice that is not there')
    return { type: 'invoice', outcome: succeed(invoice), isReplay: true }
  }

  private voidInvoice({ invoiceId, owner, authority }: VoidCommand, now: number): Outcome<InvoiceWithPayment> {
    const denied = this.apiKeys_.refusalOf(authority, now)
    if (denied !== null) return { ok: false, failure: denied }
    const id = idBytes(invoiceId)
    return id === undefined ? refuse('invoice_not_found') : this.invoices_.void(id, owner, now)
  }

  private applyFact(fact: LedgerFact, now: number): EventOutcome {
    if (fact.type !== 'identity.onboarded') this.walletSets.depositsChanged(fact.id)
    return this.wallets_.apply(fact, now)
  }

  private applyEvent(eventId: string | null, fact: LedgerFact | UnreadableFact): EventOutcome {
    const outcome = this.once(eventId, (now) =>
      fact.type === 'unreadable' ? { status: 'rejected', error: fact.error } : this.applyFact(fact, now),
    )
    if (outcome.status === 'duplicate' && fact.type === 'wallet.assigned') this.wallets_.noteDate(fact)
    return outcome
  }

  private once(eventId: string | null, apply: (nowMs: number) => EventOutcome): EventOutcome {
    const flaw = this.events.flawOf(eventId)
    if (flaw !== null) return { status: 'rejected', error: flaw }
    const answered = this.events.answerTo(eventId)
    if (answered !== null) return answered
    const now = this.clock.now()
    const outcome = apply(now)
    this.events.remember(eventId, outcome, now)
    return outcome
  }
}

function areInvoices(batch: readonly WalletCommand[]): batch is readonly InvoiceCommand[] {
  return batch.every(({ type }) => type === 'invoice')
}
