import type { Currency } from '../../domain/currency.js'
import type { Candidate } from '../../domain/matching.js'
import { remainingOf } from '../../domain/payment.js'
import { bigintFromBytes, bigintToBytes, endOf, ID_BYTES, NUMBER_BYTES, timeOfId, WIDE_BYTES } from './bytes.js'
import { atomsOf, type InvoiceRows } from './invoice-rows.js'
import { amountKey, type OpenAmounts, splitIds } from './open-amounts.js'
import type { Payee, Payees } from './payees.js'
import type { Payments } from './payments.js'
import type { Receipts } from './receipts.js'
import { recordCodec } from './record-codec.js'
import { RowCache } from './row-cache.js'
import { type Account, currencyByte } from './running-totals.js'
import { lastKey, type Tables } from './tables.js'

/**
 * The invoices with a reference, queued by (payee, currency, whether they have a callback URL of their own): all in one
 * queue receive the same deposits and have, or lack, a callback together. This is where the invoice that a deposit
 * notifies is looked for (decisions 6) without reading a wallet's whole history:
 *
 *     newest          one seek
 *     oldest unpaid   everything before `oldestOpen` is paid, so the search starts there and moves it on
 *     exact           within the span between two deposits all invoices received the same R, so an unpaid one misses
 *                     exactly `d` when it asks `d + R`: one look into the open-amount index a span, newest span first,
 *                     leaping over the spans whose `d + R` nobody asked
 */

/**
 * Spans looked at for an exact match, newest first, so that no history makes one deposit hold up the others. Only a
 * history made for it comes near: thousands of deposits, each smaller than what is open, that hit one amount after the
 * other which somebody asked at another time. Then the search ends without an exact match.
 */
const EXACT_MATCH_SPANS_MAX = 2000

const QUEUE_BYTES = NUMBER_BYTES + 2

interface QueueRow {
  /** Every invoice of the queue with a smaller id is paid. */
  readonly oldestOpen: Uint8Array
  /** No invoice of the queue ever asked more, atoms; at most twice what one asked. */
  readonly greatestAmount: Uint8Array
}

const codec = recordCodec<QueueRow>(
  'queues',
  1,
  (row) => [row.oldestOpen, row.greatestAmount],
  (fields) => ({ oldestOpen: fields.bytes(), greatestAmount: fields.bytes() }),
)

/** A candidate with the invoice it stands for. */
export interface QueueCandidate extends Candidate {
  readonly idBytes: Buffer
}

export class Queues {
  /** By the latin1 text of the key; all of this class runs in commits. */
  private readonly cache = new RowCache<QueueRow>()

  constructor(
    private readonly tables: Tables,
    private readonly rows: InvoiceRows,
    private readonly payees: Payees,
    private readonly payments: Payments,
    private readonly openAmounts: OpenAmounts,
  ) {}

  /** After an aborted commit. */
  forget(): void {
    this.cache.forget()
  }

  /** Enters a new invoice that has a reference. */
  enter(payeeNo: number, currency: Currency, hasOwnCallback: boolean, id: Buffer, amount: bigint): void {
    const queue = queueKey(payeeNo, currency, hasOwnCallback)
    const key = Buffer.allocUnsafe(QUEUE_BYTES + ID_BYTES)
    key.set(queue)
    key.set(id, QUEUE_BYTES)
    this.tables.queueInvoices.putSync(key, bigintToBytes(amount))
    const row = this.find(queue)
    // A clock that was set back makes an id that sorts before older ones.
    const oldestOpen = row !== undefined && Buffer.compare(row.oldestOpen, id) < 0 ? row.oldestOpen : id
    const greatest = row === undefined ? 0n : bigintFromBytes(row.greatestAmount)
    if (row !== undefined && oldestOpen === row.oldestOpen && amount <= greatest) return
    this.put(queue, { oldestOpen, greatestAmount: bigintToBytes(amount > greatest ? boundOf(amount) : greatest) })
  }

