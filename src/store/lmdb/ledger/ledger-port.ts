import type { FlawOfAddress } from '../../../domain/wallet.js'
import type { LedgerPort } from '../../ledger.js'
import { answeredNow } from '../../rules/asking.js'
import { applyEvent } from '../../rules/ledger-facts.js'
import type { AtOnce } from '../at-once.js'
import type { LmdbChain } from '../chain/chain-port.js'
import type { Commit } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { findKeys, putKeyHistory } from '../identities/identity-keys.js'
import { factWorkOn } from '../wallets/wallet-facts.js'
import { removeEventsBefore } from './events.js'
import { readMemory, writeStep } from './ledger-rows.js'

/** Facts of the ledger, each applied once, and the memory of a follower. */
export function lmdbLedger(commits: CommitLoop, chain: LmdbChain, flawOfAddress: FlawOfAddress): AtOnce<LedgerPort> {
  return {
    async applyFacts(batch) {
      const units = batch.map(
        (event) => (commit: Commit) => answeredNow(applyEvent(factWorkOn(commit), event, flawOfAddress)),
      )
      const fates = await commits.runAll(units)
      for (const { fact } of batch) {
        if (fact.type !== 'wallet.created' && fact.type !== 'wallet.assigned') continue
        if (fact.network !== null && fact.address !== null) chain.learned(fact.network, fact.address)
      }
      return fates
    },
    memory: () => readMemory(commits.snapshot),
    keyHistory: (identity) => findKeys(commits.snapshot, identity)?.history ?? undefined,
    saveKeyHistory: (identity, history) => commits.runAdmitted((commit) => putKeyHistory(commit, identity, history)),
    saveStep: (step) => commits.runAdmitted((commit) => writeStep(commit, step)),
    removeEventsBefore: (timeMs, limit) => commits.run((commit) => removeEventsBefore(commit, timeMs, limit)),
  }
}
