import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requestIdOf } from '../../src/http/request-id.js'

const NEW = /^[0-9a-f]{16}$/

describe('the id of a request', () => {
  for (const own of ['a', 'A.Z_a-z~09', 'x'.repeat(128)]) {
    test(`is the client's own: ${own.slice(0, 20)}`, () => assert.equal(requestIdOf(own), own))
  }

  for (const unfit of [undefined, '', 'x'.repeat(129), 'a b', 'a,b', 'a, b', 'ä', 'a\n', '"a"', 'a/b', 'a:b', 'a=b']) {
    test(`is a new one instead of ${JSON.stringify(unfit)?.slice(0, 20)}`, () => assert.match(requestIdOf(unfit), NEW))
  }

  test('is new each time', () => {
    const ids = new Set(Array.from({ length: 5000 }, () => requestIdOf(undefined)))
    assert.equal(ids.size, 5000)
  })
})
