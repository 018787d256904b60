import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../../src/config.js'
import { type RateSet, rateSetOf } from '../../src/domain/rate-set.js'
import { judgeRates, NO_RATES, type RateTable } from '../../src/domain/rates.js'
import { createLog } from '../../src/log.js'
import type { Finding, Running } from '../../src/service/doctor/examination.js'
import { examineRates } from '../../src/service/doctor/rates.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import { openReceiver } from '../support/receiver.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const NOW_MS = START_MS + 90_000

function setAt(at: number, EUR: Readonly<Record<string, string>>): RateSet {
  const read = rateSetOf({ at, rates: { EUR } })
  assert.ok(read.ok)
  return read.set
}

/** What is found of a source; with rates, of a running service that has them. */
async function found(rates: string | null, present?: RateTable): Promise<Finding> {
  const read = readSettings([], {
    BILLHOOK_GATEWAY_SECRET: '0123456789abcdef',
    ...(rates === null ? {} : { BILLHOOK_RATES: rates }),
  })
  assert.ok('settings' in read, JSON.stringify(read))
  const store = { rates: { current: () => present } }
  const running = present === undefined ? null : ({ store } as unknown as Running)
  const context = { settings: read.settings, clock: new ManualClock(NOW_MS), log: createLog('silent'), running }
  const [finding, ...more] = await examineRates(context)
  assert.ok(finding !== undefined && more.length === 0)
  return finding
}

function fileWith(t: TestContext, text: string): string {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const path = join(place.path, 'rates.json')
  writeFileSync(path, text)
  return `file:${path}`
}

const textOf = ({ at, rates }: RateSet) =>
  JSON.stringify({ at, rates: { EUR: Object.fromEntries(rates.map(({ coin, rate }) => [coin, rate])) } })

test('the doctor says ok of a source only when it gave a set that would be accepted', async (t) => {
  const set = setAt(START_MS + 60_000, { USDT: '0.92', ETH: '3000' })
  const file = fileWith(t, textOf(set))
  const told = 'The source gave 2 rates in EUR, dated 30 s ago'
  assert.deepEqual(await found(file), { name: 'rates', verdict: 'ok', text: `${told}.` })
  const terms = { jump: 1000, maxAgeMs: 600_000 }
  const same = judgeRates(NO_RATES, set, terms, NOW_MS).table
  assert.deepEqual(await found(file, same), { name: 'rates', verdict: 'ok', text: `${told}; the service has them.` })
  const before = judgeRates(NO_RATES, setAt(START_MS, { USDT: '0.92', ETH: '300' }), terms, NOW_MS).table
  const jumped = await found(file, before)
  assert.deepEqual([jumped.verdict, jumped.text], ['warning', `${told}; 1 of them jumped by more than 10 %.`])
  const later = judgeRates(NO_RATES, setAt(START_MS + 80_000, { USDT: '0.92' }), terms, NOW_MS).table
  assert.equal((await found(file, later)).verdict, 'failed')
})

test('what gives no set has failed, with what was seen', async (t) => {
  const old = await found(fileWith(t, textOf(setAt(START_MS - 600_000, { USDT: '0.92' }))))
  assert.deepEqual([old.verdict, /too long ago to be used/.test(old.text)], ['failed', true])
  const page = await found(fileWith(t, '<html>'))
  assert.deepEqual(
    [page.verdict, page.text],
    ['failed', 'The source gave no set: it is not JSON, or only a part of it.'],
  )
  const missing = await found('file:/nowhere/at/all')
  assert.deepEqual([missing.verdict, missing.text], ['failed', 'The source gave no set: there is no such file.'])
  const server = await openReceiver((_, response) => response.writeHead(503).end())
  t.after(() => server.close())
  const away = await found(`${server.url}/?key=secret`)
  assert.deepEqual([away.verdict, away.text], ['failed', 'The source gave no set: it answered 503.'])
  assert.equal(server.requests.length, 1)
})

test('what cannot be asked is skipped, or told by what came last', async () => {
  assert.equal((await found(null)).verdict, 'skipped')
  assert.equal((await found('push')).verdict, 'skipped')
  assert.equal((await found('push', NO_RATES)).verdict, 'failed')
  const at = (ms: number) => judgeRates(NO_RATES, setAt(ms, { USDT: '1' }), { jump: 0, maxAgeMs: 1e9 }, NOW_MS).table
  assert.equal((await found('push', at(START_MS))).verdict, 'ok')
  assert.equal((await found('push', at(START_MS - 600_000))).verdict, 'failed')
})