  /**
   * The candidates for a deposit to a wallet that can win one of the rules of decisions 6. `defaultCallbackOf` tells
   * whether an owner has a default callback URL.
   */
  candidates(
    walletNo: number,
    currency: Currency,
    atoms: bigint,
    receivedAt: number,
    hasDefaultCallback: (ownerNo: number) => boolean,
  ): readonly QueueCandidate[] {
    const found: QueueCandidate[] = []
    for (const payee of this.payees.ofWallet(walletNo)) {
      const receipts = this.payments.receipts(this.payments.accounts(payee.walletIds, currency))
      for (const hasOwnCallback of [true, false]) {
        if (!hasOwnCallback && !hasDefaultCallback(payee.ownerNo)) continue
        const queue = queueKey(payee.no, currency, hasOwnCallback)
        const newest = this.newestBefore(queue, receivedAt)
        if (newest === undefined) continue
        found.push(this.candidate(newest))
        const oldest = this.oldestUnpaid(queue, receipts, receivedAt)
        if (oldest === undefined) continue
        found.push(this.candidate(oldest))
        const exact = this.exact(walletNo, payee, currency, hasOwnCallback, receipts, atoms, newest)
        if (exact !== undefined) found.push(this.candidate(exact))
      }
    }
    return found
  }

  /**
   * A confirmed deposit left the account: invoices created before it may be unpaid again. Everything created up to the
   * last moment that the rest of the account covers stays paid.
   */
  reopen(walletNo: number, currency: Currency, account: Account, receivedAt: number): void {
    const receipts = this.payments.receipts([account])
    for (const payee of this.payees.ofWallet(walletNo)) {
      for (const hasOwnCallback of [true, false]) {
        const queue = queueKey(payee.no, currency, hasOwnCallback)
        const row = this.find(queue)
        if (row === undefined) continue
        const covered = receipts.lastToReceive(bigintFromBytes(row.greatestAmount), receivedAt)
        const oldestOpen = idAt(covered === null ? 0 : covered + 1)
        if (Buffer.compare(oldestOpen, row.oldestOpen) < 0) this.put(queue, { ...row, oldestOpen })
      }
    }
  }

  private newestBefore(queue: Buffer, receivedAt: number): Buffer | undefined {
    const key = lastKey(this.tables.queueInvoices, Buffer.concat([queue, lastIdBefore(receivedAt)]), queue)
    return key?.subarray(QUEUE_BYTES)
  }

  /** Walks forward from `oldestOpen`, span by span, and keeps how far it came. */
  private oldestUnpaid(queue: Buffer, receipts: Receipts, receivedAt: number): Buffer | undefined {
    const row = this.find(queue)
    if (row === undefined) return undefined
    let received = 0n
    let spanUntil = -1
    let reached: Buffer | undefined
    let found: Buffer | undefined
    for (const { key, value } of this.tables.queueInvoices.getRange({
      start: Buffer.concat([queue, row.oldestOpen]),
      end: Buffer.concat([queue, idAt(receivedAt)]),
    })) {
      const id = Buffer.from(key.subarray(QUEUE_BYTES))
      const createdAt = timeOfId(id)
      if (createdAt >= spanUntil) {
        received = receipts.spanAt(createdAt).received
        spanUntil = receipts.endOfSpanAt(createdAt)
      }
      reached = id
      if (bigintFromBytes(value) > received) {
        found = id
        break
      }
    }
    if (reached !== undefined && !reached.equals(row.oldestOpen)) this.put(queue, { ...row, oldestOpen: reached })
    return found
  }

