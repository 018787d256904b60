import { createHash } from 'node:crypto'
import type { IncomingEvent } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { type FollowedContract, standingOf } from '../ledger/followed-contracts.js'
import type { ApplyEvents } from '../ledger/gateway-events.js'
import { isSignedFor, parseLedgerKey } from '../ledger/ledger-signature.js'
import { assignmentFact, ledgerEventId, onboardingFact } from '../ledger/ledger-transaction.js'
import type { Scheduler } from '../scheduler.js'
import type { WalletPort } from '../store/store.js'
import { LedgerArchive } from './ledger-archive.js'
import type { LedgerEntry, LedgerJournal } from './ledger-journal.js'
import { answerOf, failEarly, failLate, failVote, type LedgerAnswer, type Verdict } from './ledger-verdict.js'
import { Postponed } from './postponed.js'
import { parseSubmitted, type SentTransaction, type SubmittedTransaction } from './submitted-transaction.js'

/** Where the simulated contracts are. On a real ledger this is deployment configuration. */
export const LEDGER_NAMESPACE = 'sandbox'
export const ONBOARD_CONTRACT = sha256Hex('billhook sandbox contract onboard')
export const ASSIGN_OWNER_CONTRACT = sha256Hex('billhook sandbox contract assign-owner')
/** The fixed name that follows the public key in the text whose digest is an identity's id. */
export const ONBOARDING_NAME = 'billhook.sandbox.onboarding'

/** From the ledger's commit to the report to the service: as long as a real gateway may take. */
export const ASSIGNMENT_DELAY_MS = 200
/** Transactions that the ledger commits in its lifetime; their effects are kept in memory. */
const LEDGER_ENTRIES_MAX = 100_000
/** Maximum size of the journal, which is read into memory at start. */
const LEDGER_BYTES_MAX = 128 * 1024 * 1024
/** Inputs, and outputs, of a transaction. Each may cost a verification; the contracts take one. */
const STREAMS_MAX = 8
/** Facts in one report when the ledger starts. */
const RESTORE_BATCH = 1000

const WALLET_STREAM_NAME = 'billhook.sandbox.wallet'

/** The one key type that identities of the service have (specification, Ledger steps). */
const KEY_TYPE = 'secp256k1'

const CONTRACTS: readonly FollowedContract[] = [
  { role: 'onboard', namespace: LEDGER_NAMESPACE, contract: ONBOARD_CONTRACT },
  { role: 'assign', namespace: LEDGER_NAMESPACE, contract: ASSIGN_OWNER_CONTRACT },
]

/** A stream in the read API. */
export interface StreamState {
  readonly name: string
  readonly owner?: string | null
}

/** A node's metadata about a stream. */
export interface StreamMeta {
  readonly $stream: true
  readonly name: string
  readonly authorities: readonly {
    readonly public: string
    readonly type: string
    readonly stake: number
    /** SHA-256 of the key's text, hex. */
    readonly hash: string
  }[]
}

/** A transaction and when it arrived. */
interface Arrival {
  readonly sent: SentTransaction
  readonly arrivedMs: number
}

export interface SimulatedLedgerOptions {
  readonly engine: Secp256k1Engine
  readonly journal: LedgerJournal
  readonly wallets: Pick<WalletPort, 'find'>
  /** The intake: the same way in that a gateway's push takes. */
  readonly apply: ApplyEvents
  /** Resolves when the nodes would have agreed on a transaction. */
  readonly agree: () => Promise<void>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly onError: (error: unknown) => void
}

/**
 * A one-node ledger with the transaction shapes of the specification and the answers observed on a real network. It
 * verifies signatures, its identities are deterministic, and the service hears of commits later, as from a gateway,
 * with an event id made from the transaction's. It has no other contracts and no other nodes. It leaves out
 * `Content-Encoding: none`, which real nodes send.
 */
export class SimulatedLedger {
  /** Compressed public keys by identity. */
  private readonly keys = new Map<string, Uint8Array>()
  /** Owners by wallet. */
  private readonly owners = new Map<string, string>()
  /** Streams of the transactions in progress. */
  private readonly locked = new Set<string>()
  private readonly postponed: Postponed
  readonly archive: LedgerArchive

  constructor(private readonly options: SimulatedLedgerOptions) {
    this.postponed = new Postponed(options.scheduler, options.onError)
    this.archive = new LedgerArchive(options.journal)
    for (const { entry } of options.journal.committed) this.keep(entry)
  }

