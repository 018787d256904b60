import { type DepositId, depositKey } from '../../deposits/deposit-rows.js'
import { COUNT_BYTES, EVENT_ID_BYTES, EVENT_KEY_BYTES, positionOfKey } from '../../events/event-log.js'
import { contentOf } from '../../events/event-rows.js'
import { OPEN_KEY_BYTES } from '../../invoices/open-invoices.js'
import { FLAGS } from '../../invoices/unsettled-wallets.js'
import { type InvoiceId, NUMBER_BYTES, parseId } from '../../tables/keys.js'
import { NOTHING } from '../../tables/tables.js'
import type { Reading } from '../reading.js'
import type { MakeRule, Rule } from './rule.js'

export const ownerEvents: MakeRule = (reading) => new EventRule(reading)

/**
 * Events stand for themselves, behind the head of their owner. What they name is never removed. That none is missing is asked of
 * the records, as far as they say when they changed; of the others it is told by the next event of the same millisecond.
 */
class EventRule implements Rule {
  /** The head that was read last. */
  private head: Buffer | null = null
  private removedTo: Buffer | null = null
  /** The event that was read last, or the last one that was removed, by its key. */
  private last: Buffer = NOTHING

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    if (key.length !== EVENT_KEY_BYTES && key.length !== NUMBER_BYTES) return reading.wrong('its key is malformed')
    reading.expect(reading.numbers.owner.has(key.readUInt32BE(0)), 'it is of no owner in identities')
    if (key.length === NUMBER_BYTES) {
      reading.expect(value.length === EVENT_ID_BYTES, 'it is no id of an event')
      this.head = Buffer.from(key)
      this.removedTo = Buffer.from(value)
      this.last = Buffer.concat([key, value])
      return
    }
    const isRemoved =
      this.head?.equals(key.subarray(0, NUMBER_BYTES)) === true &&
      this.removedTo !== null &&
      Buffer.compare(key.subarray(NUMBER_BYTES), this.removedTo) <= 0
    reading.expect(!isRemoved, 'it stands before the last event that was removed')
    this.checkBefore(key)
    const content = contentOf(value)
    if ('deposit' in content) this.checkDeposit(content.deposit)
    if (content.invoiceId !== null) this.checkInvoice(content.invoiceId)
    if ('orderId' in content) {
      const isKnown = reading.has('orders', Buffer.from(content.orderId, 'hex'))
      reading.expect(isKnown, 'orders does not have its order')
    }
  }

  finish(): void {
    if (this.reading.logged.isGivenUp())
      this.reading.wrongIn('ownerEvents', 'more may be missing: no more were looked for')
  }

  /** Those of a millisecond are counted. */
  private checkBefore(key: Buffer): void {
    const { last, reading } = this
    this.last = Buffer.from(key)
    const { timeMs, count } = positionOfKey(key)
    if (count === 0 || !reading.logged.isLogged(timeMs)) return
    const before = Buffer.from(key)
    before.writeUInt16BE(count - 1, key.length - COUNT_BYTES)
    reading.expect(before.equals(last), 'the event before it is missing')
  }

  private checkDeposit(deposit: DepositId): void {
    this.reading.expect(this.reading.has('deposits', depositKey(deposit)), 'deposits does not have its deposit')
  }

  private checkInvoice(named: InvoiceId | string): void {
    const { reading } = this
    const imported = typeof named === 'string' ? reading.get('importedInvoices', Buffer.from(named)) : undefined
    const id = imported ?? (typeof named === 'string' ? parseId<InvoiceId>(named) : named)
    reading.expect(id !== undefined && reading.has('invoices', id), 'invoices does not have its invoice')
  }
}

/** Rows stand for themselves; that none is missing is asked of each open invoice. */
export const unsettledWallets: MakeRule = (reading) => ({
  row(key, value) {
    const isOfWallet = key.length === NUMBER_BYTES && reading.numbers.wallet.has(key.readUInt32BE(0))
    reading.expect(isOfWallet, 'it is of no wallet')
    const examinedTo = value.subarray(1)
    const isRight = examinedTo.length === 0 || examinedTo.length === OPEN_KEY_BYTES
    reading.expect((value[0] ?? FLAGS + 1) <= FLAGS && isRight, 'it is malformed')
  },
})
