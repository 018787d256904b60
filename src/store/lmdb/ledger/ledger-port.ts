import type { FlawOfAddress } from '../../../domain/wallet.js'
import type { LedgerPort } from '../../ledger.js'
import { eventsBy } from '../../rules/ledger-facts.js'
import type { AtOnce } from '../at-once.js'
import type { LmdbChain } from '../chain/chain-port.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { eachAlone } from '../each-alone.js'
import { findKeys, putKeyHistory } from '../identities/identity-keys.js'
import { factWorkOn } from '../wallets/wallet-facts.js'
import { removeEventsBefore } from './events.js'
import { readMemory, writeStep } from './ledger-rows.js'

/** Facts of the ledger, each applied once, and the memory of a follower. */
export function lmdbLedger(commits: CommitLoop, chain: LmdbChain, flawOfAddress: FlawOfAddress): AtOnce<LedgerPort> {
  const apply = eventsBy(factWorkOn, eachAlone(commits), flawOfAddress)
  return {
    async applyFacts(batch) {
      const fates = await apply(batch)
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
