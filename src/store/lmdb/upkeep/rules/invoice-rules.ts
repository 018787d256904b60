import { parseInvoiceAmount } from '../../../../domain/amount.js'
import { flawForDeposits } from '../../../../domain/invoice-flaw.js'
import { callbackOf } from '../../../rules/callbacks.js'
import { storeIdOf } from '../../../rules/store-id.js'
import { invoiceEvent } from '../../events/event-rows.js'
import { expiryKey } from '../../invoices/invoice-index.js'
import { type IndexedInvoice, placeOf } from '../../invoices/invoice-places.js'
import { fromStored, invoiceCodec, type StoredInvoice } from '../../invoices/invoice-rows.js'
import { amountKey } from '../../invoices/open-amounts.js'
import { openKey } from '../../invoices/open-invoices.js'
import { greatestKey, paidKey, unmatchedKey } from '../../invoices/paid-invoices.js'
import { voidKey } from '../../invoices/void-invoices.js'
import type { WalletSet } from '../../invoices/wallet-set.js'
import { accountOf, totalAfter } from '../../payments/running-totals.js'
import { CURRENCIES_MAX, type CurrencyNo } from '../../tables/currencies.js'
import {
  bigintFromBytes,
  bigintToBytes,
  ID_BYTES,
  type InvoiceId,
  numberKey,
  timeOfId,
  under,
  type WalletNo,
} from '../../tables/keys.js'
import type { WalletRow } from '../../wallets/wallet-row.js'
import { Bits } from '../numbers.js'
import type { Reading } from '../reading.js'
import type { MakeRule, Rule } from './rule.js'

/** An invoice with the wallets that its deposits come to. */
interface ReadInvoice extends IndexedInvoice {
  readonly stored: StoredInvoice
  readonly wallets: readonly WalletRow[]
}

export const invoices: MakeRule = (reading) => new InvoiceRule(reading)

