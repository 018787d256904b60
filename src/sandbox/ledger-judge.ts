import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { LedgerArchive } from './ledger-archive.js'
import {
  type Effect,
  type LedgerContract,
  type LedgerPlace,
  type LedgerWallet,
  resolveContract,
} from './ledger-contracts.js'
import { changedBy, entryOf } from './ledger-effects.js'
import type { LedgerEntry } from './ledger-journal.js'
import { errorsOf, type Refusal, type Round, vote } from './ledger-round.js'
import { LedgerSignatures } from './ledger-signatures.js'
import type { LedgerTemper } from './ledger-temper.js'
import { refusedAlone, type Verdict, withId } from './ledger-verdict.js'
import type { NodeMemory } from './node-memory.js'
import { identityAt, type KnownWallets, Positions, revisionsOf } from './node-views.js'
import { type Ending, OnboardingRaces } from './onboarding-races.js'
import type { SubmittedTransaction } from './submitted-transaction.js'

/** Inputs, and outputs, of a transaction. Each may cost a verification; the contracts take one. */
const STREAMS_MAX = 8

const NO_CONTRACT: Refusal = { text: 'Init Contract Error - Contract or Namespace not found', form: 'plain' }
const NO_STREAM: Refusal = { text: 'Stream(s) not found', form: 'shared' }
const OLD_INPUT: Refusal = { text: 'Input Stream Position Incorrect', form: 'shared' }
const OLD_OUTPUT: Refusal = { text: 'Output Stream Position Incorrect', form: 'shared' }
const BUSY: Refusal = { text: 'Busy Locks', form: 'plain' }
/** What a node says that finds no neighbour to ask. */
const NOBODY_ANSWERS = 'Error: 3x Right Knock Error'
const EXISTS = 'Deterministic Stream Name Exists'
const UNSAVED = 'Failed to save'

/** A transaction that keeps a node from taking others of its streams. */
export interface Rival {
  readonly node: number
  readonly streams: readonly string[]
  readonly ended: Promise<void>
}

export interface LedgerJudgeOptions {
  readonly place: LedgerPlace
  readonly temper: LedgerTemper
  readonly engine: Secp256k1Engine
  readonly archive: LedgerArchive
  readonly nodes: readonly NodeMemory[]
  readonly findWallet: (id: string) => Promise<LedgerWallet | undefined>
  readonly agree: () => Promise<void>
  readonly onCommit: (entry: LedgerEntry) => void
  readonly onError: (error: unknown) => void
}

/** A transaction while it is judged. */
interface Case {
  readonly transaction: SubmittedTransaction
  readonly contract: LedgerContract
  readonly signatures: LedgerSignatures
  /** The node that was given it, and what that had of its streams. */
  readonly node: number
  readonly positions: Positions
  readonly rival: Rival | undefined
}

/** How the nodes of the simulated ledger judge a transaction, and commit it when enough of them agree. */
export class LedgerJudge {
  /** Nodes that have to be in favour. */
  private readonly needed: number
  private readonly races: OnboardingRaces
  /** A node that misses a transaction until the next one. */
  private lagging: NodeMemory | null = null

  constructor(private readonly options: LedgerJudgeOptions) {
    this.needed = Math.floor(options.nodes.length / 2) + 1
    this.races = new OnboardingRaces(options.temper)
  }

