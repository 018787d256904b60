import type { Currency } from '../../../domain/amount.js'
import { type Outcome, succeed } from '../../../domain/failure.js'
import type { SignedCreation } from '../../../domain/idempotency.js'
import {
  type Invoice,
  type InvoiceFacts,
  type InvoiceRequest,
  type InvoiceTerms,
  mixesCoins,
  refuseInvoice,
  WALLET_SETS_MAX,
} from '../../../domain/invoice.js'
import { callbackOf } from '../../rules/callbacks.js'
import { isRepeatedCreation } from '../commands/idempotency.js'
import type { Commit } from '../commit/commit-loop.js'
import { logEvent } from '../events/event-log.js'
import { invoiceEvent } from '../events/event-rows.js'
import { ownerNoOf } from '../identities/identities.js'
import { accountOf, headOf } from '../payments/running-totals.js'
import { type InvoiceId, type OwnerNo, type SetNo, under } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import { findWallet, type WalletRow } from '../wallets/wallets.js'
import { addExpiry, settleIfPaid } from './invoice-index.js'
import { type Place, placeOf } from './invoice-places.js'
import { putInvoiceRow } from './invoice-rows.js'
import {
  countOpenSetsAt,
  enterOpen,
  firstOpenOf,
  hasOpenInvoice,
  isKnownFull,
  noteFull,
  openOfAmount,
  openSetsAt,
} from './open-invoices.js'
import { findSet, internSet, setNoOf } from './wallet-sets.js'

const MS_PER_SECOND = 1000

/** The wallets of a creation, all of which belong to its owner. */
interface OwnedWallets {
  readonly ownerNo: OwnerNo
  readonly wallets: readonly WalletRow[]
}

/** Loads the facts, lets the domain decide, applies. */
export function createInvoice(
  commit: Commit,
  request: InvoiceRequest,
  signed: SignedCreation | undefined,
  terms: InvoiceTerms,
): Outcome<Invoice> {
  const owned = ownedWallets(commit, request)
  const facts = new CreationFacts(commit, request, owned, signed, terms)
  const refusal = refuseInvoice(request, facts)
  if (refusal !== null) return { ok: false, failure: refusal }
  if (owned === null) throw new Error('an invoice was allowed on wallets that are not owned')
  return succeed(insert(commit, request, owned, facts.places))
}

/** Null unless every wallet is known, has an address to be paid at, and belongs to the owner. */
function ownedWallets(commit: Commit, { owner, walletIds }: InvoiceRequest): OwnedWallets | null {
  const ownerNo = ownerNoOf(commit, owner)
  if (ownerNo === undefined) return null
  const wallets: WalletRow[] = []
  for (const id of walletIds) {
    const wallet = findWallet(commit, id)
    if (wallet === undefined || wallet.ownerNo !== ownerNo || wallet.addressNo === null) return null
    wallets.push(wallet)
  }
  return { ownerNo, wallets }
}

function insert(
  commit: Commit,
  request: InvoiceRequest,
  { ownerNo, wallets }: OwnedWallets,
  places: readonly Place[],
): Invoice {
  const { nowMs, tables } = commit
  const { expiresInSeconds, currency, amount } = request
  const id = commit.newId() as InvoiceId
  const invoice: Invoice = {
    id: id.toString('hex'),
    owner: request.owner,
    wallet_id: request.walletIds[0] ?? '',
    wallet_ids: request.walletIds.join(','),
    name: request.name,
    description: request.description,
    reference: request.reference,
    amount: request.amountText,
    currency,
    callback_url: request.callbackUrl,
    created_at: nowMs,
  }
  const setNo = internSet(commit, request.owner, ownerNo, wallets)
  const expiresAt = expiresInSeconds === null ? null : nowMs + expiresInSeconds * MS_PER_SECOND
  putInvoiceRow(commit, { id, invoice, setNo, expiresAt, voidedAt: null, hasOutlivedExpiry: false })
  tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
  if (invoice.reference !== null) tables.references.putSync(Buffer.from(invoice.reference), id)
  if (expiresAt !== null) addExpiry(commit, expiresAt, id)
  // Every open invoice of the amount would have refused this one.
  enterOpen(commit, { id, places, setNo, currency, amount, callback: callbackOf(invoice) }, true)
  logEvent(commit, ownerNo, invoiceEvent('invoice.created', id))
  if (wallets.some((wallet) => hasLaterDeposit(commit, wallet, currency))) settleIfPaid(commit, id)
  return invoice
}

/** Whether a confirmed deposit is dated after now: it counts for an invoice that is created now. */
function hasLaterDeposit({ tables, nowMs }: Commit, { addressNo }: WalletRow, currency: Currency): boolean {
  return addressNo !== null && headOf(tables.confirmedTotals, accountOf(addressNo, currency)).receivedAt > nowMs
}

/** The facts about a new invoice, in LMDB. Open invoices that turn out to be paid are settled on the way. */
class CreationFacts implements InvoiceFacts {
  /** One on each of the wallets; none unless every one is the owner's. */
  readonly places: readonly Place[]

  constructor(
    private readonly commit: Commit,
    private readonly request: InvoiceRequest,
    /** Null unless every wallet is the owner's. */
    private readonly owned: OwnedWallets | null,
    private readonly signed: SignedCreation | undefined,
    private readonly terms: InvoiceTerms,
  ) {
    this.places = owned === null ? [] : owned.wallets.map(({ no }) => placeOf(no, owned.ownerNo))
  }

  areWalletsOwned(): boolean {
    return this.owned !== null
  }

  areCoinsMixed(): boolean {
    const wallets = this.owned?.wallets ?? []
    return mixesCoins(
      this.terms,
      this.request,
      wallets.map(({ network }) => network),
    )
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
    for (const place of this.places) {
      for (const id of openOfAmount(commit, place, currency, amount)) {
        if (settleIfPaid(commit, id) === 'open') return true
      }
    }
    return false
  }

  isWalletTaken(): boolean {
    if (this.terms.areWalletsShared) return false
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
    const walletIds = unpaid.flatMap((setNo) => findSet(this.commit, setNo).walletIds)
    noteFull(this.commit, place, walletIds)
    return true
  }

  private hasUnpaid(place: Place, setNo: SetNo, currency?: InvoiceRequest['currency']): boolean {
    // One that is not unpaid leaves the open invoices, so that another becomes the first.
    for (;;) {
      const id = firstOpenOf(this.commit, place, setNo, currency)
      if (id === null) return false
      if (settleIfPaid(this.commit, id) === 'open') return true
    }
  }
}
