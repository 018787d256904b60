import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { readSettings } from '../../src/config.js'
import { createLog } from '../../src/log.js'
import { examineClock } from '../../src/service/doctor/clock.js'
import type { Finding } from '../../src/service/doctor/examination.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'

const HALF_SECOND_MS = 500

/** A server whose clock is ahead of ours by so much; null: it tells no time. While it answers our clock moves on. */
interface OtherServer {
  readonly aheadMs: number | null
  readonly tookMs?: number
  readonly age?: string
}

async function urlOf(t: TestContext, { aheadMs, tookMs = 0, age }: OtherServer, clock: ManualClock): Promise<string> {
  const server = createServer((_, answer) => {
    answer.sendDate = false
    clock.advance(tookMs / 2)
    // In the middle of its second.
    if (aheadMs !== null) answer.setHeader('date', new Date(clock.now() + aheadMs - HALF_SECOND_MS).toUTCString())
    clock.advance(tookMs / 2)
    if (age !== undefined) answer.setHeader('age', age)
    answer.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What is found with these servers as nodes of the ledger. `own` is one of them under the public URL. */
async function found(
  t: TestContext,
  servers: readonly OtherServer[],
  own: { readonly publicUrl?: OtherServer; readonly more?: Readonly<Record<string, string>> } = {},
): Promise<Finding> {
  const clock = new ManualClock(START_MS + HALF_SECOND_MS)
  const urls = await Promise.all(servers.map((server) => urlOf(t, server, clock)))
  const publicUrl = own.publicUrl === undefined ? null : await urlOf(t, own.publicUrl, clock)
  const read = readSettings([], {
    ...(urls.length === 0
      ? {}
      : { BILLHOOK_LEDGER_URL: [...urls, ...(publicUrl === null ? [] : [publicUrl])].join(',') }),
    ...(publicUrl === null ? {} : { BILLHOOK_PUBLIC_URL: publicUrl }),
    ...own.more,
  })
  assert.ok('settings' in read, JSON.stringify(read))
  const findings = await examineClock({ settings: read.settings, clock, log: createLog('silent'), running: null })
  assert.equal(findings.length, 1)
  return findings[0] ?? assert.fail()
}

describe('the doctor on the clock', () => {
  const cases: readonly (readonly [string, readonly OtherServer[], Finding['verdict'], RegExp])[] = [
    ['right', [{ aheadMs: 0 }], 'ok', /^The clock is right, give or take 0\.5 s, by the clock of one server/],
    ['a second slow', [{ aheadMs: 1000 }], 'ok', /^The clock is 1 s slow, /],
    ['3 s fast', [{ aheadMs: -3000 }], 'warning', /^The clock is 3 s fast, /],
    ['3 s slow', [{ aheadMs: 3000 }], 'warning', /^The clock is 3 s slow, /],
    ['an hour fast', [{ aheadMs: -3_600_000 }], 'failed', /^The clock is 3600 s fast, /],
    ['one of three is wrong', [{ aheadMs: 0 }, { aheadMs: 3_600_000 }, { aheadMs: 0 }], 'ok', /right.*of 3 servers/],
    ['two of three see it wrong', [{ aheadMs: 60_000 }, { aheadMs: 62_000 }, { aheadMs: 0 }], 'warning', /60 s slow/],
    ['one does not tell', [{ aheadMs: null }, { aheadMs: 3000 }], 'warning', /3 s slow.*of one server/],
    ['one is a cache', [{ aheadMs: -600_000, age: '600' }, { aheadMs: 0 }], 'ok', /right.*of one server/],
    ['the answer takes long', [{ aheadMs: 0, tookMs: 3000 }], 'ok', /give or take 2\.0 s/],
    [
      'the answer takes long, and may hide it',
      [{ aheadMs: 3000, tookMs: 3000 }],
      'ok',
      /2\.5 s slow, give or take 2\.0 s/,
    ],
    ['nobody tells', [{ aheadMs: null }], 'skipped', /^Nobody could be asked for the time/],
    ['there is nobody', [], 'skipped', /^Nobody could be asked for the time/],
  ]
  for (const [what, servers, verdict, text] of cases) {
    test(what, async (t) => {
      const finding = await found(t, servers)
      assert.match(finding.text, text)
      assert.equal(finding.verdict, verdict, finding.text)
      if (verdict === 'ok') assert.match(finding.text, /which may be on this machine and go by its clock\.$/)
    })
  }

  test('its own public URL says nothing, which is the service itself', async (t) => {
    const finding = await found(t, [{ aheadMs: -3_600_000 }], { publicUrl: { aheadMs: 0 } })
    assert.deepEqual([finding.verdict, /3600 s fast.*of one server/.test(finding.text)], ['failed', true], finding.text)
  })

  test('nor does its own port, nor another port of its own host', async (t) => {
    const clock = new ManualClock()
    const self = await urlOf(t, { aheadMs: 0 }, clock)
    const more = { BILLHOOK_LEDGER_URL: self, BILLHOOK_PORT: new URL(self).port }
    assert.equal((await found(t, [], { more })).verdict, 'skipped')
    const publicUrl = { BILLHOOK_PUBLIC_URL: 'https://pay.invalid', BILLHOOK_LEDGER_URL: 'https://pay.invalid:5260' }
    assert.equal((await found(t, [], { more: publicUrl })).verdict, 'skipped')
  })

  const readings: readonly (readonly [offsetMs: number, Finding['verdict'], RegExp])[] = [
    [0, 'ok', /^The clock is right, by the gateway\.$/],
    [-2001, 'warning', /^The clock is 2 s slow, by the gateway\.$/],
    [60_001, 'failed', /^The clock is 60 s fast, by the gateway\.$/],
  ]
  for (const [offsetMs, verdict, text] of readings) {
    test(`the witnesses of a running service tell where no server does: ${verdict}`, async () => {
      const read = readSettings([], {})
      assert.ok('settings' in read)
      const running = { clockReading: () => ({ offsetMs, witnesses: ['the gateway'] }) }
      const context = { settings: read.settings, clock: new ManualClock(), running }
      const findings = await examineClock(context as unknown as Parameters<typeof examineClock>[0])
      assert.deepEqual(
        findings.map((one) => [one.verdict, text.test(one.text)]),
        [[verdict, true]],
      )
    })
  }
})
