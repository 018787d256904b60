import type { IncomingEvent } from '../actors/intake.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { ApplyEvents } from '../ledger/gateway-events.js'
import { ledgerEventId } from '../ledger/ledger-transaction.js'
import type { Scheduler } from '../scheduler.js'
import type { LedgerArchive } from './ledger-archive.js'
import type { LedgerPlace, LedgerWallet } from './ledger-contracts.js'
import type { LedgerEntry } from './ledger-journal.js'
import { LedgerJudge, type Rival } from './ledger-judge.js'
import type { LedgerTemper } from './ledger-temper.js'
import { turnedAway, type Verdict } from './ledger-verdict.js'
import { NodeMemory } from './node-memory.js'
import { Postponed } from './postponed.js'
import type { SubmittedTransaction } from './submitted-transaction.js'

/** From the ledger's commit to the report to the service: as long as a real gateway may take. */
export const ASSIGNMENT_DELAY_MS = 200
/** Facts in one report when the ledger starts. */
const RESTORE_BATCH = 1000
/** Transactions that wait without an answer; a further one is turned away. */
const SILENT_MAX = 100

export interface SimulatedLedgerOptions {
  readonly place: LedgerPlace
  readonly temper: LedgerTemper
  readonly engine: Secp256k1Engine
  readonly archive: LedgerArchive
  readonly findWallet: (id: string) => Promise<LedgerWallet | undefined>
  /** The intake: the same way in that a gateway's push takes. */
  readonly apply: ApplyEvents
  /** Resolves when the nodes would have agreed on a transaction. */
  readonly agree: () => Promise<void>
  readonly scheduler: Scheduler
  readonly onError: (error: unknown) => void
}

/**
 * A ledger with the transaction shapes of the specification and the answers observed on a real network. Its identities
 * are deterministic, it checks what real nodes check and nothing more, and the service hears of signed commits later, as
 * from a gateway, with an event id made from the transaction's.
 */
export class SimulatedLedger {
  /** What each node has. */
  readonly nodes: readonly NodeMemory[]
  private readonly judge: LedgerJudge
  private readonly postponed: Postponed
  /** The transactions in progress. */
  private readonly rivals = new Set<Rival>()
  /** By node: committed transactions that it has not finished yet. */
  private readonly lingering: readonly Set<Rival>[]
  private readonly umids = new Set<string>()
  /** By node: what wakes the transactions that wait without an answer. */
  private readonly silent: (() => void)[][]
  private isClosed = false

  constructor(private readonly options: SimulatedLedgerOptions) {
    this.postponed = new Postponed(options.scheduler, options.onError)
    this.nodes = Array.from({ length: options.temper.nodes }, () => new NodeMemory(options.archive))
    this.silent = this.nodes.map(() => [])
    this.lingering = this.nodes.map(() => new Set())
    const onCommit = (entry: LedgerEntry) =>
      this.postponed.add(entry.umid, ASSIGNMENT_DELAY_MS, () => this.report([entry]))
    this.judge = new LedgerJudge({ ...options, nodes: this.nodes, onCommit })
  }

  /** Reports everything committed before: what a crash kept from the service arrives now, the rest are duplicates. */
  async start(): Promise<void> {
    const { restored } = this.options.archive
    for (let first = 0; first < restored.length; first += RESTORE_BATCH) {
      await this.report(restored.slice(first, first + RESTORE_BATCH))
    }
  }

  /** Turns away every transaction that waits for an answer, from now on at once. */
  answerWaiting(): void {
    this.isClosed = true
    for (const waiting of this.silent) for (const wake of waiting.splice(0)) wake()
  }

  /** Sends the reports that are still due, at once. */
  close(): Promise<void> {
    this.answerWaiting()
    return this.postponed.close()
  }

  /** Checks a transaction that a node was given, and commits it. */
  async submit(transaction: SubmittedTransaction, node: number): Promise<Verdict> {
    const { expiry, arrivedMs, umid } = transaction
    if (expiry !== null && expiry.atMs < arrivedMs) return turnedAway(`Transaction Expired : ${expiry.sent}`)
    // The node takes it for the one that it is busy with, and tells how far that is.
    if (this.umids.has(umid)) return { kind: 'judged', total: 1, vote: 0, commit: 0, errors: [], streams: null }
    this.umids.add(umid)
    const waiting = this.silent[node]?.splice(0) ?? []
    try {
      return await this.take(transaction, node)
    } finally {
      this.umids.delete(umid)
      for (const wake of waiting) wake()
    }
  }

  /** Judges a transaction as soon as no other one of its streams is in its way. */
  private async take(transaction: SubmittedTransaction, node: number): Promise<Verdict> {
    const { temper } = this.options
    const streams = transaction.isSelfSigned ? [] : streamsOf(transaction)
    for (;;) {
      const rival = this.rivalOf(streams, node)
      if (rival === undefined || (rival.node !== node && temper.rivals() === 'refused')) {
        return this.judgeAlone(transaction, node, streams, rival)
      }
      if (rival.node !== node) await rival.ended
      else if (this.isClosed || !temper.isSilent || this.silentCount >= SILENT_MAX) return turnedAway('Busy Locks')
      else await new Promise<void>((wake) => this.silent[node]?.push(wake))
      if (this.isClosed) return turnedAway('Busy Locks')
    }
  }

  private async judgeAlone(
    transaction: SubmittedTransaction,
    node: number,
    streams: readonly string[],
    rival: Rival | undefined,
  ): Promise<Verdict> {
    const judged = this.judge.judge(transaction, node, rival)
    const own: Rival = { node, streams, ended: judged.then(doNothing, doNothing) }
    this.rivals.add(own)
    try {
      const verdict = await judged
      if (verdict.kind === 'judged' && verdict.commit > 0) this.linger(node, streams)
      return verdict
    } finally {
      this.rivals.delete(own)
    }
  }

  /** The last node is not needed for a commit, and is busy with it for a while. */
  private linger(node: number, streams: readonly string[]): void {
    const { temper, scheduler } = this.options
    if (temper.lingerMs === 0) return
    const last = (node + this.nodes.length - 1) % this.nodes.length
    const rest: Rival = { node: last, streams, ended: Promise.resolve() }
    this.lingering[last]?.add(rest)
    scheduler.after(temper.lingerMs, () => this.lingering[last]?.delete(rest))
  }

  /** One that the same node is busy with comes first. */
  private rivalOf(streams: readonly string[], node: number): Rival | undefined {
    const isInTheWay = (rival: Rival) => rival.streams.some((stream) => streams.includes(stream))
    return [...(this.lingering[node] ?? []), ...this.atNode(node), ...this.rivals].find(isInTheWay)
  }

  private atNode(node: number): readonly Rival[] {
    return [...this.rivals].filter((rival) => rival.node === node)
  }

  private get silentCount(): number {
    return this.silent.reduce((sum, { length }) => sum + length, 0)
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
      // The ledger commits what nobody signed, and a gateway must not report it.
      if (!entry.isSigned) return []
      const { wallet: id, owner } = entry
      return [{ eventId, fact: { type: 'wallet.assigned', id, address: null, network: null, owner } }]
    }
    case 'keys':
    case 'plain':
    case 'unsaved':
      return []
  }
}

/** The streams that a transaction reads or changes, which stay locked until it has ended. */
function streamsOf({ inputs, outputs }: SubmittedTransaction): readonly string[] {
  return [...inputs.values(), ...outputs.values()].map(({ stream }) => stream)
}

function doNothing(): void {}