  /** `rival`: a transaction that another node is busy with, which is committed before this one is put to the vote. */
  async judge(transaction: SubmittedTransaction, node: number, rival: Rival | undefined): Promise<Verdict> {
    const { place, archive, engine, agree } = this.options
    const contract = resolveContract(place.contracts, transaction)
    if (contract === undefined || !this.node(node).runs(contract)) return refusedAlone(NO_CONTRACT.text)
    const signatures = new LedgerSignatures(transaction, engine)
    const flaw = flawOf(transaction, signatures)
    if (flaw !== null) return refusedAlone(withId(flaw))
    const wallets = await this.walletsOf(transaction)
    const positions = Positions.at(archive, this.node(node), transaction, wallets)
    const known: Case = { transaction, contract, signatures, node, positions, rival }
    const first = this.streamRefusalAt(node, known, wallets)
    const refusal = first === null ? contract.verify(transaction) : null
    if (refusal !== null) return refusedAlone(withId(refusal))
    const opinion = first ?? this.voteRefusal(known, wallets)
    const effect = opinion === null ? contract.commit(transaction) : null
    const isNew = effect?.type === 'identity' && archive.identity(effect.identity).length === 0
    const leave = isNew ? this.races.enter(effect.identity, node) : null
    try {
      await (rival?.ended ?? agree())
      // Nothing is awaited from here to the commit, so an assignment by a gateway is seen.
      return this.decide(known, await this.walletsOf(transaction), rival === undefined ? undefined : opinion, isNew)
    } finally {
      leave?.()
    }
  }

  /** `opinion`: how the first node voted before it heard of a rival; undefined where there is none. */
  private decide(known: Case, wallets: KnownWallets, opinion: Refusal | null | undefined, isNew: boolean): Verdict {
    const { transaction, contract, node, rival } = known
    const { archive, temper } = this.options
    const ring = this.ringFrom(node)
    const [, second] = ring
    const laggard = second !== undefined && !transaction.isSelfSigned && temper.lags() ? second : null
    const isCutOff = ring.length < this.needed || (second !== undefined && this.node(second).state === 'falling')
    const round = vote(isCutOff ? [node] : ring, this.needed, (member) => {
      if (member === node && opinion !== undefined) return opinion
      if (member === laggard) return NO_STREAM
      const refusal = this.streamRefusalAt(member, known, wallets) ?? this.voteRefusal(known, wallets)
      return refusal === OLD_INPUT && member === rival?.node ? BUSY : refusal
    })
    const counted = { kind: 'judged', total: round.asked.length, vote: round.inFavour.length, commit: 0 } as const
    if (isCutOff && counted.vote > 0) return { ...counted, errors: [NOBODY_ANSWERS], streams: null }
    if (counted.vote < this.needed) return { ...counted, errors: errorsOf(round, false), streams: null }
    if (archive.isFull) return refusedAlone(withId('Failed Commit Transaction'))
    const effect = contract.commit(transaction)
    const ending = this.endingOf(effect, isNew)
    if (ending.answer === 'again') {
      return { ...counted, errors: round.inFavour.map(() => withId(EXISTS)), streams: null }
    }
    const streams = changedBy(effect, this.options.place)
    if (!this.save(known, round, ending, effect, laggard)) {
      return { ...counted, commit: counted.vote, errors: [withId(UNSAVED)], streams }
    }
    switch (ending.answer) {
      case 'exists':
        return { ...counted, commit: counted.vote - 1, errors: [withId(EXISTS)], streams }
      case 'unsaved':
        return { ...counted, commit: counted.vote, errors: [withId(UNSAVED)], streams }
      case 'committed':
        return { ...counted, commit: counted.vote, errors: errorsOf(round, true), streams }
    }
  }

  private endingOf(effect: Effect, isNew: boolean): Ending {
    if (effect.type !== 'identity') return { answer: 'committed', isSaved: true }
    return isNew ? this.races.end(effect.identity) : { answer: 'again', isSaved: false }
  }

  /** Writes down what the nodes agreed on. False when that fails. */
  private save(known: Case, round: Round, ending: Ending, effect: Effect, laggard: number | null): boolean {
    const { archive, onCommit, onError } = this.options
    const { transaction, signatures, positions } = known
    const { umid, arrivedMs, sent } = transaction
    const isSignedBy = (identity: string) => this.isSignedBy(identity, known)
    const entry = ending.isSaved ? entryOf(umid, effect, isSignedBy) : ({ type: 'unsaved', umid } as const)
    try {
      const $sigs = signatures.stored((stream) => this.keyOf(stream))
      archive.commit(entry, arrivedMs, { ...sent, $sigs, $revs: revisionsOf(transaction, positions) })
    } catch (error) {
      onError(error)
      archive.list(umid, arrivedMs)
      return false
    }
    this.remember(umid, round, laggard, ending.isSaved && ending.answer !== 'committed')
    if (ending.isSaved) onCommit(entry)
    return true
  }

