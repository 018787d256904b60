import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Contract } from '../http/openapi/contract.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { flawOfAnswer, type SeenAnswer } from './answer-oracle.js'
import { fuzzCurve } from './curve.js'
import { fuzzDocument } from './document.js'
import { FuzzTarget } from './fuzz-target.js'
import { readAnswers } from './raw-answers.js'
import { fuzzRawHttp } from './raw-http.js'
import { fuzzStructured } from './structured.js'

/** A small part of what `npm run fuzz` sends, the same in every run. */
const REQUESTS = 512
const DOCUMENT_REQUESTS = 720
const SEED = 20_261_120
const CURVE_CASES = 512
/** Long enough for creations on a machine that runs the other tests too. */
const SILENCE_MS = 400

for (const engine of HTTP_ENGINES) {
  test(`hostile requests neither hurt the service on ${engine} nor learn anything from it`, async () => {
    const target = await FuzzTarget.start(engine)
    try {
      const raw = await fuzzRawHttp(target, REQUESTS, SEED, SILENCE_MS)
      const structured = await fuzzStructured(target, REQUESTS, SEED)
      // Requests that are all refused at the door would show nothing.
      for (const report of [raw, structured]) {
        for (const status of [200, 201, 400, 404]) assert.ok(report.answers.has(status), `${report.name}: no ${status}`)
      }
      const { successes } = await fuzzDocument(target, DOCUMENT_REQUESTS, SEED)
      assert.ok(successes.size > (new Contract().tags.length * 3) / 4, `${successes.size} operations succeeded`)
    } finally {
      await target.stop()
    }
  })
}

test('hostile signatures get the same verdict from key tables and both engines', async () => {
  const { cases, valid, undecided, byNoble } = await fuzzCurve(CURVE_CASES, SEED)
  assert.ok(cases >= CURVE_CASES && byNoble > 0 && undecided > 0, `${cases} ${byNoble} ${undecided}`)
  assert.ok(valid > cases / 4 && valid < (3 * cases) / 4, `${valid} of ${cases} are valid`)
})

describe('the oracle of the fuzzers', () => {
  const json = 'application/json; charset=utf-8'
  const refusal = (status: number, error: string, code: string): SeenAnswer => ({
    status,
    contentType: json,
    body: JSON.stringify({ error, code }),
    hasRetryAfter: false,
  })
  const violations: readonly [string, SeenAnswer][] = [
    ['a failure of the service', refusal(500, 'Internal error.', 'internal')],
    ['a code that is in no catalogue', refusal(400, 'Bad.', 'bad')],
    ['a code with the status of another', refusal(404, 'Invalid signature.', 'invalid_signature')],
    ['a code with the text of another', refusal(401, 'Unknown API key.', 'invalid_signature')],
    ['a 503 without Retry-After', refusal(503, 'The service is overloaded. Try again later.', 'overloaded')],
    ['a stack', { ...refusal(200, '', ''), body: '{"error":"TypeError: x\\n    at f (file:///srv/dist/x.js:1:2)"}' }],
    ['a message of the JSON parser', refusal(400, 'Unexpected token } in JSON at position 3', 'invalid_json')],
    ['text without a type', { ...refusal(400, '', ''), contentType: 'text/plain', body: 'no' }],
    [
      'half of a page',
      { status: 200, contentType: 'text/html; charset=utf-8', body: '<!doctype html>', hasRetryAfter: false },
    ],
  ]
  for (const [what, answer] of violations) {
    test(`sees ${what}`, () => assert.notEqual(flawOfAnswer(answer), null))
  }

  test('finds nothing wrong with a refusal as documented, its places filled in', () => {
    assert.equal(flawOfAnswer(refusal(400, 'The query parameter limit is not valid.', 'invalid_query')), null)
  })

  test('reads answers one behind the other, chunked, to HEAD, and leaves what is not complete', () => {
    const text = [
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n',
      'HTTP/1.1 404 Not Found\r\nContent-Length: 50\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
    ].join('')
    const { answers, rest } = readAnswers(Buffer.from(text))
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      [
        [200, '{}'],
        [200, '[]'],
        [404, ''],
      ],
    )
    assert.ok(rest.toString().endsWith('half'))
  })
})
