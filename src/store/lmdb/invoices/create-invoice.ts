import type { ApiKey } from '../../../domain/api-key.js'
import type { IdempotentRequest, SignedCreation } from '../../../domain/idempotency.js'
import {
  type Invoice,
  type InvoiceRequest,
  type InvoiceTerms,
  reasonAgainst,
  type UnusableWallet,
  WALLET_SETS_MAX,
} from '../../../domain/invoice.js'
import type { Network } from '../../../domain/network.js'
import type { InvoiceCommand, InvoiceResult } from '../../commands.js'
import { callbackOf } from '../../rules/callbacks.js'
import { type Beginning, type CreationWork, createInvoice, type EarlierRequest } from '../../rules/create-invoice.js'
import { CreationFacts } from '../../rules/creation-facts.js'
import { findEarlier, isRepeatedCreation, rememberCreation, rememberRequest } from '../commands/idempotency.js'
import type { Commit } from '../commit/commit.js'
import { logEvent } from '../events/event-log.js'
import { invoiceEvent } from '../events/event-rows.js'
import { ownerNoOf } from '../identities/identities.js'
import { findById } from '../keys/api-keys.js'
import { accountOf, totalAfter } from '../payments/running-totals.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { type InvoiceId, type OwnerNo, under } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import type { WalletRow } from '../wallets/wallet-row.js'
import { findWallet } from '../wallets/wallets.js'
import { addExpiry, settleIfPaid } from './invoice-index.js'
import { type Place, placeOf } from './invoice-places.js'
import { putInvoiceRow } from './invoice-rows.js'
import { findOpenOfAmount } from './open-amounts.js'
import { countOpenSetsAt, enterOpen, hasOpenInvoice, isKnownFull } from './open-invoices.js'
import { isOpenSet, setName, settleThenHasOpen, settleThenIsFull } from './open-sets.js'
import { putOrder } from './order-rows.js'
import { enterPaid } from './paid-invoices.js'
import { internSet, listedSets, setNoOf } from './wallet-sets.js'

/** Creates an invoice, in LMDB. */
export function createIn(commit: Commit, command: InvoiceCommand, terms: InvoiceTerms): InvoiceResult {
  return createInvoice(new LmdbCreation(commit, command, terms), command)
}

/** What an invoice is created with that is an option of an order. */
interface OptionOf {
  /** The wallets of invoices that are entered with it. */
  readonly alongside: readonly (readonly string[])[]
  /** One for all options. */
  readonly examination: Examination
}

/** How many invoices may still be examined. */
export class Examination {
  constructor(private left: number) {}

  /** False when there have been enough. */
  take(): boolean {
    this.left -= 1
    return this.left >= 0
  }
}

/** The creation of an invoice of an order, by the terms of its options. */
export function optionCreation(
  commit: Commit,
  request: InvoiceRequest,
  terms: InvoiceTerms,
  option: OptionOf,
): CreationWork {
  return new LmdbCreation(commit, { type: 'invoice', request }, terms, option)
}

/** The wallets of a creation, all of which belong to its owner. */
interface OwnedWallets {
  readonly ownerNo: OwnerNo
  readonly wallets: readonly WalletRow[]
  /** One on each of the wallets. */
  readonly places: readonly Place[]
}

/** One creation. Open invoices that turn out to be paid are settled as they are met. */
class LmdbCreation extends CreationFacts implements CreationWork {
  /** Null until it is known that every wallet is the owner's. */
  private owned: OwnedWallets | null = null
  /** Null until it is created. */
  private id: InvoiceId | null = null

  constructor(
    private readonly commit: Commit,
    command: InvoiceCommand,
    terms: InvoiceTerms,
    private readonly option?: OptionOf,
  ) {
    super(command, terms, option?.alongside)
  }

  get nowMs(): number {
    return this.commit.nowMs
  }

  key(id: string): ApiKey | undefined {
    return findById(this.commit, id)
  }

  earlier(request: IdempotentRequest): EarlierRequest | undefined {
    return findEarlier(this.commit, request)
  }

  unusableWallet(): UnusableWallet | null {
    const { commit, request } = this
    const ownerNo = ownerNoOf(commit, request.owner)
    if (ownerNo === undefined) return { wallet: this.walletAt(0), reason: 'not_assigned' }
    const wallets: WalletRow[] = []
    const places: Place[] = []
    for (const id of request.walletIds) {
      const wallet = findWallet(commit, id)
      const reason = reasonAgainst(
        wallet && { isOwned: wallet.ownerNo === ownerNo, hasAddress: wallet.addressNo !== null },
      )
      if (wallet === undefined || reason !== null) return { wallet: id, reason: reason ?? 'not_assigned' }
      wallets.push(wallet)
      places.push(placeOf(wallet.no, ownerNo))
    }
    this.owned = { ownerNo, wallets, places }
    return null
  }

  walletOfAmount(amount: bigint): string | null {
    return this.walletWithOpen(amount, (id) => settleIfPaid(this.commit, id) === 'open')
  }

