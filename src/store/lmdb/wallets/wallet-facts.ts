import type { EventOutcome, PushedKeys, WalletFact } from '../../../domain/ledger-fact.js'
import type { Wallet } from '../../../domain/wallet.js'
import type { EarlierAnswer } from '../../rules/answered-events.js'
import type { FactWork, KnownOfWallet } from '../../rules/ledger-facts.js'
import { noteWallet } from '../chain/watch-rows.js'
import { internOwner, markKnown } from '../identities/identities.js'
import { findKeys, putPushedKeys } from '../identities/identity-keys.js'
import { depositsChanged } from '../invoices/open-invoices.js'
import { earlierAnswer, rememberAnswer } from '../ledger/events.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { LmdbPoolWork } from './pool-work.js'
import type { WalletRow } from './wallet-row.js'
import { bindAddress, findAddress, findWallet, saveWallet } from './wallets.js'

/** What a commit does for facts of the ledger. */
export class LmdbFactWork extends LmdbPoolWork implements FactWork<WalletRow> {
  earlierAnswer(eventId: string): EarlierAnswer | null {
    return earlierAnswer(this.commit, eventId)
  }

  rememberAnswer(eventId: string, outcome: EventOutcome): void {
    rememberAnswer(this.commit, eventId, outcome)
  }

  markKnown(identity: string): boolean {
    return markKnown(this.commit, identity)
  }

  pushedKeys(identity: string): readonly string[] | null {
    return findKeys(this.commit, identity)?.pushed ?? null
  }

  putPushedKeys(pushed: PushedKeys): void {
    putPushedKeys(this.commit, pushed)
  }

  known({ id, network, address }: WalletFact): KnownOfWallet<WalletRow> {
    const place = network === null || address === null ? undefined : findAddress(this.commit, network, address)
    const wallet = findWallet(this.commit, id) ?? null
    return { wallet, ledgerAt: wallet === null ? null : this.dateOf(id), holder: place?.walletId ?? null }
  }

  putWallet(wallet: Wallet, known: WalletRow | null, hasNewOwner: boolean): void {
    const { commit } = this
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
  }

  keepDate(id: string, owner: string, ledgerMs: number): void {
    if (findWallet(this.commit, id)?.owner !== owner) return
    const known = this.dateOf(id)
    if (known !== null && known >= ledgerMs) return
    this.commit.tables.ledgerDates.putSync(Buffer.from(id), timeKey(ledgerMs))
  }

  private dateOf(walletId: string): number | null {
    return this.commit.tables.ledgerDates.get(Buffer.from(walletId))?.readUIntBE(0, WIDE_BYTES) ?? null
  }
}
