import { type InvoiceFacts, WALLET_SETS_MAX } from '../../domain/collision.js'
import type { InvoiceRequest } from '../../domain/invoice.js'
import type { InvoiceIndex } from './invoice-index.js'
import { type Place, placeOf } from './invoice-places.js'
import type { Payees } from './payees.js'
import type { Tables } from './tables.js'
import type { WalletRow } from './wallets.js'

/** What stands beside the request. */
export interface CreationParts {
  readonly tables: Tables
  readonly index: InvoiceIndex
  readonly payees: Payees
  /** Whether several unpaid invoices of a currency may share a wallet. */
  readonly areWalletsShared: boolean
}

/** The facts about a new invoice, in LMDB. Open invoices that turn out to be paid are settled on the way. */
export class CreationFacts implements InvoiceFacts {
  /** One on each of the wallets; none unless every one is the owner's. */
  readonly places: readonly Place[]

  constructor(
    private readonly parts: CreationParts,
    private readonly request: InvoiceRequest,
    private readonly ownerNo: number | undefined,
    /** Null unless every wallet is the owner's. */
    private readonly wallets: readonly WalletRow[] | null,
    private readonly nowMs: number,
    readonly isRepeated: () => boolean,
  ) {
    this.places = ownerNo === undefined || wallets === null ? [] : wallets.map(({ no }) => placeOf(no, ownerNo))
  }

  areWalletsOwned(): boolean {
    return this.wallets !== null
  }

  isReferenceTaken(): boolean {
    const { reference } = this.request
    return reference !== null && this.parts.tables.references.doesExist(Buffer.from(reference))
  }

  isAmountTaken(): boolean {
    const { index } = this.parts
    const { currency, amount } = this.request
    return this.places.some((place) =>
      index.open.ofAmount(place, currency, amount).some((id) => index.isUnpaid(id, this.nowMs)),
    )
  }

  isWalletTaken(): boolean {
    if (this.parts.areWalletsShared) return false
    const { currency } = this.request
    return this.places.some((place) => {
      for (const payeeNo of this.parts.index.open.sets.at(place)) {
        if (this.hasUnpaid(place, payeeNo, currency)) return true
      }
      return false
    })
  }

  areSetsExhausted(): boolean {
    const { index, payees } = this.parts
    const { sets } = index.open
    const [first] = this.places
    if (first === undefined || this.wallets === null || this.ownerNo === undefined) return false
    const payeeNo = payees.numberOf(this.ownerNo, this.wallets)
    if (payeeNo !== undefined && sets.holds(first, payeeNo)) return false
    if (this.places.some((place) => sets.isKnownFull(place))) return true
    return this.places.some((place) => sets.countAt(place) >= WALLET_SETS_MAX && this.isFull(place))
  }

  /** Whether as many sets of wallets as may share a wallet have an unpaid invoice at a place. */
  private isFull(place: Place): boolean {
    const { index, payees } = this.parts
    // Those whose invoices turn out to be paid leave, so that they are not looked at again.
    const unpaid = [...index.open.sets.at(place)].filter((payeeNo) => this.hasUnpaid(place, payeeNo))
    if (unpaid.length < WALLET_SETS_MAX) return false
    index.open.sets.noteFull(
      place,
      unpaid.flatMap((payeeNo) => payees.find(payeeNo).walletIds),
    )
    return true
  }

  private hasUnpaid(place: Place, payeeNo: number, currency?: InvoiceRequest['currency']): boolean {
    const { index } = this.parts
    for (let id = index.open.firstOf(place, payeeNo, currency); id !== null; ) {
      if (index.isUnpaid(id, this.nowMs)) return true
      id = index.open.firstOf(place, payeeNo, currency)
    }
    return false
  }
}
