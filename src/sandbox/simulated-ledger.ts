import { createHash } from 'node:crypto'
import type { IncomingEvent } from '../actors/intake.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { type FollowedContract, standingOf } from '../ledger/followed-contracts.js'
import type { ApplyEvents } from '../ledger/gateway-events.js'
import { isSignedFor, parseLedgerKey } from '../ledger/ledger-signature.js'
import { assignmentFact, ledgerEventId, onboardingFact } from '../ledger/ledger-transaction.js'
import type { Scheduler } from '../scheduler.js'
import type { WalletPort } from '../store/store.js'
import type { LedgerArchive } from './ledger-archive.js'
import type { LedgerEntry } from './ledger-journal.js'
import { Postponed } from './postponed.js'
import type { SubmittedTransaction } from './submitted-transaction.js'

/** Where the simulated contracts are. On a real ledger this is deployment configuration. */
export const LEDGER_NAMESPACE = 'sandbox'
export const ONBOARD_CONTRACT = sha256Hex('billhook sandbox contract onboard')
export const ASSIGN_OWNER_CONTRACT = sha256Hex('billhook sandbox contract assign-owner')
/** The fixed name that follows the public key in the text whose digest is an identity's id. */
export const ONBOARDING_NAME = 'billhook.sandbox.onboarding'
export const WALLET_STREAM_NAME = 'billhook.sandbox.wallet'
/** The one key type that identities of the service have (specification, Ledger steps). */
export const KEY_TYPE = 'secp256k1'

/** From the ledger's commit to the report to the service: as long as a real gateway may take. */
export const ASSIGNMENT_DELAY_MS = 200
/** Inputs, and outputs, of a transaction. Each may cost a verification; the contracts take one. */
const STREAMS_MAX = 8
/** Facts in one report when the ledger starts. */
const RESTORE_BATCH = 1000

const CONTRACTS: readonly FollowedContract[] = [
  { role: 'onboard', namespace: LEDGER_NAMESPACE, contract: ONBOARD_CONTRACT },
  { role: 'assign', namespace: LEDGER_NAMESPACE, contract: ASSIGN_OWNER_CONTRACT },
]

interface StreamChange {
  readonly id: string
  readonly name: string
}

/**
 * How a transaction ended. `isEarly`: before its signatures were checked, which has another answer shape. `vote`: the nodes
 * in favour.
 */
export type Verdict =
  | { readonly kind: 'committed'; readonly created: readonly StreamChange[]; readonly updated: readonly StreamChange[] }
  | { readonly kind: 'failed'; readonly error: string; readonly isEarly: boolean; readonly vote: 0 | 1 }
  /** The nodes agreed, and it was not saved. It is listed all the same. */
  | { readonly kind: 'unsaved' }

export interface SimulatedLedgerOptions {
  readonly engine: Secp256k1Engine
  readonly archive: LedgerArchive
  readonly wallets: Pick<WalletPort, 'find'>
  /** The intake: the same way in that a gateway's push takes. */
  readonly apply: ApplyEvents
  /** Resolves when the nodes would have agreed on a transaction. */
  readonly agree: () => Promise<void>
  readonly scheduler: Scheduler
  readonly onError: (error: unknown) => void
}

/**
 * A one-node ledger with the transaction shapes of the specification and the answers observed on a real network. It
 * verifies signatures, its identities are deterministic, and the service hears of commits later, as from a gateway,
 * with an event id made from the transaction's. It has no other contracts and no other nodes.
 */
export class SimulatedLedger {
  /** Streams of the transactions in progress. */
  private readonly locked = new Set<string>()
  private readonly postponed: Postponed

  constructor(private readonly options: SimulatedLedgerOptions) {
    this.postponed = new Postponed(options.scheduler, options.onError)
  }

  /** Reports everything committed before: what a crash kept from the service arrives now, the rest are duplicates. */
  async start(): Promise<void> {
    const { restored } = this.options.archive
    for (let first = 0; first < restored.length; first += RESTORE_BATCH) {
      await this.report(restored.slice(first, first + RESTORE_BATCH))
    }
  }

  /** Sends the reports that are still due, at once. */
  close(): Promise<void> {
    return this.postponed.close()
  }

  /** Checks a transaction and commits it. */
  async submit(transaction: SubmittedTransaction): Promise<Verdict> {
    const { expiresMs, arrivedMs, isSelfSigned } = transaction
    if (expiresMs !== null && expiresMs < arrivedMs) return failEarly('Transaction Expired')
    const streams = isSelfSigned ? [] : streamsOf(transaction)
    if (streams.some((stream) => this.locked.has(stream))) return failEarly('Busy Locks')
    for (const stream of streams) this.locked.add(stream)
    try {
      return await this.judge(transaction)
    } finally {
      for (const stream of streams) this.locked.delete(stream)
    }
  }

