import type { Awaitable, InvoiceWithPayment } from '../reading.js'
import { type Asking, ask } from './asking.js'

const HEX = /^[0-9a-f]+$/
/** Digits of an id of this service. */
const ID_HEX_LENGTH = 32

/** What a search for invoices by their ids needs of an engine. */
export interface InvoiceIdWork {
  /** Those of another service, whose ids begin with a text as they are written there, at most `limit`. */
  imported(beginning: string, limit: number): Awaitable<readonly InvoiceWithPayment[]>
  /** Those of this service from one id to another, at most `limit`. */
  between(first: string, last: string, limit: number): Awaitable<readonly InvoiceWithPayment[]>
}

/** Finds invoices by how their ids begin, those of this service first. */
export function* findByInvoiceId(
  work: InvoiceIdWork,
  beginning: string,
  limit: number,
): Asking<readonly InvoiceWithPayment[]> {
  const imported = yield* ask(work.imported(beginning, limit))
  const ids = idsBeginning(beginning)
  if (ids === null) return imported
  const own = yield* ask(work.between(...ids, limit))
  return [...own, ...imported].slice(0, limit)
}

/** The first and the last id of this service that begin so; null when none does. */
export function idsBeginning(beginning: string): readonly [first: string, last: string] | null {
  if (!HEX.test(beginning) || beginning.length > ID_HEX_LENGTH) return null
  return [beginning.padEnd(ID_HEX_LENGTH, '0'), beginning.padEnd(ID_HEX_LENGTH, 'f')]
}
