import { createHash } from 'node:crypto'
import type { IncomingEvent } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { assignmentFact, ledgerEventId, onboardingFact } from '../ledger/facts-of-transaction.js'
import type { Report } from '../networks/watcher.js'
import type { Scheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { LedgerArchive } from './ledger-archive.js'
import type { LedgerEntry, LedgerJournal } from './ledger-journal.js'
import { isSignedBy, KEY_TYPE, parseLedgerKey } from './ledger-signature.js'
import { answerOf, failEarly, failVote, type LedgerAnswer, type Verdict } from './ledger-verdict.js'
import { Postponed } from './postponed.js'
import { parseSubmitted, type SubmittedTransaction } from './submitted-transaction.js'

/** Where the simulated contracts are found: what a real ledger makes deployment configuration. */
export const LEDGER_NAMESPACE = 'sandbox'
export const ONBOARD_CONTRACT = sha256Hex('billhook sandbox contract onboard')
export const ASSIGN_OWNER_CONTRACT = sha256Hex('billhook sandbox contract assign-owner')
/** The fixed name behind the public key in the text whose digest is an identity's id. */
export const ONBOARDING_NAME = 'billhook.sandbox.onboarding'

/** From the ledger's commit to the moment at which the service is told, as long as a real gateway may take. */
export const ASSIGNMENT_DELAY_MS = 200
/** Transactions that the ledger commits in its life; what they changed is kept in memory. */
const LEDGER_ENTRIES_MAX = 100_000
/** Of the journal, which is read into memory at start. */
const LEDGER_BYTES_MAX = 128 * 1024 * 1024
/** Inputs, and outputs, of a transaction: each may cost a verification, and the contracts take one. */
const STREAMS_MAX = 8
/** Facts that are told at once when the ledger starts. */
const RESTORE_BATCH = 1000

const WALLET_STREAM_NAME = 'billhook.sandbox.wallet'

/** What the read API tells of a stream. */
export interface StreamState {
  readonly name: string
  readonly owner?: string | null
}

export interface SimulatedLedgerOptions {
  readonly engine: Secp256k1Engine
  readonly journal: LedgerJournal
  /** Tells which wallets there are. */
  readonly store: Pick<Store, 'wallet'>
  /** The same way in that a push of a gateway takes. */
  readonly report: Report
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly onError: (error: unknown) => void
}

/**
 * A ledger node of one machine, with the transaction shapes of the specification and the answers that were observed on
 * a real network. Signatures are verified, identities are deterministic, and what is committed reaches the service
 * later, as from a gateway, under an event id made of the transaction's. What it does not have: other contracts, and
 * consensus. Content-Encoding: none, which real nodes send, is left out.
 */
export class SimulatedLedger {
  /** Compressed public keys by identity. */
  private readonly keys = new Map<string, Uint8Array>()
  /** Owners by wallet. */
  private readonly owners = new Map<string, string>()
  private readonly postponed: Postponed
  /** What was committed, to be read. */
  readonly archive: LedgerArchive

  constructor(private readonly options: SimulatedLedgerOptions) {
    this.postponed = new Postponed(options.scheduler, options.onError)
    this.archive = new LedgerArchive(options.journal)
    for (const { entry } of options.journal.committed) this.keep(entry)
  }

  /** Tells everything that was committed before: what a crash kept from the service arrives now, the rest are duplicates. */
  async start(): Promise<void> {
    const committed = this.options.journal.committed.map(({ entry }) => entry)
    for (let first = 0; first < committed.length; first += RESTORE_BATCH) {
      await this.tell(committed.slice(first, first + RESTORE_BATCH))
    }
  }

  /** Tells at once what would have been told a little later. */
  close(): Promise<void> {
    return this.postponed.close()
  }

  /** Handles a POST to the node. `body` is what arrived. */
  async submit(body: Buffer): Promise<LedgerAnswer> {
    const transaction = parseSubmitted(body)
    if (transaction === 'unreadable') return { status: 500, value: {} }
    if (transaction === 'invalid') return { status: 500, value: 'Invalid Transaction' }
    return answerOf(transaction.umid, await this.run(transaction))
  }

  /** The state of a stream; null when there is none of this id. */
  async stream(id: string): Promise<StreamState | null> {
    if (this.keys.has(id)) return { name: ONBOARDING_NAME }
    const wallet = await this.options.store.wallet(id)
    return wallet === undefined ? null : { name: WALLET_STREAM_NAME, owner: this.owners.get(id) ?? wallet.owner }
  }

  private async run(transaction: SubmittedTransaction): Promise<Verdict> {
    if (transaction.namespace !== LEDGER_NAMESPACE) return failEarly('Contract Not Found')
    switch (transaction.contract) {
      case ONBOARD_CONTRACT:
        return (await this.refuseSignatures(transaction)) ?? this.onboard(transaction)
      case ASSIGN_OWNER_CONTRACT:
        return (await this.refuseSignatures(transaction)) ?? (await this.assignOwner(transaction))
      default:
        return failEarly('Contract Not Found')
    }
  }

  /** What a node checks before it runs a contract: null, or why it does not. */
  private async refuseSignatures(transaction: SubmittedTransaction): Promise<Verdict | null> {
    if (transaction.inputs.size > STREAMS_MAX || transaction.outputs.size > STREAMS_MAX) {
      return failVote(`at most ${STREAMS_MAX} inputs and outputs`)
    }
    return transaction.isSelfSigned ? this.refuseSelfSigned(transaction) : await this.refuseStreams(transaction)
  }

  private refuseSelfSigned({ inputs, signatures, digest }: SubmittedTransaction): Verdict | null {
    for (const [label, { publicKey, keyType }] of inputs) {
      const signature = signatures.get(label)
      if (signature === undefined) return failEarly('Self signed signature not found')
      if (publicKey === null) return failEarly(`Self signed publicKey property not found in $i ${label}`)
      const key = keyType === KEY_TYPE ? parseLedgerKey(publicKey) : null
      if (key === null || !isSignedBy(this.options.engine, signature, digest, key)) {
        return failEarly('Self signed signature not matching')
      }
    }
    return null
  }

  private async refuseStreams({ inputs, outputs, signatures, digest }: SubmittedTransaction): Promise<Verdict | null> {
    for (const { stream } of inputs.values()) {
      if (!this.keys.has(stream)) return failEarly('Stream(s) not found')
    }
    for (const { stream } of outputs.values()) {
      if (!this.keys.has(stream) && (await this.options.store.wallet(stream)) === undefined) {
        return failEarly('Stream(s) not found')
      }
    }
    for (const { stream } of inputs.values()) {
      const key = this.keys.get(stream)
      const signature = signatures.get(stream)
      const isSigned =
        key !== undefined && signature !== undefined && isSignedBy(this.options.engine, signature, digest, key)
      if (!isSigned) return failEarly('Input Signature Incorrect')
    }
    return null
  }

  private onboard(transaction: SubmittedTransaction): Verdict {
    const onboarding = onboardingFact(transaction, ONBOARDING_NAME)
    if ('flaw' in onboarding) return failVote(onboarding.flaw)
    const [input] = transaction.inputs.values()
    const key = parseLedgerKey(input?.publicKey ?? '')
    if (key === null) throw new Error('a transaction passed with a key that is none')
    const { identity } = onboarding.fact
    if (this.keys.has(identity)) return { kind: 'failed', error: 'Deterministic Stream Name Exists', isEarly: false }
    const { umid } = transaction
    const stream = { id: identity, name: ONBOARDING_NAME }
    const publicKey = Buffer.from(key).toString('hex')
    return this.commit(transaction, { type: 'identity', umid, identity, publicKey }, { created: [stream], updated: [] })
  }

  private async assignOwner(transaction: SubmittedTransaction): Promise<Verdict> {
    const assignment = assignmentFact(transaction)
    if ('flaw' in assignment) return failVote(assignment.flaw)
    const { id: wallet, owner } = assignment.fact
    const known = await this.options.store.wallet(wallet)
    // From here to the commit nothing is awaited, so of two assignments of a wallet one finds the other.
    if (known === undefined) return failVote('wallet must be a wallet')
    if (known.owner !== null || this.owners.has(wallet)) return failVote('the wallet is assigned already')
    const { umid } = transaction
    const stream = { id: wallet, name: WALLET_STREAM_NAME }
    return this.commit(transaction, { type: 'assignment', umid, wallet, owner }, { created: [], updated: [stream] })
  }

  private commit(
    { sent }: SubmittedTransaction,
    entry: LedgerEntry,
    changes: Pick<Extract<Verdict, { kind: 'committed' }>, 'created' | 'updated'>,
  ): Verdict {
    const { journal, clock, onError } = this.options
    if (this.keys.size + this.owners.size >= LEDGER_ENTRIES_MAX || journal.sizeBytes >= LEDGER_BYTES_MAX) {
      return { kind: 'failed', error: 'Failed Commit Transaction', isEarly: false }
    }
    try {
      this.archive.commit(entry, clock.now(), sent)
    } catch (error) {
      onError(error)
      return { kind: 'unsaved' }
    }
    this.keep(entry)
    this.postponed.add(entry.umid, ASSIGNMENT_DELAY_MS, () => this.tell([entry]))
    return { kind: 'committed', ...changes }
  }

  private keep(entry: LedgerEntry): void {
    if (entry.type === 'identity') this.keys.set(entry.identity, Buffer.from(entry.publicKey, 'hex'))
    else this.owners.set(entry.wallet, entry.owner)
  }

  private async tell(entries: readonly LedgerEntry[]): Promise<void> {
    const outcomes = await this.options.report(entries.map(eventOf))
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        this.options.onError(new Error(`a fact of the simulated ledger was rejected: ${outcome.error}`))
      }
    }
  }
}

function eventOf(entry: LedgerEntry): IncomingEvent {
  const eventId = ledgerEventId(entry.umid)
  if (entry.type === 'identity') return { eventId, fact: { type: 'identity.onboarded', identity: entry.identity } }
  const { wallet, owner } = entry
  return { eventId, fact: { type: 'wallet.assigned', id: wallet, address: null, network: null, owner } }
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
