import type { FactWork } from '../../rules/ledger-facts.js'
import { noteWallet } from '../chain/watch-rows.js'
import type { Commit } from '../commit/commit.js'
import { identityWorkOn, internOwner } from '../identities/identities.js'
import { depositsChanged } from '../invoices/open-invoices.js'
import { earlierAnswer, rememberAnswer } from '../ledger/events.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { poolWorkOn } from './pool-work.js'
import type { WalletRow } from './wallet-row.js'
import { bindAddress, findAddress, findWallet, saveWallet } from './wallets.js'

/** What a commit does for facts of the ledger. */
export function factWorkOn(commit: Commit): FactWork<WalletRow> {
  return {
    ...poolWorkOn(commit),
    ...identityWorkOn(commit),
    earlierAnswer: (eventId) => earlierAnswer(commit, eventId),
    rememberAnswer: (eventId, outcome) => rememberAnswer(commit, eventId, outcome),
    known({ id, network, address }) {
      const place = network === null || address === null ? undefined : findAddress(commit, network, address)
      const wallet = findWallet(commit, id) ?? null
      return { wallet, ledgerAt: wallet === null ? null : dateOf(commit, id), holder: place?.walletId ?? null }
    },
    putWallet(wallet, known, hasNewOwner) {
      const { owner } = wallet
      depositsChanged(commit, wallet.id)
      const row: WalletRow = {
        ...wallet,
        no: known?.no ?? commit.nextNo('wallet'),
        ownerNo: owner === null ? null : internOwner(commit, owner),
        addressNo: bindAddress(commit, wallet),
        assignmentNo: hasNewOwner ? commit.nextNo('assignment') : (known?.assignmentNo ?? null),
        leasedUntil: known?.leasedUntil ?? 0,
      }
      saveWallet(commit, row, known ?? undefined)
      // Also of one that is known: data of before did not note when.
      if (row.network !== null) noteWallet(commit, row.network, commit.nowMs)
    },
    keepDate(id, owner, ledgerMs) {
      if (findWallet(commit, id)?.owner !== owner) return
      const known = dateOf(commit, id)
      if (known !== null && known >= ledgerMs) return
      commit.tables.ledgerDates.putSync(Buffer.from(id), timeKey(ledgerMs))
    },
  }
}

function dateOf({ tables }: Commit, walletId: string): number | null {
  return tables.ledgerDates.get(Buffer.from(walletId))?.readUIntBE(0, WIDE_BYTES) ?? null
}
