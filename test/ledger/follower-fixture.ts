import { createHash } from 'node:crypto'
import type { IncomingEvent } from '../../src/actors/intake.js'
import { isObject } from '../../src/base/json-object.js'
import type { Secp256k1Engine } from '../../src/crypto/secp256k1.js'
import { type KeyHistory, keySet } from '../../src/domain/key-history.js'
import type { EventOutcome, LedgerFact } from '../../src/domain/ledger-fact.js'
import type { LedgerMemory, LedgerStep, ListedTransaction, SetAside } from '../../src/domain/ledger-progress.js'
import type { WithdrawalFact } from '../../src/domain/withdrawal.js'
import type { FollowedContracts } from '../../src/ledger/followed-contracts.js'
import { LedgerFollower } from '../../src/ledger/follower.js'
import {
  type FoundStream,
  type LedgerSource,
  type Listing,
  mergePages,
  type StorePage,
} from '../../src/ledger/ledger-nodes.js'
import { streamIdOf } from '../../src/ledger/ledger-transaction.js'
import type { NodeAnswer } from '../../src/ledger/node-http.js'
import type { FreeWallets } from '../../src/ledger/pool-check.js'
import type { SilentNode } from '../../src/ledger/read-apis.js'
import { createLog } from '../../src/log.js'
import type { Cancel } from '../../src/scheduler.js'
import type { LedgerPort } from '../../src/store/ledger.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { testKey } from '../support/signing.js'

export const POLL_MS = 1000
export const OVERLAP_MS = 600_000
export const FOLLOWED: FollowedContracts = {
  contracts: [
    { role: 'onboard', namespace: 'shop', contract: 'c1' },
    { role: 'assign', namespace: 'shop', contract: 'c2' },
  ],
  onboardingName: 'shop.onboarding',
}

/** The id of a stream that a test calls by a short name. */
export function idOf(name: string): string {
  return Buffer.from(name).toString('hex').padStart(64, '0')
}

/** The name behind an id of `idOf`. */
export function nameOf(id: string): string {
  return Buffer.from(id.replace(/^(00)*/, ''), 'hex').toString()
}

/** The key of whom a test calls by a name, as transactions spell it. */
export function keyOf(name: string): string {
  const known = keys.get(name)
  if (known !== undefined) return known
  const key = `0x${testKey(name).publicKeyHex}`
  keys.set(name, key)
  return key
}

const keys = new Map<string, string>()

/**
 * Signs and verifies by a digest of key and message: a follower verifies thousands of transactions in a test, and what a
 * signature is made of does not matter to it.
 */
export const quickEngine: Secp256k1Engine = {
  name: 'noble',
  isPublicKey: () => true,
  verify: (signature, digest, publicKey) => quickSignature(digest, publicKey).equals(signature),
  uncompress: (publicKey) => publicKey,
}

function quickSignature(digest: Uint8Array, publicKey: Uint8Array): Buffer {
  return createHash('sha256').update(publicKey).update(digest).digest()
}

/** The signature of whom a test calls by a name, for `quickEngine`. */
export function signatureOf(name: string, $tx: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify($tx)).digest()
  return quickSignature(digest, Buffer.from(keyOf(name).slice(2), 'hex')).toString('base64')
}

/** The onboarding of whom a test calls by a name. */
export function onboardTx(name: string) {
  const $tx = { $contract: 'c1', $namespace: 'shop', $i: { otk: { publicKey: keyOf(name), type: 'secp256k1' } } }
  return { $selfsign: true, $sigs: { otk: signatureOf(name, $tx) }, $tx }
}

/** The wallet and the owner by name, signed by the owner unless by somebody else. */
export function assignTx(wallet: string, owner: string, signer: string = owner) {
  const $i = { owner: { $stream: idOf(owner), personal: true } }
  const $tx = { $contract: 'c2', $namespace: 'shop', $i, $o: { wallet: { $stream: idOf(wallet) } } }
  return { $sigs: { [idOf(owner)]: signatureOf(signer, $tx) }, $tx }
}

/** The replacement of the keys of an owner by those of others, by a contract that is not followed. */
export function replaceTx(owner: string, by: readonly string[], signer: string = owner) {
  const $tx = {
    $contract: 'c3',
    $namespace: 'shop',
    $i: { owner: { $stream: idOf(owner), newKeys: by.map((name) => ({ key: keyOf(name) })) } },
  }
  return { $sigs: { [idOf(owner)]: signatureOf(signer, $tx) }, $tx }
}

function bareKeyOf(name: string): string {
  return keyOf(name).slice(2)
}

