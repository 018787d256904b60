import { supersedes } from '../../domain/collision.js'
import type { Currency } from '../../domain/currency.js'
import { bigintFromBytes, endOf, ID_BYTES, NUMBER_BYTES, sortableAmount } from './bytes.js'
import { currencyByte } from './running-totals.js'
import { firstKey, type Tables } from './tables.js'

const PREFIX_BYTES = NUMBER_BYTES + 1
/** An amount of 60 integer and 18 fraction digits has 33 bytes. */
const KEY_BYTES_MAX = PREFIX_BYTES + 1 + 33

/** An invoice as this index compares it. */
interface OpenInvoice {
  readonly id: Buffer
  readonly createdAt: number
  readonly wallets: ReadonlySet<string>
}

/**
 * The invoices that decide whether an amount is free on a wallet. Of all the invoices that ever asked the amount there,
 * only those are kept that no later one supersedes (`supersedes`), so a wallet that sold the same 10.00 a million times
 * keeps one. What is superseded is decided by the invoices alone: deposits and reorganisations never change this index.
 */
export class OpenAmounts {
  constructor(private readonly tables: Tables) {}

  /** Ids of the invoices whose payment decides, in order of creation. The key is `amountKey`'s. */
  rivals(key: Buffer): readonly Buffer[] {
    return splitIds(this.tables.openAmounts.get(key))
  }

  /** The smallest amount from `atLeast` on that any invoice on the wallet asked; undefined when there is none. */
  nextAmount(walletNo: number, currency: Currency, atLeast: bigint): bigint | undefined {
    const start = amountKey(walletNo, currency, atLeast)
    const prefix = start.subarray(0, PREFIX_BYTES)
    const key = firstKey(this.tables.openAmounts, start, endOf(prefix, KEY_BYTES_MAX))
    return key === undefined ? undefined : bigintFromBytes(key.subarray(PREFIX_BYTES + 1))
  }

  /**
   * Enters an invoice on one of its wallets and answers the ids that it supersedes there. `others` are the invoices
   * that `rivals` named for the same key.
   */
  enter(key: Buffer, invoice: OpenInvoice, others: readonly OpenInvoice[]): readonly Buffer[] {
    if (others.length === 0) {
      this.tables.openAmounts.putSync(key, invoice.id)
      return []
    }
    const superseded = others.filter((other) => supersedes(invoice, other))
    const kept = others.filter((other) => !superseded.includes(other))
    const ids = [...kept, invoice].map((one) => one.id)
    this.tables.openAmounts.putSync(key, Buffer.concat(ids))
    return superseded.map((one) => one.id)
  }
}

export function splitIds(bytes: Uint8Array | null | undefined): readonly Buffer[] {
  if (bytes === null || bytes === undefined) return []
  const ids: Buffer[] = []
  for (let at = 0; at < bytes.length; at += ID_BYTES) {
    ids.push(Buffer.from(bytes.subarray(at, at + ID_BYTES)))
  }
  return ids
}

/** Where an amount that was asked on a wallet lies in the index. */
export function amountKey(walletNo: number, currency: Currency, amount: bigint): Buffer {
  const sortable = sortableAmount(amount)
  const key = Buffer.allocUnsafe(NUMBER_BYTES + 1 + sortable.length)
  key.writeUInt32BE(walletNo, 0)
  key[NUMBER_BYTES] = currencyByte(currency)
  key.set(sortable, NUMBER_BYTES + 1)
  return key
}
