import type { Effect, LedgerPlace } from './ledger-contracts.js'
import type { LedgerEntry } from './ledger-journal.js'
import type { ChangedStreams } from './ledger-verdict.js'

/** What the journal keeps of a transaction's effect. */
export function entryOf(umid: string, effect: Effect, isSignedBy: (identity: string) => boolean): LedgerEntry {
  switch (effect.type) {
    case 'identity':
    case 'keys': {
      const { type, identity, publicKey } = effect
      return { type, umid, identity, publicKey }
    }
    case 'assignment':
      return { umid, ...effect, isSigned: isSignedBy(effect.owner) }
    case 'other':
      return { type: 'plain', umid, isListed: effect.created.length + effect.updated.length > 0 }
  }
}

/** The streams that an effect changes, as the answer names them; null when there are none. */
export function changedBy(effect: Effect, { onboardingName, walletName }: LedgerPlace): ChangedStreams | null {
  switch (effect.type) {
    case 'identity':
      return { new: [{ id: effect.identity, name: effect.name }], updated: [] }
    case 'keys':
      return { new: [], updated: [{ id: effect.identity, name: onboardingName }] }
    case 'assignment':
      return { new: [], updated: [{ id: effect.wallet, name: walletName }] }
    case 'other': {
      const { created, updated } = effect
      return created.length + updated.length === 0 ? null : { new: created, updated }
    }
  }
}