/** The streams in `$i` or `$o` of a transaction that is not self-signed. */
function streamsIn(transaction: Readonly<Record<string, unknown>> | 'too-long', place: '$i' | '$o'): readonly string[] {
  const tx = transaction === 'too-long' ? null : transaction['$tx']
  const inputs = isObject(tx) ? tx[place] : null
  if (!isObject(inputs)) return []
  return Object.values(inputs).flatMap((one) =>
    isObject(one) && typeof one['$stream'] === 'string' ? [streamIdOf(one['$stream'])] : [],
  )
}

/** A store of the ledger, in the hands of a test. */
interface ScriptedStore {
  readonly rows: ListedTransaction[]
  /** Why it does not answer at present; null when it does. */
  failure: string | null
}

/** A ledger that does what the test wants, in no time. */
export class ScriptedLedger implements LedgerSource {
  readonly nodes: readonly ScriptedStore[]
  /** Transactions that were looked up, in order. */
  readonly lookedUp: string[] = []
  /** The listings that were asked for. */
  readonly asked: { readonly fromMs: number; readonly limit: number }[] = []
  /** Transactions that no node tells at present. */
  readonly hidden = new Set<string>()
  /** Transactions that nodes fail to tell at present. */
  readonly broken = new Set<string>()
  /** Identities whose keys no node tells at present. */
  readonly keyless = new Set<string>()
  /** The transactions that changed a wallet since it was made, by name. */
  readonly changes = new Map<string, string[]>()
  /** Wallets that were asked for, by name. */
  readonly askedFor: string[] = []
  isClosed = false
  readonly readApis = 2
  /** Read APIs that do not answer at present. */
  silentApis: readonly SilentNode[] = []
  private readonly transactions = new Map<string, NodeAnswer>()
  private readonly identities = new Map<string, { authorities: readonly string[]; readonly txs: string[] }>()
  private committed = 0

  constructor(readonly stores = 1) {
    this.nodes = Array.from({ length: stores }, () => ({ rows: [], failure: null }))
  }

  /** What the first store lists. */
  get rows(): ListedTransaction[] {
    return this.nodes[0]?.rows ?? []
  }

  /** Why listings fail at present; null when they do not. */
  set failure(why: string | null) {
    for (const node of this.nodes) node.failure = why
  }

  /** Commits a transaction that arrived then; it is listed, by all stores or some, at the place of its arrival. */
  commit(
    timestampMs: number,
    transaction: Readonly<Record<string, unknown>> | 'too-long',
    umid = this.nextUmid(),
    listedBy: readonly number[] = [...this.nodes.keys()],
  ): string {
    this.committed += 1
    for (const owner of streamsIn(transaction, '$i')) this.identity(nameOf(owner)).txs.push(umid)
    for (const wallet of streamsIn(transaction, '$o')) this.change(nameOf(wallet), umid)
    this.list(timestampMs, umid, listedBy)
    const found = { kind: 'found', value: { ...(transaction as object), $umid: umid } } as const
    this.transactions.set(umid, transaction === 'too-long' ? { kind: 'too-long' } : found)
    return umid
  }

  /** Notes that a transaction has changed a wallet, by name. */
  change(wallet: string, umid: string): void {
    this.changes.set(wallet, [...(this.changes.get(wallet) ?? []), umid])
  }

  /** A committed transaction that no store lists: the id that it got. */
  unlisted(transaction: Readonly<Record<string, unknown>>): string {
    return this.commit(0, transaction, this.nextUmid(), [])
  }

  /** Lists a transaction that was not saved. */
  list(timestampMs: number, umid: string, listedBy: readonly number[] = [...this.nodes.keys()]): void {
    const isBefore = (row: ListedTransaction) =>
      row.timestampMs < timestampMs || (row.timestampMs === timestampMs && row.umid < umid)
    for (const place of listedBy) {
      const rows = this.nodes[place]?.rows ?? []
      rows.splice(rows.findLastIndex(isBefore) + 1, 0, { umid, timestampMs })
    }
  }

  async umids(fromMs: number, limit: number): Promise<Listing> {
    this.asked.push({ fromMs, limit })
    const pages = this.nodes.map(({ rows, failure }, i): StorePage => {
      if (failure !== null) return { node: `store ${i}`, why: failure }
      const first = rows.findLastIndex((row) => row.timestampMs < fromMs) + 1
      return { rows: rows.slice(first, first + limit) }
    })
    return mergePages(pages, limit)
  }

  /** Called with each look-up. */
  onLookUp: () => void = () => undefined

  async transaction(umid: string): Promise<NodeAnswer> {
    this.lookedUp.push(umid)
    this.onLookUp()
    if (this.broken.has(umid)) return { kind: 'unclear', why: 'status 500' }
    if (this.hidden.has(umid)) return { kind: 'missing' }
    return this.transactions.get(umid) ?? { kind: 'missing' }
  }

  async silentReadApis(): Promise<readonly SilentNode[]> {
    return this.silentApis
  }

