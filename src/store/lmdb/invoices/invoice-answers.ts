import { BoundedMap } from '../../../base/bounded-map.js'
import { walletsOf } from '../../../domain/invoice.js'
import { NO_ENDING } from '../../../domain/voiding.js'
import type { InvoiceWithPayment } from '../../reading.js'
import type { Snapshot } from '../commit/commit.js'
import { accountsOf, answerOf, areUnchanged, type Counted, countSums } from '../payments/payments.js'
import type { Account } from '../payments/running-totals.js'
import type { InvoiceId } from '../tables/keys.js'
import { atomsOf, findInvoice, invoiceRow } from './invoice-rows.js'
import { orderOf } from './order-rows.js'

/** Characters of kept invoices: about 32 MiB of memory, and as much again for what callers keep of each. */
const CHARACTERS_MAX = 8 * 1024 * 1024
/** What an invoice takes in memory beside its texts, in characters. */
const BASE_CHARACTERS = 512

/** Invoices that were read lately, of which some are mistaken for others. */
const NOTED_MAX = 4096
/** Hexadecimal digits of an id that fit into 32 bits. */
const ID_END_DIGITS = 8

/** The end of an invoice whose answer is kept: an option of an order expires. */
const NO_END = { ...NO_ENDING, orderId: null }

/** An answer for an invoice that never expires. Until it is voided or accepted, only what it received changes. */
interface Kept {
  readonly id: InvoiceId
  readonly accounts: readonly Account[]
  /** Atoms. */
  readonly amount: bigint
  counted: Counted
  answer: InvoiceWithPayment
}

/**
 * Answers for an invoice and what it received. It answers the same object while that is true, which it knows by how often
 * the deposits have changed. It reads what was committed only: the changes of a commit may yet be undone.
 */
export class InvoiceAnswers {
  private readonly kept = new BoundedMap<string, Kept>(CHARACTERS_MAX, ({ answer }) => charactersOf(answer))
  private readonly lately = new LatelyRead()

  find(at: Snapshot, id: string): InvoiceWithPayment | undefined {
    return this.known(at, id) ?? this.read(at, id)
  }

  /** The answer for an invoice that is kept. A list asks so: what it reads once is not worth forgetting others for. */
  known(at: Snapshot, id: string): InvoiceWithPayment | undefined {
    const kept = this.kept.get(id)
    if (kept === undefined) return undefined
    if (!areUnchanged(at, kept.accounts, kept.counted)) {
      // A deposit may have had it accepted.
      if (invoiceRow(at, kept.id).acceptedAt !== null) {
        this.kept.delete(id)
        return undefined
      }
      const { invoice } = kept.answer
      kept.counted = countSums(at, kept.accounts, kept.id, invoice.created_at)
      kept.answer = answerOf(kept.answer, NO_END, kept.amount, kept.counted.sums, at.nowMs)
    }
    return kept.answer
  }

  /** Whether the answer for an invoice is kept: then the next read answers the same object, unless something changes. */
  isKept(id: string): boolean {
    return this.kept.get(id) !== undefined
  }

  /** Call it when the voiding or acceptance of an invoice is durable: before, a reader still sees the invoice as it was. */
  forget(id: string): void {
    this.kept.delete(id)
  }

  private read(at: Snapshot, id: string): InvoiceWithPayment | undefined {
    const row = findInvoice(at, id)
    if (row === undefined) return undefined
    const { invoice } = row
    const walletIds = walletsOf(invoice)
    const accounts = accountsOf(at, walletIds, invoice.currency)
    const amount = atomsOf(invoice)
    const counted = countSums(at, accounts, row.id, invoice.created_at)
    const answer = answerOf({ invoice, order: orderOf(at, row.id) }, row, amount, counted.sums, at.nowMs)
    // A wallet without an address may get one; one that it has stays. An expiry changes the answer with the time.
    const isOpenEnded = row.expiresAt === null && row.voidedAt === null && row.acceptedAt === null
    const isLasting = accounts.length === walletIds.length && isOpenEnded
    if (isLasting && this.lately.note(id)) this.kept.set(id, { id: row.id, accounts, amount, counted, answer })
    return answer
  }
}

/**
 * Which invoices were read lately, roughly: an answer is kept from the second read on, because what is read once is not worth
 * forgetting others for, and what outlives a collection of garbage is dear. Each invoice has a place, which it may lose to another one.
 */
class LatelyRead {
  private readonly noted = new Uint32Array(NOTED_MAX)

  /** Notes an invoice. True if it was noted before. */
  note(id: string): boolean {
    // Ids end at random.
    const end = Number.parseInt(id.slice(-ID_END_DIGITS), 16)
    const place = end % NOTED_MAX
    const isNoted = this.noted[place] === end
    this.noted[place] = end
    return isNoted
  }
}

function charactersOf({ invoice, order }: Pick<InvoiceWithPayment, 'invoice' | 'order'>): number {
  const { owner, wallet_ids, name, description, reference, callback_url } = invoice
  const { returnUrl, orderNumber, metadata } = order
  const shop = metadata === null ? [] : Object.entries(metadata).flat()
  const texts = [owner, wallet_ids, name, description, reference, callback_url, returnUrl, orderNumber, ...shop]
  return texts.reduce<number>((characters, text) => characters + (text?.length ?? 0), BASE_CHARACTERS)
}