  /** Reports everything committed before: what a crash kept from the service arrives now, the rest are duplicates. */
  async start(): Promise<void> {
    const committed = this.options.journal.committed.map(({ entry }) => entry)
    for (let first = 0; first < committed.length; first += RESTORE_BATCH) {
      await this.report(committed.slice(first, first + RESTORE_BATCH))
    }
  }

  /** Sends the reports that are still due, at once. */
  close(): Promise<void> {
    return this.postponed.close()
  }

  /** Handles a POST to the node. */
  async submit(body: Buffer): Promise<LedgerAnswer> {
    const transaction = parseSubmitted(body)
    if (transaction === 'unreadable') return { status: 500, value: {} }
    if (transaction === 'invalid') return { status: 500, value: 'Invalid Transaction' }
    return answerOf(transaction.umid, await this.run(transaction, this.options.clock.now()))
  }

  /** The state of a stream; null when there is none with this id. */
  async stream(id: string): Promise<StreamState | null> {
    if (this.keys.has(id)) return { name: ONBOARDING_NAME }
    const wallet = await this.options.wallets.find(id)
    return wallet === undefined ? null : { name: WALLET_STREAM_NAME, owner: this.owners.get(id) ?? wallet.owner }
  }

  /** A node's metadata about an identity; null when there is none with this id. */
  meta(id: string): StreamMeta | null {
    const key = this.keys.get(id)
    if (key === undefined) return null
    const hash = sha256Hex(keyText(key))
    return {
      $stream: true,
      name: ONBOARDING_NAME,
      authorities: [{ public: keyText(key), type: KEY_TYPE, stake: 100, hash }],
    }
  }

  private async run(transaction: SubmittedTransaction, arrivedMs: number): Promise<Verdict> {
    const { sent, expiresMs } = transaction
    if (sent === null) return failEarly('$sigs not found')
    if (expiresMs !== null && expiresMs < arrivedMs) return failEarly('Transaction Expired')
    const streams = transaction.isSelfSigned ? [] : streamsOf(transaction)
    if (streams.some((stream) => this.locked.has(stream))) return failEarly('Busy Locks')
    for (const stream of streams) this.locked.add(stream)
    try {
      return await this.judge(transaction, { sent, arrivedMs })
    } finally {
      for (const stream of streams) this.locked.delete(stream)
    }
  }

  private async judge(transaction: SubmittedTransaction, arrival: Arrival): Promise<Verdict> {
    const standing = standingOf(CONTRACTS, transaction.namespace, transaction.contract)
    if (standing.kind !== 'followed') return failLate('Init Contract Error - Contract or Namespace not found')
    const refusal = await this.refuseSignatures(transaction, arrival.sent)
    if (refusal !== null) return refusal
    return standing.role === 'onboard' ? this.onboard(transaction, arrival) : this.assignOwner(transaction, arrival)
  }

  /** The checks before a contract runs: null when they pass. */
  private async refuseSignatures(transaction: SubmittedTransaction, sent: SentTransaction): Promise<Verdict | null> {
    if (transaction.inputs.size > STREAMS_MAX || transaction.outputs.size > STREAMS_MAX) {
      return failVote(`at most ${STREAMS_MAX} inputs and outputs`)
    }
    return transaction.isSelfSigned
      ? this.refuseSelfSigned(transaction, sent)
      : await this.refuseStreams(transaction, sent)
  }

  private refuseSelfSigned({ inputs }: SubmittedTransaction, sent: SentTransaction): Verdict | null {
    for (const [label, { publicKey, keyType }] of inputs) {
      if (typeof sent.$sigs[label] !== 'string') return failLate('Self signed signature not found')
      if (publicKey === null) return failLate(`Self signed publicKey property not found in $i ${label}`)
      if (keyType !== KEY_TYPE || !this.isSigned(sent, label, publicKey)) {
        return failLate('Self signed signature not matching')
      }
    }
    return null
  }

  private async refuseStreams(
    { inputs, outputs }: SubmittedTransaction,
    sent: SentTransaction,
  ): Promise<Verdict | null> {
    for (const { stream } of inputs.values()) {
      if (!this.keys.has(stream)) return failLate('Stream(s) not found')
    }
    for (const { stream } of outputs.values()) {
      if (!this.keys.has(stream) && (await this.options.wallets.find(stream)) === undefined) {
        return failLate('Stream(s) not found')
      }
    }
    for (const { stream } of inputs.values()) {
      const key = this.keys.get(stream)
      if (key === undefined || !this.isSigned(sent, stream, keyText(key))) return failLate('Input Signature Incorrect')
    }
    return null
  }

