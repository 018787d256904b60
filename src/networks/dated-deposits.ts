import { type ChainReport, type ChainStep, sightingsOf } from '../domain/block.js'
import { currencyOf } from '../domain/deposit.js'
import type { Decimals } from '../domain/network.js'
import type { Logger } from '../log.js'
import type { InvoicePort } from '../store/invoices.js'
import type { AgedHead } from './network-reader.js'

/*
 * A network that has stood still may date the blocks in the past that make up for it. A payment in them may be later than an
 * invoice and dated before it. It does not count for the invoice, since nobody can tell it from an earlier payment, so
 * somebody has to look.
 */

const MS_PER_SECOND = 1000
/** Blocks of a network are dated in the past when the newest one is older than this. */
const NEWEST_AGE_MAX_MS = 60_000

export interface DatedDepositOptions {
  readonly invoices: Pick<InvoicePort, 'oldestUnpaid'>
  readonly decimals: Decimals
  readonly log: Logger
}

export function isDatedBack({ ageMs }: AgedHead): boolean {
  return ageMs > NEWEST_AGE_MAX_MS
}

/**
 * Warns of each new deposit of a step that was taken if there is an unpaid invoice on its wallet, in its currency, that is
 * younger than the deposit and older than its first sight. Answers how many there are.
 */
export async function warnOfDated(
  step: Extract<ChainStep, { type: 'append' }>,
  reports: readonly ChainReport[],
  { invoices, decimals, log }: DatedDepositOptions,
): Promise<number> {
  const taken = new Set(reports.filter(({ outcome }) => outcome.status === 'applied').map(nameOf))
  let found = 0
  for (const sighting of sightingsOf(step)) {
    const { network, txHash, index, toAddress, receivedAt } = sighting
    const currency = currencyOf(sighting, decimals)
    if (currency === null || !taken.has(nameOf(sighting))) continue
    const search = { network, address: toAddress, currency, from: receivedAt, before: step.seenAtMs }
    const invoice = await invoices.oldestUnpaid(search)
    if (invoice === undefined) continue
    const seconds = (invoice.created_at - receivedAt) / MS_PER_SECOND
    const about = { network, txHash, index, invoiceId: invoice.id, seconds }
    log.warn(about, 'a block is dated before an invoice and was first seen after it; its payment does not count for it')
    found += 1
  }
  return found
}

/** An index has no colon. */
function nameOf({ txHash, index }: Pick<ChainReport, 'txHash' | 'index'>): string {
  return `${index}:${txHash}`
}