  private async judge(transaction: SubmittedTransaction): Promise<Verdict> {
    const { namespace, contract, inputs, outputs, isSelfSigned } = transaction
    const standing = standingOf(CONTRACTS, namespace, contract)
    if (standing.kind !== 'followed') return failLate('Init Contract Error - Contract or Namespace not found')
    if (inputs.size > STREAMS_MAX || outputs.size > STREAMS_MAX) {
      return failVote(`at most ${STREAMS_MAX} inputs and outputs`)
    }
    const refusal = isSelfSigned ? this.refuseSelfSigned(transaction) : await this.refuseStreams(transaction)
    if (refusal !== null) return refusal
    return standing.role === 'onboard' ? this.onboard(transaction) : this.assignOwner(transaction)
  }

  /** The checks of a self-signed transaction before its contract runs; null when they pass. */
  private refuseSelfSigned({ inputs, sent }: SubmittedTransaction): Verdict | null {
    for (const [label, { publicKey, keyType }] of inputs) {
      if (typeof sent.$sigs[label] !== 'string') return failLate('Self signed signature not found')
      if (publicKey === null) return failLate(`Self signed publicKey property not found in $i ${label}`)
      if (keyType !== KEY_TYPE || !this.isSigned(sent, label, publicKey)) {
        return failLate('Self signed signature not matching')
      }
    }
    return null
  }

  /** The checks of any other transaction. */
  private async refuseStreams({ inputs, outputs, sent }: SubmittedTransaction): Promise<Verdict | null> {
    const { keys } = this.options.archive
    for (const { stream } of inputs.values()) {
      if (!keys.has(stream)) return failLate('Stream(s) not found')
    }
    for (const { stream } of outputs.values()) {
      if (!keys.has(stream) && (await this.options.wallets.find(stream)) === undefined) {
        return failLate('Stream(s) not found')
      }
    }
    for (const { stream } of inputs.values()) {
      const key = keys.get(stream)
      if (key === undefined || !this.isSigned(sent, stream, key)) return failLate('Input Signature Incorrect')
    }
    return null
  }

  private isSigned(sent: SubmittedTransaction['sent'], signer: string, key: string): boolean {
    return isSignedFor({ ...sent }, signer, [key], this.options.engine)
  }

  private async onboard(transaction: SubmittedTransaction): Promise<Verdict> {
    const onboarding = onboardingFact(transaction, ONBOARDING_NAME)
    if ('flaw' in onboarding) return failVote(onboarding.flaw)
    const key = parseLedgerKey(onboarding.publicKey)
    if (key === null) throw new Error('a transaction with an invalid key passed its checks')
    const { identity } = onboarding.fact
    const { keys } = this.options.archive
    if (keys.has(identity)) return failLate('Deterministic Stream Name Exists', 1)
    await this.options.agree()
    const { umid } = transaction
    // Another onboarding of the key was committed meanwhile: the nodes agreed on both, and only one can be saved.
    if (keys.has(identity)) return this.commit({ type: 'unsaved', umid }, transaction)
    const publicKey = Buffer.from(key).toString('hex')
    return this.commit({ type: 'identity', umid, identity, publicKey }, transaction)
  }

  private async assignOwner(transaction: SubmittedTransaction): Promise<Verdict> {
    const assignment = assignmentFact(transaction)
    if ('flaw' in assignment) return failVote(assignment.flaw)
    const { id: wallet, owner } = assignment.fact
    await this.options.agree()
    const known = await this.options.wallets.find(wallet)
    // Nothing is awaited from here to the commit, so an assignment by a gateway is seen.
    if (known === undefined) return failVote('wallet must be a wallet')
    if (known.owner !== null || this.options.archive.owners.has(wallet))
      return failVote('the wallet is assigned already')
    return this.commit({ type: 'assignment', umid: transaction.umid, wallet, owner }, transaction)
  }

  private commit(entry: LedgerEntry, { arrivedMs, sent }: SubmittedTransaction): Verdict {
    if (this.options.archive.isFull) return failLate('Failed Commit Transaction')
    try {
      this.options.archive.commit(entry, arrivedMs, sent)
    } catch (error) {
      this.options.onError(error)
      this.options.archive.list(entry.umid, arrivedMs)
      return { kind: 'unsaved' }
    }
    if (entry.type === 'unsaved') return { kind: 'unsaved' }
    this.postponed.add(entry.umid, ASSIGNMENT_DELAY_MS, () => this.report([entry]))
    return entry.type === 'identity'
      ? { kind: 'committed', created: [{ id: entry.identity, name: ONBOARDING_NAME }], updated: [] }
      : { kind: 'committed', created: [], updated: [{ id: entry.wallet, name: WALLET_STREAM_NAME }] }
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

/** A refusal before anything but the transaction's time and streams was checked. */
export function failEarly(error: string): Verdict {
  return { kind: 'failed', error, isEarly: true, vote: 0 }
}

/** A refusal by a node, before or after a contract ran. */
function failLate(error: string, vote: 0 | 1 = 0): Verdict {
  return { kind: 'failed', error, isEarly: false, vote }
}

/** A contract's refusal, as a node words it. */
function failVote(reason: string): Verdict {
  return failLate(`Vote Failure - ${JSON.stringify(reason)}`)
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

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
