import { type Invoice, walletsOf } from '../../domain/invoice.js'
import { NO_ENDING } from '../../domain/voiding.js'
import type { InvoiceWithPayment } from '../invoices.js'
import { ID_BYTES } from './bytes.js'
import { atomsOf, type InvoiceRows, toInvoice } from './invoice-rows.js'
import { answerOf, type Counted, type Payments } from './payments.js'
import { RecentCache } from './recent-cache.js'
import type { Account } from './running-totals.js'

/** Characters of kept invoices: up to about 32 MiB of memory, and as much again for what callers keep of each. */
const LIMIT_CHARACTERS = 8 * 1024 * 1024
/** What an invoice takes beside its texts, in characters. */
const BASE_CHARACTERS = 512

/** What was answered for an invoice that never expires. Nothing about it changes but what it received, until it is voided. */
interface Kept {
  readonly accounts: readonly Account[]
  /** Atoms. */
  readonly amount: bigint
  counted: Counted
  answer: InvoiceWithPayment
}

/**
 * Answers for an invoice and what it received: the same object as last time as long as that is true, which the deposits
 * themselves tell by how often they changed. Not for use in a commit, whose changes may yet be undone.
 */
export class InvoiceAnswers {
  private readonly kept = new RecentCache<Kept>(LIMIT_CHARACTERS, ({ answer }) => charactersOf(answer.invoice))

  constructor(
    private readonly rows: InvoiceRows,
    private readonly payments: Payments,
  ) {}

  find(id: string, nowMs: number): InvoiceWithPayment | undefined {
    const kept = this.kept.get(id)
    if (kept === undefined) return this.read(id, nowMs)
    if (!this.payments.areUnchanged(kept.accounts, kept.counted)) {
      const { invoice } = kept.answer
      kept.counted = this.payments.count(kept.accounts, invoice.created_at)
      kept.answer = answerOf(invoice, NO_ENDING, kept.amount, kept.counted.received, nowMs)
    }
    return kept.answer
  }

  /** After the commit that voided an invoice. */
  forget(id: string): void {
    this.kept.drop(id)
  }

  private read(id: string, nowMs: number): InvoiceWithPayment | undefined {
    const bytes = idBytes(id)
    const row = bytes === undefined ? undefined : this.rows.find(bytes)
    if (bytes === undefined || row === undefined) return undefined
    const walletIds = walletsOf(row)
    const accounts = this.payments.accounts(walletIds, row.currency)
    const amount = atomsOf(row)
    const counted = this.payments.count(accounts, row.created_at)
    const answer = answerOf(toInvoice(bytes, row), row, amount, counted.received, nowMs)
    // A wallet without an address may get one; one that it has stays. An expiry changes the answer with the time.
    const isLasting = accounts.length === walletIds.length && row.expiresAt === null && row.voidedAt === null
    if (isLasting) this.kept.set(id, { accounts, amount, counted, answer })
    return answer
  }
}

function charactersOf({ owner, wallet_ids, name, description, reference, callback_url }: Invoice): number {
  const texts = [owner, wallet_ids, name, description, reference, callback_url]
  return texts.reduce((characters, text) => characters + (text?.length ?? 0), BASE_CHARACTERS)
}

const ID = /^[0-9a-f]{32}$/

/** The bytes of an id that a client named; undefined for what cannot be one. */
export function idBytes(id: string): Buffer | undefined {
  if (!ID.test(id)) return undefined
  const bytes = Buffer.from(id, 'hex')
  return bytes.length === ID_BYTES ? bytes : undefined
}
