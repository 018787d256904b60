import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestion } from '../../src/config/suggestion.js'
import { readSettings } from '../../src/config.js'

const rows: readonly (readonly [name: string, known: readonly string[], nearest: string | null])[] = [
  ['BILLHOOK_STRICKT', ['BILLHOOK_STORE', 'BILLHOOK_STRICT'], 'BILLHOOK_STRICT'],
  ['BILLHOOK_RATELIMIT', ['BILLHOOK_RATE_LIMIT', 'BILLHOOK_RATE_LIMIT_CLAIMS'], 'BILLHOOK_RATE_LIMIT'],
  ['BILLHOOK_NOTHING_LIKE_IT', ['BILLHOOK_HOST'], null],
  ['--prot', ['--port', '--host'], '--port'],
  ['--x', ['--port', '--host'], null],
  ['sevre', ['serve', 'reconcile'], 'serve'],
  ['x', ['serve'], null],
  ['', ['serve'], null],
]
for (const [name, known, nearest] of rows) {
  test(`${JSON.stringify(name)} may mean ${nearest ?? 'anything'}`, () => {
    const expected = nearest === null ? 'see billhook --help.' : `did you mean ${nearest}? See billhook --help.`
    assert.equal(suggestion(name, known), expected)
  })
}

test('misspelt variables are answered with what they may mean', () => {
  assert.deepEqual(readSettings([], { BILLHOOK_STRICKT: 'on' }), {
    problems: ['BILLHOOK_STRICKT is not a setting; did you mean BILLHOOK_STRICT? See billhook --help.'],
  })
})
