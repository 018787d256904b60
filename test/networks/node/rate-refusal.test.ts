import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BadAnswer, HttpFailure, limitOf, RateLimited, RpcFailure } from '../../../src/networks/node/answer.js'
import { askedWaitMs, isLimitingError, isLimitingText } from '../../../src/networks/node/rate-refusal.js'

describe('the words of a refusal for the rate', () => {
  /** What gateways and nodes write, and the wait that they ask for. */
  const limiting: readonly (readonly [who: string, text: string, waitMs: number | null])[] = [
    ['TronGrid', 'The key exceeds the frequency limit(15), and the query server is suspended for 30s', 30_000],
    ['TronGrid', 'request rate exceeded the allowed_rps(3), and the query server is suspended for 5 s', 5000],
    ['java-tron', 'class java.lang.IllegalAccessException : lack of computing resources', null],
    ['Infura', 'project ID request rate exceeded', null],
    ['Infura', 'daily request count exceeded, request rate limited', null],
    ['Infura', 'Too Many Requests', null],
    [
      'Alchemy',
      'Your app has exceeded its compute units per second capacity. If you have retries enabled on your account, you can ignore this message',
      null,
    ],
    ['Alchemy', 'Your app has exceeded its throughput limit. Learn more about throughput', null],
    ['Alchemy', 'Monthly capacity limit exceeded. Visit the dashboard to upgrade your scaling policy', null],
    ['QuickNode', '50/second request limit reached - reduce calls per second or upgrade your account', null],
    ['QuickNode', 'daily request limit reached - upgrade your account', null],
    ['Ankr', 'Too many requests, reason: call rate limit exhausted, retry in 10s', 10_000],
    ['Ankr', 'Rate limit exceeded. Please try again after 2 minutes', 120_000],
    ['GetBlock', 'Too many requests, please try again later', null],
    ['GetBlock', 'You have reached your daily limit: the number of requests per day is exceeded', null],
    ['Chainstack', "You've exceeded the RPS limit available on the current plan", null],
    ['dRPC', 'Too many request, try again in 300 ms: rate limit of this key', 300],
    ['publicnode', 'rate limit exceeded', null],
    ['Base', 'over rate limit', null],
    ['Cloudflare', 'error code: 1015', null],
    ['Cloudflare', 'You are being rate limited. The owner of this website has banned you temporarily', null],
    ['nginx', '503 Service Temporarily Unavailable: request limit', null],
    ['a gateway', 'Request was throttled. Expected available in 12 seconds.', 12_000],
    ['a gateway', 'quota exceeded for this month', null],
    ['a gateway', 'you have run out: credits exhausted', null],
    ['a gateway', 'limit of 100 calls per minute', null],
    ['a gateway', 'max 30 requests/second', null],
  ]
  for (const [who, text, waitMs] of limiting) {
    test(`of ${who}: ${text.slice(0, 60)}`, () => {
      assert.ok(isLimitingText(text))
      assert.equal(askedWaitMs(text), waitMs)
    })
  }

  const others: readonly string[] = [
    'Number of requests exceeds max batch size',
    'query returned more than 10000 results',
    'response size exceeded',
    'Response is too big',
    'block range is too large',
    'ranges over 10000 blocks are not supported on freetier',
    'exceed maximum block range: 50000',
    'logs matched by query exceeds limit of 10000: block range',
    'batch limit 100 exceeded',
    'the batch exceeds the request limit of 100 calls',
    'header not found',
    'the method eth_getBlockReceipts does not exist/is not available',
    'this API is closed because this node is a lite fullnode',
    'gas limit reached',
    'out of gas: gas required exceeds allowance',
    'execution reverted',
    'Invalid API key',
    'access denied: this region is not served',
    'class java.lang.NullPointerException : null',
    'missing trie node',
    'request timed out',
  ]
  for (const text of others) test(`are not: ${text}`, () => assert.ok(!isLimitingText(text)))

  test('a code alone says it, where it has no other meaning', () => {
    const cases: readonly (readonly [code: number, text: string, data: unknown, isLimiting: boolean])[] = [
      [429, 'no', undefined, true],
      [-32_029, 'no', undefined, true],
      [-32_097, 'no', undefined, true],
      [-32_005, 'limit exceeded', undefined, true],
      [-32_005, 'no', { rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 1.1 } }, true],
      [-32_005, 'no', undefined, false],
      [-32_005, 'Number of requests exceeds max batch size', undefined, false],
      [-32_005, 'query returned more than 10000 results', undefined, false],
      [-32_005, 'response size exceeded', undefined, false],
      [-32_000, 'header not found', undefined, false],
      [-32_601, 'the method does not exist', undefined, false],
    ]
    for (const [code, text, data, isLimiting] of cases) {
      assert.equal(isLimitingError(code, text, data), isLimiting, `${code} ${text}`)
    }
  })
})

describe('a limit of the rate', () => {
  const status = (code: number, more: ConstructorParameters<typeof HttpFailure>[2] = {}) =>
    new HttpFailure('status', `HTTP status ${code}`, { status: code, ...more })
  const suspended = 'The key exceeds the frequency limit(15), and the query server is suspended for 30s'

  const cases: readonly (readonly [what: string, failure: unknown, waitMs: number | null])[] = [
    ['429', status(429), 0],
    ['429 with Retry-After', status(429, { retryAfterMs: 7000 }), 7000],
    ['429 whose words ask for more than its header', status(429, { retryAfterMs: 1000, said: 'retry in 9s' }), 9000],
    [
      '429 with the data of Infura',
      status(429, { answer: { error: { data: { rate: { backoff_seconds: 3.5 } } } } }),
      3500,
    ],
    ['403 with the words of a limit', status(403, { said: suspended }), 30_000],
    ['403 without words', status(403), null],
    ['403 with other words', status(403, { said: 'Invalid API key' }), null],
    ['403 with Retry-After alone', status(403, { retryAfterMs: 7000 }), 7000],
    ['413 with the words of a limit', status(413, { said: 'request limit', retryAfterMs: 7000 }), null],
    ['503 with Retry-After', status(503, { retryAfterMs: 7000 }), 7000],
    ['503 with the words of a limit', status(503, { said: 'Too many requests' }), 0],
    ['503 without either', status(503), null],
    ['402 for a quota', status(402, { said: 'monthly quota exceeded' }), 0],
    ['500 with the words of a limit', status(500, { said: 'Too many requests' }), 0],
    ['500 with other words', status(500, { said: 'NullPointerException' }), null],
    ['400 with words about a size', status(400, { said: 'block range is too large, request limit' }), null],
    ['a text of a limit', new HttpFailure('not_json', 'no', { said: suspended }), 30_000],
    ['another text', new HttpFailure('not_json', 'no', { said: 'maintenance' }), null],
    ['an error of the protocol', new RateLimited('no', 2000), 2000],
    ['another error of the protocol', new RpcFailure(-32_000, 'Too many requests'), null],
    ['a malformed answer', new BadAnswer('no'), null],
    ['no answer', new HttpFailure('timeout', 'no complete answer'), null],
  ]
  for (const [what, failure, waitMs] of cases) {
    test(`${what}: ${waitMs === null ? 'is none' : `is one, for ${waitMs} ms`}`, () => {
      assert.equal(limitOf(failure), waitMs)
    })
  }
})
