import type { KeyHistory } from '../../../domain/key-history.js'
import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { LedgerMemory, LedgerStep } from '../../../domain/ledger-progress.js'
import type { FlawOfAddress } from '../../../domain/wallet.js'
import type { Settled } from '../../commands.js'
import type { LedgerEvent, LedgerPort } from '../../ledger.js'
import { answeredNow } from '../../rules/asking.js'
import { applyEvent } from '../../rules/ledger-facts.js'
import type { LmdbChain } from '../chain/chain-port.js'
import type { Commit } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { findKeys, putKeyHistory } from '../identities/identity-keys.js'
import { factWorkOn } from '../wallets/wallet-facts.js'
import { removeEventsBefore } from './events.js'
import { readMemory, writeStep } from './ledger-rows.js'

/** Facts of the ledger, each applied once, and the memory of a follower. */
export class LmdbLedger implements LedgerPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly chain: LmdbChain,
    private readonly flawOfAddress: FlawOfAddress,
  ) {}

  async applyFacts(batch: readonly LedgerEvent[]): Promise<readonly Settled<EventOutcome>[]> {
    const units = batch.map(
      (event) => (commit: Commit) => answeredNow(applyEvent(factWorkOn(commit), event, this.flawOfAddress)),
    )
    const fates = await this.commits.runAll(units)
    for (const { fact } of batch) {
      if (fact.type !== 'wallet.created' && fact.type !== 'wallet.assigned') continue
      if (fact.network !== null && fact.address !== null) this.chain.learned(fact.network, fact.address)
    }
    return fates
  }

  memory(): LedgerMemory | undefined {
    return readMemory(this.commits.snapshot)
  }

  keyHistory(identity: string): KeyHistory | undefined {
    return findKeys(this.commits.snapshot, identity)?.history ?? undefined
  }

  saveKeyHistory(identity: string, history: KeyHistory): Promise<void> {
    return this.commits.runAdmitted((commit) => putKeyHistory(commit, identity, history))
  }

  saveStep(step: LedgerStep): Promise<void> {
    return this.commits.runAdmitted((commit) => writeStep(commit, step))
  }

  removeEventsBefore(timeMs: number, limit: number): Promise<number> {
    return this.commits.run((commit) => removeEventsBefore(commit, timeMs, limit))
  }
}
