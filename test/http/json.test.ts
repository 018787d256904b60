import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOLD_MS } from '../../src/auth/tarpit.js'
import { blamedFields, type FailureCode, failure, failureMessages, refuseField } from '../../src/domain/failure.js'
import { failureStatus } from '../../src/http/failure-status.js'
import { unwritableHeader } from '../../src/http/header-values.js'
import { failureAnswer, jsonAnswer, RETRY_AFTER_SECONDS, readJsonObject } from '../../src/http/json.js'

const everyCode = Object.keys(failureMessages) as FailureCode[]

describe('the answer to a failure', () => {
  test('has the status of its code and {"error", "code"} as its body, and "field" where one is to blame', () => {
    for (const code of everyCode) {
      const answer = failureAnswer(failure(code))
      assert.equal(answer.status, failureStatus[code])
      const [error, field] = [failureMessages[code], blamedFields[code]]
      assert.equal(answer.body, JSON.stringify({ error, code, field }))
      assert.equal(answer.headers['Content-Type'], 'application/json; charset=utf-8')
      assert.equal(answer.headers['Cache-Control'], 'no-store')
      assert.equal(answer.headers['X-Content-Type-Options'], 'nosniff')
    }
  })

  test('names the field that it was made for', () => {
    const { body } = failureAnswer(refuseField('invalid_query', 'limit', { parameter: 'limit' }).failure)
    assert.deepEqual(JSON.parse(String(body)), {
      error: 'The query parameter limit is not valid.',
      code: 'invalid_query',
      field: 'limit',
    })
  })

  test('says when to come back exactly where the service is unavailable', () => {
    for (const code of everyCode) {
      const expected = failureStatus[code] === 503 ? String(RETRY_AFTER_SECONDS) : undefined
      assert.equal(failureAnswer(failure(code)).headers['Retry-After'], expected, code)
    }
  })

  test('holds back a refused flood as long as it asks clients to wait', () => {
    assert.equal(HOLD_MS, RETRY_AFTER_SECONDS * 1000)
  })

  test('fills parameters in, whatever they contain', () => {
    const { body } = failureAnswer(failure('amount_in_use', { amount: '1"\n', currency: 'USDT' }))
    assert.match(String(body), /\(1\\"\\n USDT\)/)
  })

  test('takes additional headers, without keeping them for the next', () => {
    assert.equal(failureAnswer(failure('overloaded'), { Allow: 'GET' }).headers.Allow, 'GET')
    assert.equal(failureAnswer(failure('overloaded'), { Allow: 'GET' }).headers['Retry-After'], '1')
    assert.equal(failureAnswer(failure('overloaded')).headers.Allow, undefined)
  })
})

describe('a JSON answer', () => {
  test('carries the value and the usual headers', () => {
    assert.deepEqual(jsonAnswer(201, { a: 1 }, { Location: '/a' }), {
      status: 201,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        Location: '/a',
      },
      body: '{"a":1}',
    })
  })

  test('shares headers that nobody can change', () => {
    assert.throws(() => Object.assign(jsonAnswer(200, {}).headers, { 'X-A': 'a' }), TypeError)
  })
})

describe('a header', () => {
  test('is writable when it is a token with visible ASCII, and not otherwise', () => {
    assert.equal(unwritableHeader({ 'X-A': 'a b\t~', Empty: '' }), undefined)
    for (const value of ['\r', '\n', '\0', '\x7f', '\x1b', 'é', '\u010a', '\u560a']) {
      assert.equal(unwritableHeader({ 'X-A': `a${value}b` }), 'X-A')
    }
    for (const name of ['', 'a b', 'a:', 'a\r\nb', 'é']) assert.equal(unwritableHeader({ [name]: 'a' }), name)
  })
})

function read(body: string | readonly number[]): ReturnType<typeof readJsonObject> {
  return readJsonObject(typeof body === 'string' ? Buffer.from(body) : Buffer.from(body))
}

function codeOf(body: string | readonly number[]): string | undefined {
  const outcome = read(body)
  return outcome.ok ? undefined : outcome.failure.code
}

describe('a JSON body', () => {
  test('that is an object is read', () => {
    assert.deepEqual(read('{}'), { ok: true, value: {} })
    assert.deepEqual(read(' {"a": [1, "grüße", null]}\n'), { ok: true, value: { a: [1, 'grüße', null] } })
  })

  test('that is no object is refused', () => {
    for (const body of ['', ' ', '[]', '[{}]', 'null', 'true', '1', '"{}"']) {
      assert.equal(codeOf(body), 'invalid_json', body)
    }
  })

  test('that is malformed or truncated is refused, without quoting it', () => {
    for (const body of [
      '{',
      '{"a"',
      '{"a":1',
      '{"a":1}x',
      "{'a':1}",
      '{a:1}',
      '{"a":1,}',
      '{"a":NaN}',
      '{"a":01}',
      '{}{}',
    ]) {
      assert.equal(codeOf(body), 'invalid_json', body)
    }
    const outcome = read('{"secret"')
    assert.ok(!outcome.ok)
    assert.equal(outcome.failure.message, 'The request body must be a JSON object in valid UTF-8.')
  })

  test('that is not UTF-8, or begins with a byte order mark, is refused', () => {
    const quoted = (...bytes: number[]): number[] => [...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')]
    assert.equal(codeOf(quoted(0xc3, 0xbc)), undefined)
    assert.equal(codeOf(quoted(0xff)), 'invalid_json')
    assert.equal(codeOf(quoted(0xc3)), 'invalid_json')
    assert.equal(codeOf(quoted(0xc0, 0x80)), 'invalid_json')
    assert.equal(codeOf(quoted(0xed, 0xa0, 0x80)), 'invalid_json')
    assert.equal(codeOf([0xef, 0xbb, 0xbf, ...Buffer.from('{}')]), 'invalid_json')
    assert.equal(codeOf([...Buffer.from('{}', 'utf16le')]), 'invalid_json')
  })

  test('may name __proto__ and constructor without effect', () => {
    const outcome = read('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')
    assert.ok(outcome.ok)
    assert.equal(Object.getPrototypeOf(outcome.value), Object.prototype)
    assert.deepEqual(Object.keys(outcome.value), ['__proto__', 'constructor'])
    assert.equal('polluted' in outcome.value, false)
    assert.equal('polluted' in {}, false)
  })

  test('of duplicate names keeps the last', () => {
    assert.deepEqual(read('{"a": 1, "a": 2}'), { ok: true, value: { a: 2 } })
  })

  test('100 000 levels deep does not crash', () => {
    const depth = 100_000
    assert.equal(codeOf('['.repeat(depth) + ']'.repeat(depth)), 'invalid_json')
    const nested = read(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    assert.ok(nested.ok || nested.failure.code === 'invalid_json')
    const objects = read(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    assert.ok(objects.ok || objects.failure.code === 'invalid_json')
  })
})