  private isSigned(sent: SentTransaction, signer: string, key: string): boolean {
    return isSignedFor({ ...sent }, signer, [key], this.options.engine)
  }

  private async onboard(transaction: SubmittedTransaction, arrival: Arrival): Promise<Verdict> {
    const onboarding = onboardingFact(transaction, ONBOARDING_NAME)
    if ('flaw' in onboarding) return failVote(onboarding.flaw)
    const key = parseLedgerKey(onboarding.publicKey)
    if (key === null) throw new Error('a transaction with an invalid key passed its checks')
    const { identity } = onboarding.fact
    if (this.keys.has(identity)) return failLate('Deterministic Stream Name Exists', 1)
    await this.options.agree()
    const { umid } = transaction
    // Another onboarding of the key was committed meanwhile: the nodes agreed on both, and only one can be saved.
    if (this.keys.has(identity)) return this.leaveUnsaved(umid, arrival)
    const stream = { id: identity, name: ONBOARDING_NAME }
    const publicKey = Buffer.from(key).toString('hex')
    return this.commit({ type: 'identity', umid, identity, publicKey }, arrival, { created: [stream], updated: [] })
  }

  private async assignOwner(transaction: SubmittedTransaction, arrival: Arrival): Promise<Verdict> {
    const assignment = assignmentFact(transaction)
    if ('flaw' in assignment) return failVote(assignment.flaw)
    const { id: wallet, owner } = assignment.fact
    await this.options.agree()
    const known = await this.options.wallets.find(wallet)
    // Nothing is awaited from here to the commit, so an assignment by a gateway is seen.
    if (known === undefined) return failVote('wallet must be a wallet')
    if (known.owner !== null || this.owners.has(wallet)) return failVote('the wallet is assigned already')
    const { umid } = transaction
    const stream = { id: wallet, name: WALLET_STREAM_NAME }
    return this.commit({ type: 'assignment', umid, wallet, owner }, arrival, { created: [], updated: [stream] })
  }

  private commit(
    entry: LedgerEntry,
    { sent, arrivedMs }: Arrival,
    changes: Pick<Extract<Verdict, { kind: 'committed' }>, 'created' | 'updated'>,
  ): Verdict {
    if (this.isFull()) return failLate('Failed Commit Transaction')
    try {
      this.archive.commit(entry, arrivedMs, sent)
    } catch (error) {
      this.options.onError(error)
      this.archive.list(entry.umid, arrivedMs)
      return { kind: 'unsaved' }
    }
    this.keep(entry)
    this.postponed.add(entry.umid, ASSIGNMENT_DELAY_MS, () => this.report([entry]))
    return { kind: 'committed', ...changes }
  }

  private leaveUnsaved(umid: string, { sent, arrivedMs }: Arrival): Verdict {
    if (this.isFull()) return failLate('Failed Commit Transaction')
    this.archive.commit({ type: 'unsaved', umid }, arrivedMs, sent)
    return { kind: 'unsaved' }
  }

  private isFull(): boolean {
    return this.archive.size >= LEDGER_ENTRIES_MAX || this.options.journal.sizeBytes >= LEDGER_BYTES_MAX
  }

  private keep(entry: LedgerEntry): void {
    if (entry.type === 'identity') this.keys.set(entry.identity, Buffer.from(entry.publicKey, 'hex'))
    else if (entry.type === 'assignment') this.owners.set(entry.wallet, entry.owner)
  }

  private async report(entries: readonly LedgerEntry[]): Promise<void> {
    const outcomes = await this.options.apply(entries.flatMap(eventOf))
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        this.options.onError(new Error(`a fact of the simulated ledger was rejected: ${outcome.error}`))
      }
    }
  }
}

function eventOf(entry: LedgerEntry): readonly IncomingEvent[] {
  const eventId = ledgerEventId(entry.umid)
  switch (entry.type) {
    case 'identity':
      return [{ eventId, fact: { type: 'identity.onboarded', identity: entry.identity } }]
    case 'assignment': {
      const { wallet: id, owner } = entry
      return [{ eventId, fact: { type: 'wallet.assigned', id, address: null, network: null, owner } }]
    }
    case 'unsaved':
      return []
  }
}

/** The streams that a transaction reads or changes, which stay locked until it has ended. */
function streamsOf({ inputs, outputs }: SubmittedTransaction): readonly string[] {
  return [...inputs.values(), ...outputs.values()].map(({ stream }) => stream)
}

function keyText(key: Uint8Array): string {
  return `0x${Buffer.from(key).toString('hex')}`
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
