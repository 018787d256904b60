import assert from 'node:assert/strict'
import { OWNERS } from './history.js'

/** What the API answers, by path. */
export type Answers = Readonly<Record<string, unknown>>

const LISTS = ['invoices', 'invoices?include=payment', 'api-keys', 'wallets', 'webhook', 'webhook/deliveries'] as const

/** An answer of a service. */
interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: as JSON has it.
  readonly json: any
}

/** All lists of the owners, and each of their invoices. */
export async function readAnswers(get: (path: string) => Promise<Answered | null>): Promise<Answers> {
  const answers: Record<string, unknown> = {}
  const read = async (path: string) => {
    const answer = await get(path)
    assert.equal(answer?.status, 200, path)
    answers[path] = answer.json
    return answer.json
  }
  for (const owner of OWNERS) {
    await read(`/api/identity/${owner}/exists`)
    for (const list of LISTS) await read(`/api/users/${owner}/${list}`)
    const invoices: readonly { readonly id: string; readonly reference: string | null }[] = await read(
      `/api/users/${owner}/invoices`,
    )
    for (const { id, reference } of invoices) {
      await read(`/api/invoices/${id}`)
      if (reference !== null) await read(`/api/users/${owner}/invoices?reference=${reference}`)
    }
  }
  return answers
}

/**
 * What `after` lacks of `before`, by path. Fields may be added, but none may be lost or changed. What is too much is made of an invoice's own
 * money since every deposit is matched: it is never more than it was.
 */
export function lost(before: unknown, after: unknown, path = ''): readonly string[] {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) {
    if (path.endsWith(' payment overpaid') && Number(after) <= Number(before)) return []
    return before === after ? [] : [`${path}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`]
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length !== after.length) {
    return [`${path}: ${before.length} became ${after.length}`]
  }
  return Object.entries(before).flatMap(([name, value]) => lost(value, Reflect.get(after, name), `${path} ${name}`))
}
