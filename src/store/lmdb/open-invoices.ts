import type { Currency } from '../../domain/currency.js'
import { ID_BYTES } from './bytes.js'
import {
  amountKey,
  behind,
  classByte,
  type IndexedInvoice,
  idOfKey,
  openKey,
  openPrefix,
  type Place,
} from './invoice-places.js'
import { firstKey, NOTHING, type Tables } from './tables.js'
import type { WalletSets } from './wallet-sets.js'

/**
 * The open invoices on each wallet: those that are not void and not known to be paid. An open one may have been paid by
 * deposits that somebody made for another; who meets it finds that out and settles it (`InvoiceIndex`).
 *
 *     open-amounts    which of them ask an amount       one look-up
 *     open-invoices   which of them a set of wallets has, by class and age     one seek
 */
export class OpenInvoices {
  constructor(
    private readonly tables: Tables,
    readonly sets: WalletSets,
  ) {}

  /** `isAlone`: no open invoice asks its amount on any of its wallets. */
  enter(invoice: IndexedInvoice, isAlone = false): void {
    this.sets.entering(invoice)
    const { openAmounts, openInvoices } = this.tables
    for (const place of invoice.places) {
      const key = amountKey(place, invoice.currency, invoice.amount)
      const others = isAlone ? undefined : openAmounts.get(key)
      openAmounts.putSync(key, others === undefined ? invoice.id : Buffer.concat([others, invoice.id]))
      openInvoices.putSync(openKey(place, invoice), NOTHING)
    }
  }

  leave(invoice: IndexedInvoice): void {
    const { openAmounts, openInvoices } = this.tables
    for (const place of invoice.places) {
      const key = amountKey(place, invoice.currency, invoice.amount)
      const left = splitIds(openAmounts.get(key)).filter((id) => !id.equals(invoice.id))
      if (left.length === 0) openAmounts.removeSync(key)
      else openAmounts.putSync(key, Buffer.concat(left))
      openInvoices.removeSync(openKey(place, invoice))
    }
    this.sets.left(invoice)
  }

  has(invoice: IndexedInvoice): boolean {
    const [place] = invoice.places
    return place !== undefined && this.tables.openInvoices.doesExist(openKey(place, invoice))
  }

  /** The open invoices at a place that ask an amount, oldest entry first: at most one, but after a reorganisation. */
  ofAmount(place: Place, currency: Currency, amount: bigint): readonly Buffer[] {
    return splitIds(this.tables.openAmounts.get(amountKey(place, currency, amount)))
  }

  /** The first open invoice of a payee, of a currency when it is given; null when there is none. */
  firstOf(place: Place, payeeNo: number, currency?: Currency): Buffer | null {
    const [low, high] = currency === undefined ? [0, 0xff] : [classByte(currency, 0), classByte(currency, 2)]
    const from = openPrefix(place, payeeNo, low)
    const key = firstKey(this.tables.openInvoices, from, behind(openPrefix(place, payeeNo, high)))
    return key === undefined ? null : idOfKey(key)
  }

  /** The oldest open invoice of a payee and class that is younger than `after`, if given, and older than `before`. */
  oldestOf(place: Place, payeeNo: number, ofClass: number, before: Buffer, after?: Buffer): Buffer | null {
    const prefix = openPrefix(place, payeeNo, ofClass)
    const start = after === undefined ? prefix : Buffer.concat([prefix, after, Buffer.of(0)])
    const key = firstKey(this.tables.openInvoices, start, Buffer.concat([prefix, before]))
    return key === undefined ? null : idOfKey(key)
  }
}

/** The ids in a row of `open-amounts`. */
function splitIds(bytes: Uint8Array | undefined): readonly Buffer[] {
  const ids: Buffer[] = []
  for (let at = 0; at < (bytes?.length ?? 0); at += ID_BYTES) {
    ids.push(Buffer.from(bytes?.subarray(at, at + ID_BYTES) ?? []))
  }
  return ids
}
