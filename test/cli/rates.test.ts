import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { summaryOf } from '../../src/cli/rates.js'
import type { RatesRecord } from '../../src/http/routes/rates.js'
import { Shop } from './shop.js'

const RATES: RatesRecord = {
  source: 'file',
  at: 1_700_000_000_000,
  age_seconds: 41,
  max_age_seconds: 600,
  spread: '0',
  rates: { EUR: { ETH: '3000', USDT: '0.92' }, USD: { USDT: '1' } },
  withheld: [],
}

test('the rates in one line', () => {
  const of = 'of 2023-11-14T22:13:20Z, 41 s old (600 s allowed), source file'
  assert.equal(summaryOf(RATES), `Rates: 2 in EUR, 1 in USD; ${of}`)
  const withheld = [{ currency: 'EUR', coin: 'TRX', why: 'old', rate: '1', at: 1, held: null }] as const
  assert.equal(
    summaryOf({ ...RATES, rates: {}, withheld, spread: '0.5' }),
    `Rates: none in force; 1 withheld; ${of}, spread 0.5 %`,
  )
  assert.equal(summaryOf({ ...RATES, at: null, age_seconds: null }), 'Rates: none have come yet, source file')
  assert.equal(summaryOf({ ...RATES, source: 'off' }), 'Rates: off')
})

describe('billhook rates', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
    await shop.service.post('/sandbox/rates', { rates: { EUR: { USDT: '0.92', ETH: '3000' } } })
  })
  after(() => shop.close())

  test('prints what the API answers, through the network and through the data directory', async () => {
    const { json } = await shop.service.get('/api/rates')
    for (const where of [
      ['--url', shop.service.url],
      ['--data', shop.data],
    ]) {
      const { code, stdout, stderr } = await shop.run(['rates', '--json', ...where])
      assert.deepEqual([code, stderr], [0, ''])
      const { age_seconds: _, ...told } = JSON.parse(stdout)
      const { age_seconds: __, ...expected } = json
      assert.deepEqual(told, expected)
    }
  })

  test('prints a line for each coin, with why it has no rate', async () => {
    const { code, stdout } = await shop.run(['rates', '--data', shop.data])
    assert.equal(code, 0)
    const [summary, ...lines] = stdout.trimEnd().split('\n')
    assert.match(summary ?? '', /^Rates: 2 in EUR; 6 withheld; of .*, source sandbox$/)
    const cells = lines.map((line) => line.trim().split(/\t| {2,}/))
    assert.ok(
      cells.some((row) => row.includes('EUR') && row.includes('USDT') && row.includes('0.92')),
      stdout,
    )
    assert.ok(
      cells.some((row) => row.includes('USD') && row.includes('TRX') && row.includes('left out')),
      stdout,
    )
  })

  test('the status has a line of them', async () => {
    const { stdout } = await shop.run(['status', '--data', shop.data])
    assert.match(stdout, /^Rates: 2 in EUR; 6 withheld; /m)
  })
})
