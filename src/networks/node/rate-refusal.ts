/** How nodes and their gateways say that a client asks too often. Each does it in its own words. */

import { isObject } from '../../base/json-object.js'

const MS_PER_SECOND = 1000
const MS_PER_MINUTE = 60 * MS_PER_SECOND
const MS_PER_HOUR = 60 * MS_PER_MINUTE

/** Words about the rate of calls, a plan's quota, or a node that has no room for one more call. */
const LIMITING_TEXT = new RegExp(
  [
    'rate.{0,3}limit',
    'limit.{0,20}\\brate\\b',
    'frequency limit',
    'too many (?:requests|calls|connections)',
    'requests? (?:rate|count|limit)',
    '(?:requests|calls|queries) ?(?:per|a|each|/) ?(?:second|minute|hour|day|month)',
    '(?:calls|requests) (?:limit|quota)',
    '\\b(?:rps|qps|cups)\\b',
    'throttl',
    'try again (?:in|after) \\d',
    '(?:compute units?|credits|capacity|quota|throughput).{0,30}(?:exceed|exhaust|reached|depleted)',
    '(?:exceed(?:ed|s)?|exhausted|reached|ran out of).{0,40}(?:compute units?|credits|capacity|quota|throughput|per second)',
    'lack of computing resources',
    'error code: 1015',
  ].join('|'),
  'i',
)

/** Words about the size of one query. A slower client would be refused all the same. */
const SIZE_TEXT =
  /batch|block range|ranges? (?:over|of|is|too)|more than \d+ (?:results|logs|blocks)|response size|(?:response|request|result|body|payload|query) (?:is )?too (?:large|big)|entity too large/i

/** JSON-RPC codes that mean a limit of the rate, whatever the words. -32029 and -32097 are those of hosted gateways. */
const LIMITING_CODES: readonly number[] = [429, -32_029, -32_097]
/** "Limit exceeded" (EIP-1474). Some nodes use it for the rate, others for the size of a query. */
const LIMIT_EXCEEDED = -32_005
/** What makes a limit of the rate out of `LIMIT_EXCEEDED`. */
const LIMIT_EXCEEDED_TEXT = /limit|rate|exceed|quota|request|too many|throttl/i

const TOO_MANY_REQUESTS = 429
/** A smaller query may succeed at once, whatever else is said. */
const CONTENT_TOO_LARGE = 413

/** How long to wait, in words: "suspended for 30s", "retry in 10 seconds", "try again after 5 minutes". */
const WAIT_TEXT =
  /(?:suspended for|retry(?:ing)? (?:in|after)|(?:try )?again (?:in|after)|wait(?: for)?|available (?:in|after)|resets? (?:in|after)|back_?off(?:_seconds)?["']?\s*[:=]?)\s*(?:about |at least )?(\d{1,9}(?:\.\d{1,9})?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)?\b/i

/** Whether the text of an error says that the client asks too often. */
export function isLimitingText(text: string): boolean {
  return LIMITING_TEXT.test(text) && !SIZE_TEXT.test(text)
}

/**
 * Whether an HTTP status, with what came with it, turns a client away because it asks too often. Gateways use every status
 * for that: what tells is a time to come back, or words.
 */
export function isLimitingStatus(status: number, retryAfterMs: number | null, said: string | null): boolean {
  if (status === TOO_MANY_REQUESTS) return true
  if (status === CONTENT_TOO_LARGE) return false
  return retryAfterMs !== null || (said !== null && isLimitingText(said))
}

/** Whether an error of JSON-RPC says that the client asks too often. */
export function isLimitingError(code: number, text: string, data: unknown): boolean {
  if (LIMITING_CODES.includes(code) || isLimitingText(text)) return true
  if (code !== LIMIT_EXCEEDED) return false
  return rateOf(data) !== null || (LIMIT_EXCEEDED_TEXT.test(text) && !SIZE_TEXT.test(text))
}

/** The wait that an error's words ask for, in milliseconds and not bounded; null where they name none. */
export function askedWaitMs(text: string): number | null {
  const [, amount, unit = 's'] = WAIT_TEXT.exec(text) ?? []
  return amount === undefined ? null : Math.ceil(Number(amount) * unitMs(unit.toLowerCase()))
}

/** The wait that the data of an error of JSON-RPC asks for (Infura's `rate.backoff_seconds`); null where it names none. */
export function askedWaitOfDataMs(data: unknown): number | null {
  const seconds = rateOf(data)?.['backoff_seconds']
  return typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds * MS_PER_SECOND) : null
}

/** The same of an answer that is such an error as a whole. */
export function askedWaitOfAnswerMs(answer: unknown): number | null {
  const error = isObject(answer) ? answer['error'] : undefined
  return askedWaitOfDataMs(isObject(error) ? error['data'] : undefined)
}

function rateOf(data: unknown): Readonly<Record<string, unknown>> | null {
  const rate = isObject(data) ? data['rate'] : undefined
  return isObject(rate) ? rate : null
}

function unitMs(unit: string): number {
  if (unit === 'ms' || unit.startsWith('milli')) return 1
  if (unit.startsWith('m')) return MS_PER_MINUTE
  return unit.startsWith('h') ? MS_PER_HOUR : MS_PER_SECOND
}
