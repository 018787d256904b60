import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WrongNode } from '../../src/networks/network-reader.js'
import { checkToken, symbolOf } from '../../src/networks/token.js'

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

describe('a token', () => {
  test('must have the configured decimals, and is asked for nothing else', async () => {
    const asked: string[] = []
    const check = (hex: string) =>
      checkToken('it', 6, (method) => {
        asked.push(method)
        return Promise.resolve(Buffer.from(hex, 'hex'))
      })
    await check(word(6))
    for (const hex of [word(18), '', '06', word(6) + word(0)]) await assert.rejects(check(hex), WrongNode)
    assert.deepEqual([...new Set(asked)], ['decimals'])
  })

  const utf8 = Buffer.from('₮USD').toString('hex')
  const symbols: readonly [name: string, hex: string, symbol: string | null][] = [
    ['of 32 bytes', Buffer.from('USDT').toString('hex').padEnd(64, '0'), 'USDT'],
    ['of 32 bytes to the last', '41'.repeat(32), 'A'.repeat(32)],
    ['beyond ASCII', word(32) + word(6) + utf8.padEnd(64, '0'), '₮USD'],
    ['of nothing', '', null],
    ['of no characters', word(32) + word(0), null],
    ['of control characters', word(32) + word(1) + '07'.padEnd(64, '0'), null],
    ['that is no UTF-8', word(32) + word(1) + 'ff'.padEnd(64, '0'), null],
    ['that is cut', `${word(32)}${word(8)}41`, null],
    ['of endless length', `${word(32)}${'f'.repeat(64)}`, null],
    ['at another place', word(64) + word(1) + '41'.padEnd(64, '0'), null],
  ]
  for (const [name, hex, symbol] of symbols) {
    test(`has a symbol ${name}: ${symbol}`, () => {
      assert.equal(symbolOf(Buffer.from(hex, 'hex')), symbol)
    })
  }
})