  async streamOf(identity: string): Promise<FoundStream> {
    const name = nameOf(identity)
    if (this.keyless.has(name)) return { kind: 'missing' }
    const { authorities, txs } = this.identity(name)
    const value = { authorities: keySet(authorities.map(bareKeyOf)), onboarding: bareKeyOf(name), txs: this.tells(txs) }
    return { kind: 'found', value }
  }

  async changesOf(wallet: string): Promise<readonly string[]> {
    this.askedFor.push(nameOf(wallet))
    return this.changes.get(nameOf(wallet)) ?? []
  }

  /** Commits a replacement of the keys of an owner by those of others, all by name. */
  replace(timestampMs: number, owner: string, by: readonly string[], signer: string = owner): string {
    const umid = this.commit(timestampMs, replaceTx(owner, by, signer))
    this.identity(owner).authorities = by
    return umid
  }

  /** An identity by name: who its authorities are, by name, and its transactions. */
  identity(name: string): { authorities: readonly string[]; readonly txs: string[] } {
    const known = this.identities.get(name)
    if (known !== undefined) return known
    // The onboarding, whether it was committed in the test or not.
    const made = { authorities: [name], txs: [createHash('sha256').update(`onboarding ${name}`).digest('hex')] }
    this.identities.set(name, made)
    return made
  }

  /** Whether nodes tell the transactions of identities, and how many at most. */
  toldMax: number | null = Number.POSITIVE_INFINITY

  private tells(txs: readonly string[]): readonly string[] | null {
    return this.toldMax === null ? null : txs.slice(0, this.toldMax)
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  private nextUmid(): string {
    return this.committed.toString(16).padStart(64, '0')
  }
}

/** The part of a service that a follower changes. */
export interface FollowingService {
  readonly ledger: Pick<LedgerPort, 'memory' | 'saveStep' | 'keyHistory' | 'saveKeyHistory'>
  readonly pool: FreeWallets
  apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]>
}

/** A service that fails when the test wants it to. What is in it outlives the follower, like a disk. */
export class ScriptedService implements FollowingService {
  memory: LedgerMemory | undefined
  /** Facts that were applied, in order. */
  readonly applied: IncomingEvent[] = []
  /** Everything that was told, repetitions included. */
  told = 0
  applyFailure: Error | null = null
  saveFailure: Error | null = null
  readonly keyHistories = new Map<string, KeyHistory>()
  /** All withdrawals that were told, repetitions included. */
  readonly withdrawals: WithdrawalFact[] = []
  /** Wallets that were withdrawn, by name, and the transaction that took each last. */
  readonly withdrawn = new Map<string, string>()
  /** Ids of the wallets in the pool; those that have an owner, or were withdrawn, are left out. */
  free: readonly string[] = []
  /** The pool on two networks: its wallets are on the second one. Cursors are numbers of wallets. */
  readonly pool: FreeWallets = {
    networks: ['SEP', 'TRX-NILE'],
    wallets: {
      unassigned: (network, { after, limit }) => {
        const isFree = (id: string) => !this.withdrawn.has(nameOf(id)) && !this.owners().has(nameOf(id))
        const left = network === 'SEP' ? [] : this.free.slice(Number(after ?? 0)).filter(isFree)
        const ids = left.slice(0, limit)
        const wallets = ids.map((id) => ({ id, network, address: id, owner: null, assignedAt: null }))
        const end = this.free.indexOf(ids.at(-1) ?? '') + 1
        return { items: wallets, next: left.length > limit ? String(end) : null }
      },
    },
  }
  private readonly known = new Set<string>()
  private readonly dates = new Map<string, number>()

