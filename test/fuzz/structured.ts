import fc from 'fast-check'
import type { FailureCode } from '../../src/domain/failure.js'
import { codeOf, flawOfAnswer, type SeenAnswer } from './answer-oracle.js'
import { addAnswer, type FuzzReport, FuzzViolation, newReport } from './fuzz-report.js'
import type { ClientRequest, FuzzTarget } from './fuzz-target.js'
import { LEDGER_ROUTE, type StructuredCase, structuredCases } from './structured-requests.js'

const CONNECTIONS = 32
/** Requests between two looks at the log and the control. */
const BATCH = 512
const SEED_LIMIT = 2 ** 31

/** Refusals that any route may give. Paths whose parameter is empty or two dots name no route, or another. */
const COMMON: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'invalid_json',
  'body_too_large',
  'not_found',
  'method_not_allowed',
  'overloaded',
])

/**
 * Sends requests with hostile values to every route, from a seed. Throws a `FuzzViolation` that shows the request for a
 * status, code or record that the route's documentation does not know, and for what `FuzzTarget.control` finds.
 */
export async function fuzzStructured(target: FuzzTarget, requests: number, seed: number): Promise<FuzzReport> {
  const report = newReport(`structured, ${target.engine}`)
  const cases = structuredCases({ key: target.key, walletIds: target.walletIds })
  for (let batch = 0; report.requests < requests; batch += 1) {
    const size = Math.min(BATCH, requests - report.requests)
    const sample = fc.sample(cases, { numRuns: size, seed: (seed + batch) % SEED_LIMIT })
    let next = 0
    const work = async (): Promise<void> => {
      for (let one = sample[next++]; one !== undefined; one = sample[next++]) {
        const request = one.request(Date.now())
        const answer = await target.send(request)
        const flaw = flawOf(one, answer)
        if (flaw !== null) throw violation(seed, one, request, flaw, answer)
        addAnswer(report, answer.status)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    report.requests += size
    const trouble = await target.control()
    if (trouble !== null) throw new FuzzViolation(`${trouble}\nseed ${seed}, batch ${batch}`)
  }
  return report
}

function flawOf(one: StructuredCase, answer: SeenAnswer): string | null {
  if (one.route === LEDGER_ROUTE && answer.status === 500) {
    return answer.body === '{}' || answer.body === '"Invalid Transaction"' ? null : 'it failed'
  }
  const flaw = flawOfAnswer(answer)
  if (flaw !== null) return flaw
  if (answer.contentType.startsWith('text/html')) {
    return /^GET \/(pay|order)\//.test(one.route) && answer.status >= 400 ? null : 'a page came'
  }
  if (answer.status < 300) {
    return answer.status === one.success ? one.flawOfSuccess(JSON.parse(answer.body)) : `the status is ${answer.status}`
  }
  const code = codeOf(answer.body)
  return code !== null && (COMMON.has(code) || one.codes.includes(code)) ? null : `the route does not know ${code}`
}

function violation(
  seed: number,
  one: StructuredCase,
  request: ClientRequest,
  flaw: string,
  answer: SeenAnswer,
): FuzzViolation {
  const body = request.body === undefined ? '' : Buffer.from(request.body).toString('latin1')
  return new FuzzViolation(
    [
      flaw,
      `seed ${seed}, ${one.route}`,
      `${request.method} ${request.path}`,
      JSON.stringify(request.headers ?? {}),
      JSON.stringify(body),
      `answer: ${JSON.stringify(answer)}`,
    ].join('\n'),
  )
}
