import type { OperatorActions } from '../audit/operator-actions.js'
import type { Operator } from '../domain/audit.js'
import { type Outcome, succeed } from '../domain/failure.js'
import type { Notice } from './layout.js'
import { links } from './links.js'

/** What a page says after an action, by the value of its parameter `done`. */
const DONE = new Map([
  ['voided', 'The invoice is void.'],
  ['accepted', 'The invoice is accepted as paid.'],
  ['noted', 'The note is kept.'],
  ['unnoted', 'The note is removed.'],
  ['redelivered', 'The webhook is queued again.'],
  ['revoked', 'The key is revoked.'],
])

export function doneNotice(query: URLSearchParams): Notice | null {
  const text = DONE.get(query.get('done') ?? '')
  return text === undefined ? null : { text, tone: 'paid' }
}

/*
 * What the console's forms do: what the API and the command line do, too. Each answers with the page that shows it.
 */

export async function voidInvoice(actions: OperatorActions, operator: Operator, id: string): Promise<Outcome<string>> {
  const done = await actions.voidInvoice(operator, id)
  return done.ok ? succeed(`${links.invoice(id)}?done=voided`) : done
}

export async function acceptInvoice(
  actions: OperatorActions,
  operator: Operator,
  id: string,
): Promise<Outcome<string>> {
  const done = await actions.acceptInvoice(operator, id)
  return done.ok ? succeed(`${links.invoice(id)}?done=accepted`) : done
}

export async function addNote(
  actions: OperatorActions,
  operator: Operator,
  id: string,
  text: string | null,
): Promise<Outcome<string>> {
  const done = await actions.addNote(operator, id, text)
  return done.ok ? succeed(`${links.invoice(id)}?done=noted`) : done
}

export async function removeNote(actions: OperatorActions, operator: Operator, id: string): Promise<Outcome<string>> {
  const done = await actions.removeNote(operator, id)
  return done.ok ? succeed(`${links.invoice(done.value.invoiceId)}?done=unnoted`) : done
}

export async function redeliver(actions: OperatorActions, operator: Operator, id: string): Promise<Outcome<string>> {
  const queued = await actions.redeliver(operator, id)
  return queued.ok ? succeed(`${links.delivery(id)}?done=redelivered`) : queued
}

export async function revokeKey(actions: OperatorActions, operator: Operator, id: string): Promise<Outcome<string>> {
  const revoked = await actions.revokeKey(operator, id)
  return revoked.ok ? succeed(`${links.ofOwner('keys', revoked.value.owner)}&done=revoked`) : revoked
}