  walletOfRaised(amount: bigint): string | null {
    const { commit, option } = this
    return this.walletWithOpen(
      amount,
      (id) => option?.examination.take() !== true || settleIfPaid(commit, id) === 'open',
    )
  }

  crowdedWallet(): string | null {
    const { commit } = this
    const { ownerNo, wallets } = this.allowed
    const setNo = setNoOf(commit, ownerNo, wallets)
    if (setNo !== undefined && hasOpenInvoice(commit, setNo)) return null
    return (
      this.walletWhere((place) => isKnownFull(commit, place)) ??
      this.walletWhere((place, i) => {
        const count = countOpenSetsAt(commit, place)
        // Sets are looked at only where there may be too many.
        if (count + this.alongside.length < WALLET_SETS_MAX) return false
        const beside = this.setsBeside(this.walletAt(i), setName, (ids) => this.addsASet(ids))
        const mayBeFull = count + beside.length >= WALLET_SETS_MAX
        return mayBeFull && settleThenIsFull(commit, place, this.request.walletIds, beside)
      })
    )
  }

  receivedAhead(): bigint {
    const { commit } = this
    let sum = 0n
    for (const { addressNo } of this.allowed.wallets) {
      if (addressNo === null) continue
      sum += totalAfter(commit.tables.confirmedTotals, accountOf(addressNo, this.currencyNo), commit.nowMs)
    }
    return sum
  }

  newId(): string {
    this.id = this.commit.newId() as InvoiceId
    return this.id.toString('hex')
  }

  enter(invoice: Invoice, { amount, expiresAt, isPaid, orderId }: Beginning): void {
    const { commit, created: id } = this
    const { ownerNo, places, wallets } = this.allowed
    const { tables } = commit
    const setNo = internSet(commit, invoice.owner, ownerNo, wallets)
    const ending = { expiresAt, voidedAt: null, acceptedAt: null, hasOutlivedExpiry: false }
    putInvoiceRow(commit, { id, invoice, setNo, orderId, ...ending })
    putOrder(commit, ownerNo, id, this.request.order)
    tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
    if (invoice.reference !== null) tables.references.putSync(Buffer.from(invoice.reference), id)
    if (expiresAt !== null) addExpiry(commit, expiresAt, id)
    const indexed = { id, places, setNo, currencyNo: this.currencyNo, amount, callback: callbackOf(invoice) }
    if (isPaid) enterPaid(commit, indexed)
    // Every open invoice of the amount would have refused this one.
    else enterOpen(commit, indexed, true)
  }

  log(type: 'invoice.created' | 'invoice.paid'): void {
    logEvent(this.commit, this.allowed.ownerNo, invoiceEvent(type, this.created))
  }

  rememberCreation(signed: SignedCreation): void {
    rememberCreation(this.commit, signed)
  }

  rememberRequest(request: IdempotentRequest): void {
    rememberRequest(this.commit, request, this.created)
  }

  private get currencyNo(): CurrencyNo {
    return this.commit.currencies.noOf(this.request.currency)
  }

  protected get networks(): readonly (Network | null)[] {
    return this.allowed.wallets.map(({ network }) => network)
  }

  protected hasReference(reference: string): boolean {
    return this.commit.tables.references.doesExist(Buffer.from(reference))
  }

  protected hasCreated(signed: SignedCreation): boolean {
    return isRepeatedCreation(this.commit, signed)
  }

  protected unpaidWallet(): string | null {
    return this.walletWhere((place) => {
      for (const setNo of listedSets(this.commit, place))
        if (settleThenHasOpen(this.commit, setNo, this.currencyNo)) return true
      return false
    })
  }

  /** The first wallet with an open invoice of an amount of which something is true. */
  private walletWithOpen(amount: bigint, test: (id: InvoiceId) => boolean): string | null {
    const at = findOpenOfAmount(this.commit, this.allowed.places, this.currencyNo, amount, test)
    return at < 0 ? null : this.walletAt(at)
  }

  /** The first wallet of which something is true. */
  private walletWhere(test: (place: Place, i: number) => boolean): string | null {
    const at = this.allowed.places.findIndex(test)
    return at < 0 ? null : this.walletAt(at)
  }

  private walletAt(at: number): string {
    return this.request.walletIds[at] ?? ''
  }

  /** Whether the wallets of an option before it add to the sets that have open invoices. */
  private addsASet(walletIds: readonly string[]): boolean {
    return (
      setName(walletIds) !== setName(this.request.walletIds) && !isOpenSet(this.commit, this.allowed.ownerNo, walletIds)
    )
  }

  private get allowed(): OwnedWallets {
    if (this.owned === null) throw new Error('an invoice was allowed on wallets that are not owned')
    return this.owned
  }

  private get created(): InvoiceId {
    if (this.id === null) throw new Error('an invoice was entered that has no id')
    return this.id
  }
}