  /** What each node has of a committed transaction. `isHidden`: only the last of those that agreed can be asked for it. */
  private remember(umid: string, { inFavour, against }: Round, laggard: number | null, isHidden: boolean): void {
    this.lagging?.restore()
    this.lagging = laggard === null ? null : this.node(laggard)
    for (const [index, node] of this.options.nodes.entries()) {
      if (node.state !== 'up' || against.has(index)) node.miss(umid)
      else if (isHidden && index !== inFavour.at(-1)) node.lose(umid)
    }
  }

  /** Why a node refuses a transaction without asking the contract. */
  private streamRefusalAt(member: number, known: Case, wallets: KnownWallets): Refusal | null {
    const { archive } = this.options
    const { transaction, contract, signatures, positions } = known
    const node = this.node(member)
    if (!node.runs(contract)) return NO_CONTRACT
    if (transaction.isSelfSigned) return null
    const own = Positions.at(archive, node, transaction, wallets)
    if (!own.areAllThere) return NO_STREAM
    if (isBehind(positions.inputs, own.inputs)) return OLD_INPUT
    if (isBehind(positions.outputs, own.outputs)) return OLD_OUTPUT
    const flaw = signatures.refuse((stream) => identityAt(archive, node, stream).at(-1)?.publicKey)
    return flaw === null ? null : { text: flaw, form: 'shared' }
  }

  private voteRefusal({ transaction, contract, signatures }: Case, wallets: KnownWallets): Refusal | null {
    const reason = contract.vote(transaction, {
      wallet: (stream) => wallets.get(stream),
      isNamedBySignature: (label) => {
        const key = this.keyOf(transaction.inputs.get(label)?.stream ?? '')
        return key !== undefined && signatures.isNamed(label, key)
      },
    })
    return reason === null ? null : { text: `Vote Failure - ${JSON.stringify(reason)}`, form: 'own' }
  }

  private isSignedBy(identity: string, { transaction, signatures }: Case): boolean {
    const key = this.keyOf(identity)
    const [label] = [...transaction.inputs].find(([, { stream }]) => stream === identity) ?? []
    return key !== undefined && label !== undefined && signatures.isSigned(label, key)
  }

  private async walletsOf({ inputs, outputs }: SubmittedTransaction): Promise<KnownWallets> {
    const { archive, findWallet } = this.options
    const wallets = new Map<string, LedgerWallet>()
    for (const { stream } of [...inputs.values(), ...outputs.values()]) {
      const wallet = await findWallet(stream)
      if (wallet === undefined) continue
      wallets.set(stream, { ...wallet, owner: archive.wallet(stream).at(-1)?.owner ?? wallet.owner })
    }
    return wallets
  }

  private keyOf(identity: string): string | undefined {
    return this.options.archive.identity(identity).at(-1)?.publicKey
  }

  private node(index: number): NodeMemory {
    const node = this.options.nodes[index]
    if (node === undefined) throw new Error(`the ledger has no node ${index}`)
    return node
  }

  /** The nodes that can be asked, beginning with one. */
  private ringFrom(first: number): readonly number[] {
    const { nodes } = this.options
    return nodes.map((_, step) => (first + step) % nodes.length).filter((index) => this.node(index).state !== 'down')
  }
}

/** The refusal by the node alone that was given the transaction. */
function flawOf(transaction: SubmittedTransaction, signatures: LedgerSignatures): string | null {
  const { inputs, outputs, isSelfSigned } = transaction
  if (inputs.size > STREAMS_MAX || outputs.size > STREAMS_MAX) {
    return `Vote Failure - ${JSON.stringify(`at most ${STREAMS_MAX} inputs and outputs`)}`
  }
  return isSelfSigned ? signatures.refuseSelfSigned() : null
}

/** Whether streams have changed since. A node that does not have a stream claims nothing about it. */
function isBehind(then: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): boolean {
  return [...then].some(([stream, position]) => position !== 0 && position !== now.get(stream))
}