  async apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]> {
    if (this.applyFailure !== null) throw this.applyFailure
    this.told += events.length
    return events.map((event) => this.applyOne(event))
  }

  readonly ledger: FollowingService['ledger'] = {
    memory: () => this.memory,
    saveStep: (step) => this.save(step),
    keyHistory: (identity) => this.keyHistories.get(identity),
    saveKeyHistory: async (identity, history) => void this.keyHistories.set(identity, history),
  }

  private async save({ progress, taken, setAside, settled }: LedgerStep): Promise<void> {
    if (this.saveFailure !== null) throw this.saveFailure
    const before = this.memory?.progress.origin === progress.origin ? this.memory : undefined
    const again = new Set(taken.map(({ umid }) => umid))
    const kept = (before?.taken ?? []).filter(
      ({ umid, timestampMs }) => timestampMs >= progress.windowMs && !again.has(umid),
    )
    const aside = new Map((before?.setAside ?? []).map((one): [string, SetAside] => [one.umid, one]))
    for (const umid of settled) aside.delete(umid)
    for (const one of setAside) aside.set(one.umid, one)
    this.memory = {
      progress,
      taken: kept.concat(taken.filter(({ timestampMs }) => timestampMs >= progress.windowMs)),
      setAside: [...aside.values()],
    }
  }

  /** The owner of each wallet by what was applied, by name. */
  owners(): ReadonlyMap<string, string> {
    const owners = new Map<string, string>()
    for (const { fact } of this.applied) {
      if (fact.type === 'wallet.assigned') owners.set(nameOf(fact.id), nameOf(fact.owner))
    }
    return owners
  }

  private applyOne(event: IncomingEvent): EventOutcome {
    const { eventId, fact } = event
    if (fact.type === 'wallet.withdrawn') return this.withdraw(fact)
    if (eventId === null || fact.type === 'deposit' || fact.type === 'unreadable') {
      throw new Error('it is no fact of the ledger, or has no id')
    }
    if (this.known.has(eventId) || this.isOvertaken(fact)) return { status: 'duplicate' }
    if (fact.type === 'wallet.assigned' && fact.owner === idOf('')) return { status: 'rejected', error: 'no owner' }
    this.known.add(eventId)
    this.applied.push(event)
    return { status: 'applied' }
  }

  private withdraw(fact: WithdrawalFact): EventOutcome {
    const { id, umid } = fact
    this.withdrawals.push(fact)
    if (this.withdrawn.get(nameOf(id)) === umid || this.owners().has(nameOf(id))) return { status: 'duplicate' }
    this.withdrawn.set(nameOf(id), umid)
    return { status: 'applied' }
  }

  private isOvertaken(fact: LedgerFact): boolean {
    if (fact.type !== 'wallet.assigned' || fact.ledgerMs === undefined) return false
    const known = this.dates.get(fact.id)
    if (known !== undefined && known > fact.ledgerMs) return true
    this.dates.set(fact.id, fact.ledgerMs)
    return false
  }
}

/** Tells when a follower begins a pause. */
export class PauseScheduler extends ManualScheduler {
  private readonly wakes: ((delayMs: number) => void)[] = []

  override after(delayMs: number, task: () => void): Cancel {
    for (const wake of this.wakes.splice(0)) wake(delayMs)
    return super.after(delayMs, task)
  }

  /** The length of the next pause, in milliseconds, once it begins. */
  paused(): Promise<number> {
    return new Promise((resolve) => this.wakes.push(resolve))
  }
}

export interface FollowerFields {
  readonly followed?: FollowedContracts
  readonly origin?: string
  readonly fromMs?: number
  readonly overlapMs?: number
  readonly engine?: Secp256k1Engine
  readonly random?: () => number
  readonly clock?: ManualClock
}

/** A follower in the hands of a test. */
export class FollowerFixture {
  readonly clock: ManualClock
  readonly scheduler = new PauseScheduler()
  /** What was logged, parsed. */
  readonly log: Readonly<Record<string, unknown>>[] = []
  readonly follower: LedgerFollower

  constructor(
    readonly ledger: LedgerSource,
    readonly service: FollowingService,
    fields: FollowerFields = {},
  ) {
    const { followed = FOLLOWED, origin = 'origin', fromMs = 0, overlapMs = OVERLAP_MS } = fields
    const { random = () => 1, engine = quickEngine, clock = new ManualClock() } = fields
    this.clock = clock
    this.follower = new LedgerFollower({
      source: ledger,
      followed,
      origin,
      fromMs,
      overlapMs,
      pollMs: POLL_MS,
      ledger: service.ledger,
      pool: service.pool,
      apply: (events) => service.apply(events),
      engine,
      clock,
      scheduler: this.scheduler,
      random,
      log: createLog('info', { write: (line: string) => this.log.push(JSON.parse(line)) }),
    })
  }

  /** What was logged as a warning or an error, but for wallets that were withdrawn. */
  get complaints(): readonly Readonly<Record<string, unknown>>[] {
    return this.log.filter(({ level, wallet }) => level !== 'info' && wallet === undefined)
  }

  /** Starts, and answers the pause after the first looks. */
  async start(): Promise<number> {
    const paused = this.scheduler.paused()
    this.follower.start()
    return paused
  }

  /** Lets so much time pass and answers the pause after the looks that follow. */
  async pass(ms: number): Promise<number> {
    const paused = this.scheduler.paused()
    this.clock.advance(ms)
    this.scheduler.pass(ms)
    return paused
  }
}

/** Follows from the start until there is nothing more, then stops. */
export async function followOnce(
  ledger: LedgerSource,
  service: FollowingService,
  fields: FollowerFields = {},
): Promise<FollowerFixture> {
  const fixture = new FollowerFixture(ledger, service, fields)
  await fixture.start()
  await fixture.follower.stop()
  return fixture
}
