import fc from 'fast-check'
import { Contract, type SentRequest } from '../http/openapi/contract.js'
import { leakIn } from './answer-oracle.js'
import { DEAD_END, type DocumentCase, documentCases, type Learned } from './document-requests.js'
import { addAnswer, type FuzzReport, FuzzViolation, newReport } from './fuzz-report.js'
import { type ClientRequest, type FullAnswer, type FuzzTarget, HOOK_OWNER, OWNER } from './fuzz-target.js'
import { inPath } from './hostile-values.js'

/*
 * Requests drawn from the OpenAPI document, and the document as the judge of their answers. They go one after the other, so
 * that a rejected one can be shown to have changed nothing.
 */

/** Requests between two looks at the log and the control. */
const BATCH = 256
const SEED_LIMIT = 2 ** 31
/** Of what was learned, so that a long run stays as quick as it began. */
const LEARNED_MAX = 64
const SHOWN_INVOICES = 20

export interface DocumentReport extends FuzzReport {
  /** Operations by tag that answered a request with success. */
  readonly successes: Set<string>
}

/** Why a success for what the document forbids is right; undefined if it is not. */
function excuse({ tag, headers, body }: SentRequest, flaw: string): string | undefined {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  if (fields['currency'] === '' && flaw.includes('/currency')) return 'an empty text counts as absent'
  const isSigned = 'x-service-signature' in headers
  if (isSigned && (flaw.includes('owner') || tag.endsWith('/void'))) return 'the signature says whose it is'
  if (tag === 'POST /internal/events' && flaw.includes('/events/')) return 'a bad event is rejected alone'
  return flaw.startsWith('X-Request-Id') ? 'another is made' : undefined
}

/**
 * Sends requests for every operation of the document, from a seed. Throws a `FuzzViolation` that shows the request for an
 * answer that the document does not have, a 500, a success of what the document forbids, and a rejection that changed something.
 */
export async function fuzzDocument(target: FuzzTarget, requests: number, seed: number): Promise<DocumentReport> {
  const contract = new Contract()
  const report = { ...newReport(`document, ${target.engine}`), successes: new Set<string>() }
  const cases = documentCases(contract, { key: target.key, walletIds: target.walletIds })
  const learned: Learned = { invoices: [], orders: [], keys: [], transactions: [] }
  await target.exchange({
    method: 'PUT',
    path: `/api/users/${OWNER}/webhook`,
    body: JSON.stringify({ callbackUrl: DEAD_END }),
  })
  let state = await stateOf(target)
  for (let batch = 0; report.requests < requests; batch += 1) {
    const size = Math.min(BATCH, requests - report.requests)
    for (const one of fc.sample(cases, { numRuns: size, seed: (seed + batch) % SEED_LIMIT })) {
      const sentAt = Date.now()
      const made = one.request(sentAt, learned)
      const answer = await target.exchange(made.client)
      const isRejected = answer.status >= 400
      const flaw = flawOfAnswer(contract, one.tag, answer) ?? flawOfSuccess(contract, one.tag, made, answer)
      if (flaw !== null) throw violation(seed, one.tag, made.client, flaw, answer)
      const isRead = one.tag.startsWith('GET ')
      if (isRejected && !isRead) {
        const changed = (await stateOf(target)) !== state || (await newestInvoice(target, sentAt))
        if (changed) throw violation(seed, one.tag, made.client, 'the rejection changed something', answer)
      } else if (!isRead) state = await stateOf(target)
      if (state === null) throw violation(seed, one.tag, made.client, 'since then the state cannot be read', answer)
      if (!isRejected) learn(one.tag, answer.text, learned)
      addAnswer(report, answer.status)
      if (!isRejected) report.successes.add(one.tag)
    }
    report.requests += size
    const trouble = await target.control()
    if (trouble !== null) throw new FuzzViolation(`${trouble}\nseed ${seed}, batch ${batch}`)
  }
  return report
}

function flawOfAnswer(contract: Contract, tag: string, answer: FullAnswer): string | null {
  // A simulated ledger node answers 500 to what it cannot read, as real ones do; there the document says so.
  if (answer.status === 500 && contract.codesOf(tag).has(500)) return 'the service failed'
  const leak = answer.status >= 400 && !tag.includes('/ledger') ? leakIn(answer.text) : null
  return leak ?? contract.flawOfAnswer(tag, answer)
}

function flawOfSuccess(
  contract: Contract,
  tag: string,
  made: ReturnType<DocumentCase['request']>,
  { status }: FullAnswer,
): string | null {
  if (status >= 400 || made.sent.body === undefined) return null
  const flaw = contract.operation(tag).requestBody === undefined ? null : contract.flawOfRequest(made.sent)
  return flaw === null || excuse(made.sent, flaw) !== undefined ? null : `the document forbids it: ${flaw}`
}

/** What belongs to the owners that are named, but for payments and deliveries, which change by themselves. Null if it cannot be read. */
async function stateOf(target: FuzzTarget): Promise<string | null> {
  const parts: unknown[] = []
  for (const owner of [OWNER, HOOK_OWNER]) {
    const { status, text } = await read(target, owner, `invoices?limit=${SHOWN_INVOICES}&include=payment`)
    if (status !== 200) return null
    for (const { payment, voided_at, accepted_at: _, expires_at, ...invoice } of JSON.parse(text)) {
      parts.push(invoice, voided_at === expires_at ? null : voided_at)
    }
    for (const what of ['api-keys', 'wallets', 'webhook']) parts.push((await read(target, owner, what)).text)
  }
  return JSON.stringify(parts)
}

/** Whether anybody of them has an invoice of this time or later. */
async function newestInvoice(target: FuzzTarget, sentAt: number): Promise<boolean> {
  const query = `invoices?limit=1&createdAfter=${sentAt}`
  return (await read(target, OWNER, query)).text !== '[]' || (await read(target, HOOK_OWNER, query)).text !== '[]'
}

function read(target: FuzzTarget, owner: string, what: string): Promise<FullAnswer> {
  return target.exchange({ method: 'GET', path: `/api/users/${inPath(owner)}/${what}` })
}

function learn(tag: string, text: string, learned: Learned): void {
  const keep = (values: string[], value: string) => {
    values.push(value)
    if (values.length > LEARNED_MAX) values.shift()
  }
  if (tag === 'POST /api/invoices') keep(learned.invoices, JSON.parse(text).id)
  if (tag === 'POST /api/orders') keep(learned.orders, JSON.parse(text).id)
  if (tag === 'POST /api/api-keys') keep(learned.keys, JSON.parse(text).id)
  if (tag === 'POST /sandbox/deposits') keep(learned.transactions, JSON.parse(text).txHash)
}

function violation(
  seed: number,
  tag: string,
  { method, path, headers, body }: ClientRequest,
  flaw: string,
  answer: FullAnswer,
) {
  return new FuzzViolation(
    [
      flaw,
      `seed ${seed}, ${tag}`,
      `${method} ${path}`,
      JSON.stringify(headers ?? {}),
      JSON.stringify(body ?? ''),
      `answer: ${answer.status} ${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.text.slice(0, 2000))}`,
    ].join('\n'),
  )
}
