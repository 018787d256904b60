import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readJsonObject } from '../../src/http/body.js'

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
