import type { SignedCreation } from '../../../domain/idempotency.js'
import type { InvoiceRequest } from '../../../domain/invoice.js'
import { type InvoiceFacts, WALLET_SETS_MAX } from '../../../domain/invoice.js'
import { isRepeatedCreation } from '../commands/signed-creations.js'
import type { Commit } from '../commit/commit-loop.js'
import type { OwnerNo, SetNo } from '../tables/names.js'
import type { WalletRow } from '../wallets/wallets.js'
import { isUnpaid } from './invoice-index.js'
import { type Place, placeOf } from './invoice-places.js'
import { firstOpenOf, openOfAmount } from './open-invoices.js'
import { countOpenSetsAt, hasOpenInvoice, isKnownFull, noteFull, openSetsAt } from './open-sets.js'
import { findSet, setNoOf } from './wallet-sets.js'

/** The wallets of a creation, every one known to be its owner's. */
export interface OwnedWallets {
  readonly ownerNo: OwnerNo
  readonly wallets: readonly WalletRow[]
}

/** The facts about a new invoice, in LMDB. Open invoices that turn out to be paid are settled on the way. */
export class CreationFacts implements InvoiceFacts {
  /** One on each of the wallets; none unless every one is the owner's. */
  readonly places: readonly Place[]

  constructor(
    private readonly commit: Commit,
    private readonly request: InvoiceRequest,
    /** Null unless every wallet is the owner's. */
    private readonly owned: OwnedWallets | null,
    private readonly signed: SignedCreation | undefined,
    /** Whether several unpaid invoices of a currency may share a wallet. */
    private readonly areWalletsShared: boolean,
  ) {
    this.places = owned === null ? [] : owned.wallets.map(({ no }) => placeOf(no, owned.ownerNo))
  }

  areWalletsOwned(): boolean {
    return this.owned !== null
  }

  isRepeated(): boolean {
    return this.signed !== undefined && isRepeatedCreation(this.commit, this.signed)
  }

  isReferenceTaken(): boolean {
    const { reference } = this.request
    return reference !== null && this.commit.tables.references.doesExist(Buffer.from(reference))
  }

  isAmountTaken(): boolean {
    const { commit } = this
    const { currency, amount } = this.request
    return this.places.some((place) => openOfAmount(commit, place, currency, amount).some((id) => isUnpaid(commit, id)))
  }

  isWalletTaken(): boolean {
    if (this.areWalletsShared) return false
    const { currency } = this.request
    return this.places.some((place) => {
      for (const setNo of openSetsAt(this.commit, place)) if (this.hasUnpaid(place, setNo, currency)) return true
      return false
    })
  }

  areSetsExhausted(): boolean {
    const { commit, owned } = this
    const [first] = this.places
    if (first === undefined || owned === null) return false
    const setNo = setNoOf(commit, owned.ownerNo, owned.wallets)
    if (setNo !== undefined && hasOpenInvoice(commit, first, setNo)) return false
    if (this.places.some((place) => isKnownFull(commit, place))) return true
    return this.places.some((place) => countOpenSetsAt(commit, place) >= WALLET_SETS_MAX && this.isFull(place))
  }

  /** Whether as many sets of wallets as may share a wallet have an unpaid invoice at a place. */
  private isFull(place: Place): boolean {
    // Sets whose invoices turn out to be paid leave, so that no later search examines them.
    const unpaid = [...openSetsAt(this.commit, place)].filter((setNo) => this.hasUnpaid(place, setNo))
    if (unpaid.length < WALLET_SETS_MAX) return false
    noteFull(
      this.commit,
      place,
      unpaid.flatMap((setNo) => findSet(this.commit, setNo).walletIds),
    )
    return true
  }

  private hasUnpaid(place: Place, setNo: SetNo, currency?: InvoiceRequest['currency']): boolean {
    for (let id = firstOpenOf(this.commit, place, setNo, currency); id !== null; ) {
      if (isUnpaid(this.commit, id)) return true
      id = firstOpenOf(this.commit, place, setNo, currency)
    }
    return false
  }
}