  /** The newest invoice of the queue, not after `newest`, that misses exactly `atoms`. */
  private exact(
    walletNo: number,
    payee: Payee,
    currency: Currency,
    hasOwnCallback: boolean,
    receipts: Receipts,
    atoms: bigint,
    newest: Buffer,
  ): Buffer | undefined {
    const queue = queueKey(payee.no, currency, hasOwnCallback)
    const row = this.find(queue)
    if (row === undefined) return undefined
    const greatest = bigintFromBytes(row.greatestAmount)
    let id: Buffer | undefined = newest
    for (let spans = 0; spans < EXACT_MATCH_SPANS_MAX; spans += 1) {
      if (id === undefined || Buffer.compare(id, row.oldestOpen) < 0) return undefined
      const { received, from } = receipts.spanAt(timeOfId(id))
      const wanted = atoms + received
      // From here on backwards everything is paid, or nobody asked so much.
      if (received >= greatest) return undefined
      const asked = this.openAmounts.nextAmount(walletNo, currency, wanted)
      if (asked === undefined || asked > greatest) return undefined
      if (asked === wanted) {
        const found = this.unpaidOf(walletNo, payee, currency, hasOwnCallback, wanted, from, id)
        if (found !== undefined) return found
      }
      if (from === 0) return undefined
      // The next span whose wanted amount can be one that was asked: invoices of the spans between received too little.
      const latest = asked === wanted ? from - 1 : receipts.lastToReceive(asked - atoms, from)
      id = latest === null ? undefined : this.newestBefore(queue, latest + 1)
    }
    return undefined
  }

  /**
   * The newest unpaid invoice of the queue that asks `amount`, created from `fromMs` on and not after the invoice
   * `notAfter`. An invoice that others superseded in the index can be unpaid only while they are.
   */
  private unpaidOf(
    walletNo: number,
    payee: Payee,
    currency: Currency,
    hasOwnCallback: boolean,
    amount: bigint,
    fromMs: number,
    notAfter: Buffer,
  ): Buffer | undefined {
    let best: Buffer | undefined
    const pending = [...this.openAmounts.rivals(amountKey(walletNo, currency, amount))]
    const seen = new Set<string>()
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const hex = id.toString('hex')
      if (seen.has(hex)) continue
      seen.add(hex)
      const row = this.rows.get(id)
      const remaining = remainingOf(amount, this.payments.confirmed(row))
      if (remaining === 0n) continue
      pending.push(...splitIds(row.displaced))
      if (row.payeeNo !== payee.no || row.reference === null || (row.callback_url !== null) !== hasOwnCallback) continue
      if (row.created_at < fromMs || Buffer.compare(id, notAfter) > 0) continue
      if (best === undefined || Buffer.compare(id, best) > 0) best = id
    }
    return best
  }

  private candidate(id: Buffer): QueueCandidate {
    const idBytes = Buffer.from(id)
    const row = this.rows.get(idBytes)
    return { id: idBytes.toString('hex'), idBytes, remaining: remainingOf(atomsOf(row), this.payments.confirmed(row)) }
  }

  private find(queue: Buffer): QueueRow | undefined {
    const name = queue.toString('latin1')
    const known = this.cache.get(name)
    if (known !== undefined) return known
    const bytes = this.tables.queues.getBinaryFast(queue)
    if (bytes === undefined) return undefined
    const row = codec.decode(bytes)
    this.cache.set(name, row)
    return row
  }

  private put(queue: Buffer, row: QueueRow): void {
    this.tables.queues.putSync(queue, codec.encode(row))
    this.cache.set(queue.toString('latin1'), row)
  }
}

/** The greatest amount of as many bits, so that amounts that grow step by step do not change the queue each time. */
function boundOf(amount: bigint): bigint {
  return (1n << BigInt(amount.toString(2).length)) - 1n
}

function queueKey(payeeNo: number, currency: Currency, hasOwnCallback: boolean): Buffer {
  const key = Buffer.allocUnsafe(QUEUE_BYTES)
  key.writeUInt32BE(payeeNo, 0)
  key[NUMBER_BYTES] = currencyByte(currency)
  key[NUMBER_BYTES + 1] = hasOwnCallback ? 1 : 0
  return key
}

/** Not greater than any id of this millisecond or later, and greater than every earlier one. */
function idAt(timeMs: number): Buffer {
  const id = Buffer.alloc(ID_BYTES)
  id.writeUIntBE(timeMs, 0, WIDE_BYTES)
  return id
}

function lastIdBefore(timeMs: number): Buffer {
  const prefix = Buffer.alloc(WIDE_BYTES)
  prefix.writeUIntBE(Math.max(0, timeMs - 1), 0, WIDE_BYTES)
  return endOf(prefix, ID_BYTES)
}
