import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadSet, rateSetOf } from '../../src/domain/rate-set.js'
import { judgeRates, NO_RATES, type RateTable } from '../../src/domain/rates.js'
import { RateIntake } from '../../src/rates/rate-intake.js'
import type { RatePort } from '../../src/store/rates.js'

const TERMS = { jump: 1000, maxAgeMs: 600_000 }

/** An intake, and what it said: each line with the rates that it names. */
function opened() {
  let table: RateTable = NO_RATES
  const rates: Pick<RatePort, 'take'> = {
    take: async (given, terms) => {
      if ('refusal' in given) return { kind: 'refused', refusal: given.refusal }
      const judged = judgeRates(table, given.set, terms, 1_000_000_000)
      table = judged.table
      return judged.verdict
    },
  }
  const said: string[] = []
  const refused: string[] = []
  const line = (level: string) => (about: unknown, text?: string) => {
    const { rates: named = [] } = about as { readonly rates?: readonly string[] }
    said.push([level, text, ...named].join(' | '))
  }
  const log = { info: line('info'), warn: line('warn') }
  const intake = new RateIntake({ rates, terms: TERMS, log, onRefused: (reason) => refused.push(reason) })
  const give = (at: number, EUR: Readonly<Record<string, string>>) =>
    intake.take('file', rateSetOf({ at: 999_900_000 + at, rates: { EUR } }))
  return { intake, give, refused, takeSaid: () => said.splice(0) }
}

test('what is refused is told once, and when sets are accepted again', async () => {
  const { intake, give, refused, takeSaid } = opened()
  const page: ReadSet = { ok: false, refusal: { reason: 'not_json', detail: 'it is not JSON' } }
  for (let n = 0; n < 3; n += 1) await intake.take('https', page)
  assert.deepEqual(takeSaid(), ['warn | a set of rates is REFUSED, the last good one stays'])
  assert.deepEqual(refused, ['not_json', 'not_json', 'not_json'])
  await give(1, { USDT: '1' })
  assert.deepEqual(takeSaid(), ['info | sets of rates are accepted again'])
  await give(1, { USDT: '1' })
  await give(2, { USDT: '1' })
  assert.deepEqual(takeSaid(), [])
})

test('what is held back is told by name when it begins and when it ends', async () => {
  const { give, takeSaid } = opened()
  await give(0, { USDT: '1', ETH: '3000' })
  await give(10_000, { USDT: '2', ETH: '300' })
  const [held] = takeSaid()
  assert.match(held ?? '', /^warn \| rates are HELD BACK.* \| ETH in EUR \| USDT in EUR$/)
  await give(20_000, { USDT: '2', ETH: '300' })
  assert.deepEqual(takeSaid(), [])
  await give(25_000, { USDT: '2', ETH: '3000' })
  assert.deepEqual(takeSaid(), ['info | rates are held back no longer | ETH in EUR'])
})

test('a coin that is left out is told once', async () => {
  const { give, takeSaid } = opened()
  await give(0, { USDT: '1', ETH: '3000' })
  await give(1, { USDT: '1' })
  await give(2, { USDT: '1' })
  const said = takeSaid()
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /^warn \| a set of rates LEAVES OUT .* \| ETH in EUR$/)
})
