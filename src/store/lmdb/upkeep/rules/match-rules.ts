import { depositCodec } from '../../deposits/deposit-rows.js'
import { type Matches, matchesBytes, readMatches } from '../../invoices/matches.js'
import { endOf, ID_BYTES, type InvoiceId, WIDE_BYTES } from '../../tables/keys.js'
import { firstKey } from '../../tables/tables.js'
import type { Reading } from '../reading.js'
import type { MakeRule, Rule } from './rule.js'

const LISTED_KEY_BYTES = ID_BYTES + 2 * WIDE_BYTES

/** The deposits of each invoice are counted here, and added up where they are listed. */
export const matches: MakeRule = (reading) => ({
  row(key, value) {
    const { count, seen, confirmed } = readMatches(value)
    reading.expect(key.length === ID_BYTES && matchesBytes({ count, seen, confirmed }).equals(value), 'it is malformed')
    reading.expect(count > 0, 'it counts nothing')
    reading.find(key, undefined, count)
    const list = reading.tables.invoiceDeposits
    const isListed = list !== undefined && firstKey(list, key, endOf(key, LISTED_KEY_BYTES + 1)) !== undefined
    reading.expect(isListed || (seen === 0n && confirmed === 0n), 'it has sums, and invoice-deposits lists nothing')
  },
})

/** The deposits of each invoice, in the order of receipt. */
export const invoiceDeposits: MakeRule = (reading) => new InvoiceDepositsRule(reading)

class InvoiceDepositsRule implements Rule {
  /** The invoice that is read, and the sums of its deposits so far. */
  private invoiceId: InvoiceId | null = null
  private seen = 0n
  private confirmed = 0n

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    reading.find(key, value)
    if (key.length !== LISTED_KEY_BYTES) return reading.wrong('its key is malformed')
    if (this.invoiceId === null || !key.subarray(0, ID_BYTES).equals(this.invoiceId)) {
      this.end()
      this.invoiceId = Buffer.from(key.subarray(0, ID_BYTES)) as InvoiceId
    }
    const name = reading.get('depositNumbers', key.subarray(ID_BYTES + WIDE_BYTES))
    const packed = name === undefined ? undefined : reading.get('deposits', name)
    if (packed === undefined) return reading.wrong('deposits does not have its deposit')
    const { deposit, atoms } = depositCodec.decode(packed)
    this.seen += atoms
    if (deposit.kind === 'confirmed') this.confirmed += atoms
  }

  /** The list of an invoice is complete: its sums must be those of its deposits. */
  end(): void {
    const { invoiceId, reading, seen, confirmed } = this
    this.seen = 0n
    this.confirmed = 0n
    if (invoiceId === null) return
    this.invoiceId = null
    const stored = reading.get('matches', invoiceId)
    const told: Pick<Matches, 'seen' | 'confirmed'> | null = stored === undefined ? null : readMatches(stored)
    if (told?.seen === seen && told.confirmed === confirmed) return
    reading.wrong(`matches has other sums for the invoice ${invoiceId.toString('hex')}`)
  }
}
