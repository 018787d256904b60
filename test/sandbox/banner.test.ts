import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sandboxBanner } from '../../src/sandbox/banner.js'

describe('the lines of a sandbox', () => {
  test('lead to the web wallet where it is served', () => {
    const leads = (hasApp: boolean) =>
      sandboxBanner('http://127.0.0.1:8080', ['SEP'], hasApp).filter((line) =>
        line.includes('http://127.0.0.1:8080/app'),
      )
    assert.deepEqual([leads(true).length, leads(false).length], [1, 0])
  })
})
