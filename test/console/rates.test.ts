import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayHeaders } from '../support/service-fixture.js'
import { ConsoleFixture, tablesOf } from './console-fixture.js'

const LAST = 'What sources gave and what became of it, newest first; a set that came again unchanged is not listed'

test('the console shows each rate, what is held back and why, and what came last', async (t) => {
  const console = await ConsoleFixture.start(t, { BILLHOOK_RATES: 'push', BILLHOOK_RATES_SPREAD: '1.5' })
  const none = await console.page('/console/rates')
  assert.match(none.text, /There are no rates yet\./)
  assert.match(none.text, /Nothing has come\./)
  const push = async (body: string) => {
    await console.service.post('/internal/rates', body, gatewayHeaders(String(Date.now()), body))
  }
  const startMs = Date.now() - 60_000
  const set = (at: number, EUR: Readonly<Record<string, string>>) => push(JSON.stringify({ at, rates: { EUR } }))
  await set(startMs, { ETH: '3000', TRX: '0.25', USDT: '0.92' })
  await set(startMs + 30_000, { ETH: '300', USDT: '0.93' })
  await push('<b>no set</b>')
  await push('<b>no set</b>')
  const { html, text } = await console.page('/console/rates')
  assert.match(text, /Spread 1\.5 %/)
  const tables = tablesOf(html)
  const rates = tables.find(({ caption }) => caption === 'The price of one coin')?.rows ?? []
  assert.deepEqual(
    rates.map((row) => [row[1], row[2], row[3], row[6]]),
    [
      ['ETH', '–', 'held back: it jumped', '300'],
      ['TRX', '–', 'left out by the present set', '–'],
      ['USDT', '0.93', '–', '–'],
    ],
  )
  const last = tables.find(({ caption }) => caption === LAST)?.rows ?? []
  assert.deepEqual(
    last.map((row) => [row[1], row[2], row[4], row[5], row[6], row[7]]),
    [
      ['2', 'push', 'refused', '0', '0', 'it is not JSON, or only a part of it'],
      ['1', 'push', 'accepted', '1', '1', '–'],
      ['1', 'push', 'accepted', '0', '0', '–'],
    ],
  )
  assert.ok((await console.page('/console')).html.includes('href="/console/rates"'))
})