class InvoiceRule implements Rule {
  /** The wallets and currencies of which the greatest amount ever paid is the amount of an invoice. */
  private readonly attained = new Bits()

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    if (key.length !== ID_BYTES) return reading.wrong('its key is not an id')
    const stored = invoiceCodec.decode(value)
    const set = reading.walletSet(stored.setNo as WalletSet['no'])
    if (set === undefined) return reading.wrong(`payees does not have its set of wallets, ${stored.setNo}`)
    const id = key as InvoiceId
    reading.owe('ownerInvoices', under(set.ownerNo, id))
    if (stored.reference !== null) reading.owe('references', Buffer.from(stored.reference), id)
    if (stored.importedAs !== null) this.checkImported(stored.importedAs, id)
    if (stored.orderId !== null) {
      reading.expect(reading.has('orders', Buffer.from(stored.orderId)), 'orders does not have its order')
    }
    this.checkWallets(stored, set)
    this.checkEnding(stored, id)
    this.checkEvents(stored, set, id)
    const invoice = this.indexed(id, stored, set)
    if (invoice === null) return
    if (stored.voidedAt === null) {
      // An accepted one is on none of the lists.
      if (stored.acceptedAt === null) this.checkState(invoice)
      this.checkForDeposits(id, stored, set)
    } else {
      for (const place of invoice.places) reading.owe('voidInvoices', voidKey(place, invoice, stored.voidedAt))
    }
    for (const { no } of invoice.wallets) this.noteAttained(no, invoice)
  }

  finish(): void {
    const { reading, attained } = this
    for (const { key } of reading.tables.paidAmounts?.getRange() ?? []) {
      if (key.length !== 5 || !attained.has(walletBit(key.readUInt32BE(0), key[4] ?? 0))) {
        reading.at('paidAmounts', key)
        reading.wrong('it is the amount of no invoice on its wallet')
      }
    }
  }

  private checkImported(name: string, id: InvoiceId): void {
    const { reading } = this
    const isRight = storeIdOf({ id: name, created_at: timeOfId(id) }) === id.toString('hex')
    reading.expect(isRight, 'its key is not that of its id')
    reading.owe('importedInvoices', Buffer.from(name), id)
  }

  private checkWallets({ walletIds }: StoredInvoice, set: WalletSet): void {
    // An empty text is a record from before multi-wallet support.
    if (walletIds === null || walletIds === '') return
    const named = walletIds.split(',').sort().join()
    this.reading.expect(named === [...set.walletIds].sort().join(), 'its wallets are not those of its set')
  }

  private checkEnding(ending: StoredInvoice, id: InvoiceId): void {
    const { reading } = this
    const { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry } = ending
    if (acceptedAt !== null) {
      reading.expect(voidedAt === null, 'it is void and accepted')
      reading.expect(expiresAt === null || hasOutlivedExpiry, 'it is accepted and may expire')
    }
    if (expiresAt === null) return reading.expect(!hasOutlivedExpiry, 'it has outlived an expiry and has none')
    // The row goes when the expiry is decided, at the latest; a voiding leaves it until then.
    if (voidedAt === null && !hasOutlivedExpiry) reading.owe('expiries', expiryKey(expiresAt, id))
    else reading.oweIfThere('expiries', expiryKey(expiresAt, id))
  }

  private checkEvents({ voidedAt, acceptedAt }: StoredInvoice, { ownerNo }: WalletSet, id: InvoiceId): void {
    const { logged } = this.reading
    const created = invoiceEvent('invoice.created', id)
    if (logged.isMissing(ownerNo, timeOfId(id), (event) => event.equals(created))) {
      this.reading.wrong('owner-events does not have that it was created')
    }
    const accepted = invoiceEvent('invoice.accepted', id)
    if (acceptedAt !== null && logged.isMissing(ownerNo, acceptedAt, (event) => event.equals(accepted))) {
      this.reading.wrong('owner-events does not have that it was accepted')
    }
    if (voidedAt === null) return
    const ends = [invoiceEvent('invoice.voided', id), invoiceEvent('invoice.expired', id)]
    if (logged.isMissing(ownerNo, voidedAt, (event) => ends.some((end) => event.equals(end)))) {
      this.reading.wrong('owner-events does not have that it became void')
    }
  }

  private indexed(id: InvoiceId, stored: StoredInvoice, set: WalletSet): ReadInvoice | null {
    const { reading } = this
    const currencyNo = stored.currencyNo as CurrencyNo
    const hasCurrency = reading.currencies.find(currencyNo) !== undefined
    const amount = parseInvoiceAmount(stored.amount)
    reading.expect(hasCurrency, 'it has no currency')
    reading.expect(amount !== null, 'it has no amount')
    const wallets = set.walletIds.map((walletId) => reading.wallet(walletId)).filter((one) => one !== undefined)
    // A missing wallet is told where its set is read.
    if (!hasCurrency || amount === null || wallets.length < set.walletIds.length) return null
    const callback = callbackOf({ reference: stored.reference, callback_url: stored.callbackUrl })
    const places = wallets.map(({ no }) => placeOf(no, set.ownerNo))
    return { id, places, setNo: set.no, currencyNo, amount, callback, stored, wallets }
  }

  /** One that is not void is either open on each of its wallets, or paid on each of them. */
  private checkState(invoice: ReadInvoice): void {
    const { reading } = this
    const [place] = invoice.places
    if (place === undefined) return reading.wrong('it has no wallet')
    const isOpen = reading.has('openInvoices', openKey(invoice))
    const isPaid = reading.has('paidInvoices', paidKey(place, invoice))
    if (isOpen && isPaid) reading.wrong('it is in open-invoices and in paid-invoices')
    else if (isOpen) this.checkOpen(invoice)
    else if (isPaid) this.checkPaid(invoice)
    else reading.wrong('it is not void, and neither in open-invoices nor in paid-invoices')
  }

  private checkOpen(invoice: ReadInvoice): void {
    const { currencyNo, amount, id, wallets } = invoice
    this.reading.owe('openInvoices', openKey(invoice))
    for (const place of invoice.places) this.reading.owe('openAmounts', amountKey(place, currencyNo, amount), id)
    if (this.confirmedFor(wallets, currencyNo, timeOfId(id)) < amount) return
    this.reading.expect(
      wallets.some(({ no }) => this.reading.has('unsettledWallets', numberKey(no))),
      'it is in open-invoices, confirmed-totals covers it, and none of its wallets is in unsettled-wallets',
    )
  }

  private checkPaid(invoice: ReadInvoice): void {
    const { reading } = this
    for (const place of invoice.places) {
      reading.owe('paidInvoices', paidKey(place, invoice))
      if (!reading.has('matches', invoice.id)) reading.owe('unmatchedInvoices', unmatchedKey(place, invoice))
    }
    const { amount, currencyNo, id, wallets } = invoice
    reading.expect(
      this.confirmedFor(wallets, currencyNo, timeOfId(id)) >= amount,
      'it is in paid-invoices, and confirmed-totals does not cover it',
    )
    for (const { no } of wallets) {
      const isCounted = this.greatestPaid(no, currencyNo) >= amount
      reading.expect(isCounted, `paid-amounts has less than its amount for the wallet of number ${no}`)
    }
  }

  private checkForDeposits(id: InvoiceId, stored: StoredInvoice, set: WalletSet): void {
    const flaw = flawForDeposits(fromStored(id, stored, set, this.reading.currencies).invoice)
    if (flaw !== null) this.reading.wrong(`a deposit would trip over it: ${flaw}`)
  }

  private confirmedFor(wallets: readonly WalletRow[], currencyNo: CurrencyNo, createdAt: number): bigint {
    const { confirmedTotals } = this.reading.tables
    let sum = 0n
    for (const { addressNo } of wallets) {
      if (addressNo === null || confirmedTotals === undefined) continue
      sum += totalAfter(confirmedTotals, accountOf(addressNo, currencyNo), createdAt)
    }
    return sum
  }

  private noteAttained(walletNo: WalletNo, { currencyNo, amount }: ReadInvoice): void {
    if (this.greatestPaid(walletNo, currencyNo) === amount) this.attained.add(walletBit(walletNo, currencyNo))
  }

  private greatestPaid(walletNo: WalletNo, currencyNo: CurrencyNo): bigint {
    const bytes = this.reading.get('paidAmounts', greatestKey(walletNo, currencyNo))
    return bytes === undefined ? 0n : bigintFromBytes(bytes)
  }
}

function walletBit(walletNo: number, currencyNo: number): number {
  return CURRENCIES_MAX * walletNo + currencyNo
}

export const openAmounts: MakeRule = (reading) => ({
  row(key, ids) {
    reading.expect(ids.length > 0 && ids.length % ID_BYTES === 0, 'it is no list of ids')
    for (let at = 0; at + ID_BYTES <= ids.length; at += ID_BYTES) reading.find(key, ids.subarray(at, at + ID_BYTES))
  },
})

export const paidAmounts: MakeRule = (reading) => ({
  row(_key, value) {
    reading.expect(value.length > 0 && bigintToBytes(bigintFromBytes(value)).equals(value), 'it is no amount')
  },
})
