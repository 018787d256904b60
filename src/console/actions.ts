import type { WalletDirectory } from '../actors/wallet-directory.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import type { OnOwed, Store } from '../store/store.js'
import type { Notice } from './layout.js'
import { links } from './links.js'

/** What the console's forms do: what the API and the command line do, too. Each answers when it is on disk. */
export interface ActionParts {
  readonly store: Pick<Store, 'invoices' | 'outbox' | 'keys'>
  readonly directory: Pick<WalletDirectory, 'voidInvoice'>
  /** Called with a redelivery, after it is durable. */
  readonly onOwed: OnOwed
}

/** What a page says after an action, by the value of its parameter `done`. */
const DONE = new Map([
  ['voided', 'The invoice is void.'],
  ['redelivered', 'The webhook is queued again.'],
  ['revoked', 'The key is revoked.'],
])

export function doneNotice(query: URLSearchParams): Notice | null {
  const text = DONE.get(query.get('done') ?? '')
  return text === undefined ? null : { text, tone: 'paid' }
}

export async function voidInvoice({ store, directory }: ActionParts, id: string): Promise<Outcome<string>> {
  const invoice = await store.invoices.find(id)
  if (invoice === undefined) return refuse('invoice_not_found')
  const done = await directory.voidInvoice(id, invoice.owner)
  return done.ok ? succeed(`${links.invoice(id)}?done=voided`) : done
}

export async function redeliver({ store, onOwed }: ActionParts, id: string): Promise<Outcome<string>> {
  const delivery = await store.outbox.find(id)
  if (delivery === undefined) return refuse('delivery_not_found')
  const queued = await store.outbox.redeliver(delivery.owner, id)
  if (!queued.ok) return queued
  onOwed([queued.value.owed])
  return succeed(`${links.delivery(id)}?done=redelivered`)
}

export async function revokeKey({ store }: ActionParts, id: string, owner: string): Promise<Outcome<string>> {
  const revoked = await store.keys.revoke(id, owner)
  return revoked.ok ? succeed(`${links.ofOwner('keys', owner)}&done=revoked`) : revoked
}
