import type { Clock } from '../clock.js'
import type { Network } from '../domain/network.js'
import { isStreamId } from '../domain/text.js'
import type { WithdrawalFact } from '../domain/withdrawal.js'
import type { WalletPort } from '../store/wallets.js'
import type { LedgerSource } from './ledger-nodes.js'
import { isTakenBy, type UnbelievedOptions, withdrawAll } from './unbelieved-assignments.js'

/** Wallets asked for in one step. The follower takes one step after each poll, which bounds the load on the nodes. */
export const ASKED_WALLETS = 25
/** The newest transactions of a wallet that are looked up. */
export const CHANGES_MAX = 8
/** Wallets that wait for a second look. Others are not asked for meanwhile. */
export const SUSPECTS_MAX = 500
/** From the end of a round through the pool to the beginning of the next. */
export const ROUND_PAUSE_MS = 24 * 60 * 60 * 1000
/**
 * From the first look at a wallet that seems to be gone to the second. The follower has read an assignment by then that is
 * believed, and a moment in which nodes fail is over.
 */
export const SECOND_LOOK_MS = 60_000

export interface PoolCheckParts extends UnbelievedOptions {
  readonly source: Pick<LedgerSource, 'readApis' | 'silentReadApis' | 'changesOf' | 'transaction'>
  readonly pool: FreeWallets
  readonly clock: Clock
  readonly secondLookMs: number
  readonly isStopped: () => boolean
}

/** The pools of all networks. */
export interface FreeWallets {
  readonly networks: readonly Network[]
  readonly wallets: Pick<WalletPort, 'unassigned'>
}

/** How a step ended. `waiting`: wallets wait for their second look, or read APIs for another attempt. */
export type PoolStep = 'more' | 'waiting' | 'done' | { readonly failure: string }

/** A place in the pool: a network by its number, and the cursor of its next page. */
interface Place {
  readonly network: number
  readonly after: string | null
}

/**
 * Asks the read APIs for the wallets of the pool, round after round, because a transaction that no store lists, or that
 * nobody can read, may have given one away.
 *
 * ```
 *  untouched since it was made · changed by transactions that can be read and do not assign → stays
 *  changed by one that assigns, or that no read API tells → asked for again later → still so → withdrawn
 * ```
 *
 * Where a round has come is kept in memory only: after a restart another one begins.
 */
export class PoolCheck {
  private place: Place | null = { network: 0, after: null }
  /** When each wallet that seems to be gone is due for its second look. */
  private readonly suspects = new Map<string, number>()
  /** When the next round begins, or the present one goes on. */
  private beginsAtMs = Number.NEGATIVE_INFINITY
  private goesOnAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly parts: PoolCheckParts) {}

  /** Goes on with the present round, or begins one when it is time. */
  async step(): Promise<PoolStep> {
    const nowMs = this.parts.clock.now()
    if (this.place === null && this.suspects.size === 0) {
      if (nowMs < this.beginsAtMs) return 'done'
      this.place = { network: 0, after: null }
    }
    if (nowMs < this.goesOnAtMs) return 'waiting'
    const due = [...this.suspects].filter(([, dueMs]) => dueMs <= nowMs).map(([id]) => id)
    const failure = due.length > 0 ? await this.lookAgain(due.slice(0, ASKED_WALLETS)) : await this.lookAtPage(nowMs)
    if (failure !== null) {
      this.goesOnAtMs = nowMs + this.parts.secondLookMs
      return { failure }
    }
    if (this.place !== null && this.suspects.size < SUSPECTS_MAX) return 'more'
    if (this.suspects.size > 0) return 'waiting'
    this.beginsAtMs = nowMs + ROUND_PAUSE_MS
    return 'done'
  }

  private async lookAtPage(nowMs: number): Promise<string | null> {
    const { pool, secondLookMs } = this.parts
    const { place } = this
    if (place === null || this.suspects.size >= SUSPECTS_MAX) return null
    const network = pool.networks[place.network]
    if (network === undefined) {
      this.place = null
      return null
    }
    const { items, next } = await pool.wallets.unassigned(network, { after: place.after, limit: ASKED_WALLETS })
    const looks = await this.look(items.map(({ id }) => id).filter(isStreamId))
    if (typeof looks === 'string') return looks
    for (const { id } of looks) this.suspects.set(id, nowMs + secondLookMs)
    this.place = next === null ? { network: place.network + 1, after: null } : { ...place, after: next }
    return null
  }

  private async lookAgain(wallets: readonly string[]): Promise<string | null> {
    const looks = await this.look(wallets)
    if (typeof looks === 'string') return looks
    // No store tells when; the operator who puts the wallet back does it later than now.
    const ledgerMs = this.parts.clock.now()
    await withdrawAll(
      looks.map(({ id, umid }): WithdrawalFact => {
        return { type: 'wallet.withdrawn', id, umid, ledgerMs, mayBeUnknown: false }
      }),
      this.parts,
    )
    for (const id of wallets) this.suspects.delete(id)
    return null
  }

  /** The wallets that seem to be gone, and what took each; or why that is not known now. */
  private async look(wallets: readonly string[]): Promise<readonly Taken[] | string> {
    if (wallets.length === 0) return []
    const { source, isStopped } = this.parts
    const takers = await Promise.all(wallets.map((id) => this.takerOf(id)))
    // Asked for behind the others: a failure in between shows here.
    const silent = await source.silentReadApis()
    if (isStopped()) return 'it was stopped'
    if ((source.readApis - silent.length) * 2 <= source.readApis) return 'half of the read APIs or more do not answer'
    return wallets.flatMap((id, i) => {
      const umid = takers[i] ?? null
      return umid === null ? [] : [{ id, umid }]
    })
  }

  /** The last transaction that has given a wallet away or may have; null when there is none. */
  private async takerOf(wallet: string): Promise<string | null> {
    const { source, followed } = this.parts
    const changes = await source.changesOf(wallet)
    for (const umid of changes.slice(-CHANGES_MAX).toReversed()) {
      const answer = await source.transaction(umid)
      if (answer.kind !== 'found' || isTakenBy(wallet, answer.value, followed)) return umid
    }
    return null
  }
}

interface Taken {
  readonly id: string
  readonly umid: string
}
