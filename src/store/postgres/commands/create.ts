import type { InvoiceTerms } from '../../../domain/invoice.js'
import type { InvoiceCommand, InvoiceResult, OrderCommand, OrderResult } from '../../commands.js'
import { answeredLater } from '../../rules/asking.js'
import { createInvoice } from '../../rules/create-invoice.js'
import { createOrder } from '../../rules/create-order.js'
import { reviewOrder } from '../../rules/order-life.js'
import type { Work } from '../connection/work.js'
import { expireDue } from '../invoices/settle.js'
import { orderWorkOn } from '../orders/order-work.js'
import { readFacts } from './creation-facts.js'
import { Made, PostgresCreation, PostgresOrderCreation } from './creations.js'

type Creation = InvoiceCommand | OrderCommand
type Created = InvoiceResult | OrderResult

/** Performs creations in order. */
export async function createAll(
  work: Work,
  batch: readonly Creation[],
  terms: InvoiceTerms,
): Promise<readonly Created[]> {
  const results: Created[] = []
  while (results.length < batch.length) {
    results.push(...(await createSome(work, batch.slice(results.length), terms)))
  }
  return results
}

/**
 * Performs the first ones: loads the facts of all, lets the rule decide about each, and writes what was created. It stops behind an order
 * whose wallets have received what is dated ahead: the review of it may end invoices, so that other facts decide about those behind it.
 */
async function createSome(work: Work, batch: readonly Creation[], terms: InvoiceTerms): Promise<readonly Created[]> {
  const facts = await readFacts(work, batch, terms.areWalletsShared)
  if (facts.isExpiryDue) await expireDue(work)
  const made = new Made()
  const results: Created[] = []
  let toReview: string | null = null
  for (const command of batch) {
    if (toReview !== null) break
    if (command.type === 'invoice') {
      results.push(createInvoice(new PostgresCreation(work, facts, made, command, terms), command))
    } else {
      const creation = createOrder(new PostgresOrderCreation(work, facts, terms, made), command)
      results.push(creation.result)
      toReview = creation.toReview
    }
  }
  made.write(work)
  if (toReview !== null) await answeredLater(reviewOrder(orderWorkOn(work), toReview, null))
  return results
}
