import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { openReceiver } from '../support/receiver.js'
import { gatewayHeaders, type Reply, ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { until } from './watched-chain.js'

const server = await postgresForTests({ isDurable: true })

type Euros = Readonly<Record<string, string>>

function setText(euros: Euros, at = Date.now()): string {
  return JSON.stringify({ at, rates: { EUR: euros } })
}

async function started(t: TestContext, environment: Readonly<Record<string, string>>): Promise<ServiceFixture> {
  const fixture = await ServiceFixture.start(environment)
  t.after(() => fixture.stop())
  return fixture
}

function push(
  fixture: ServiceFixture,
  body: string,
  headers = gatewayHeaders(String(Date.now()), body),
): Promise<Reply> {
  return fixture.post('/internal/rates', body, headers)
}

async function euros(fixture: ServiceFixture): Promise<Euros> {
  return (await fixture.get('/api/rates')).json.rates.EUR ?? {}
}

async function degraded(fixture: ServiceFixture): Promise<readonly string[]> {
  return (await fixture.get('/readyz')).json.degraded ?? []
}

describe('pushed rates', () => {
  test('are in force as soon as the push is answered, and need its signature', async (t) => {
    const fixture = await started(t, { BILLHOOK_RATES: 'push' })
    await until(async () => (await degraded(fixture)).includes('There are no rates: no set has come yet.'))
    const text = setText({ USDT: '0.92' })
    const forged = gatewayHeaders(String(Date.now()), text, 'the secret of somebody else')
    assert.equal((await push(fixture, text, forged)).status, 401)
    assert.deepEqual(await euros(fixture), {})
    assert.equal((await push(fixture, text)).json.status, 'accepted')
    assert.deepEqual(await euros(fixture), { USDT: '0.92' })
    assert.equal((await push(fixture, text)).json.status, 'repeated')
    await until(async () => (await degraded(fixture)).length === 0)
    const absurd = await push(fixture, setText({ USDT: '-1' }))
    assert.deepEqual([absurd.status, absurd.json.code, absurd.json.field], [400, 'invalid_rates', 'rates'])
    const jumped = await push(fixture, setText({ USDT: '1.2' }))
    assert.deepEqual(jumped.json.held, [{ currency: 'EUR', coin: 'USDT' }])
    assert.deepEqual(await euros(fixture), {})
    await until(async () => (await degraded(fixture)).some((text) => text.includes('is held back')))
  })

  test('have no endpoint where rates come from elsewhere, or from nowhere', async (t) => {
    const fixture = await started(t, {})
    assert.equal((await push(fixture, setText({ USDT: '0.92' }))).status, 404)
    assert.equal((await fixture.post('/sandbox/rates', { rates: { EUR: { USDT: '1' } } })).status, 404)
    const { json } = await fixture.get('/api/rates')
    assert.deepEqual([json.source, json.at, json.rates], ['off', null, {}])
    assert.deepEqual(await degraded(fixture), [])
  })
})

test('a file is read at the start and again when another one is put in its place; a bad one changes nothing', async (t) => {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const path = join(place.path, 'rates.json')
  const replace = (text: string) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  replace(setText({ USDT: '0.92' }))
  const fixture = await started(t, { BILLHOOK_RATES: `file:${path}`, BILLHOOK_RATES_POLL_SECONDS: '3600' })
  await until(async () => (await euros(fixture))['USDT'] === '0.92')
  replace(setText({ USDT: '0.93', ETH: '3000' }))
  await until(async () => (await euros(fixture))['USDT'] === '0.93')
  replace(setText({ USDT: '0.94', ETH: '1e400' }))
  await until(async () => (await euros(fixture))['ETH'] === '3000')
  replace(setText({ USDT: '0.95' }))
  await until(async () => (await euros(fixture))['USDT'] === '0.95')
  const { withheld } = (await fixture.get('/api/rates')).json
  assert.deepEqual(
    withheld.map(({ coin, why }: { coin: string; why: string }) => [coin, why]),
    [['ETH', 'left_out']],
  )
})

test('a URL is asked at the start; one that is not public is not, unless it is allowed or names loopback', async (t) => {
  const source = await openReceiver((_, response) => response.end(setText({ USDT: '0.92' })))
  t.after(() => source.close())
  const port = new URL(source.url).port
  const strict = { BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: 'onboarding' }
  const named = await started(t, { ...strict, BILLHOOK_RATES: `http://127.0.0.1:${port}/rates?key=secret` })
  await until(async () => (await euros(named))['USDT'] === '0.92')
  assert.equal(source.requests[0]?.path, '/rates?key=secret')
  const asked = source.connections
  // A name that leads to loopback.
  const other = await started(t, {
    ...strict,
    BILLHOOK_RATES: `https://rates.localhost:${port}/`,
    BILLHOOK_METRICS_PORT: '0',
  })
  const [metrics] = other.service.banner.flatMap((line) => /^metrics on (\S+)$/.exec(line)?.slice(1) ?? [])
  await until(async () =>
    (await (await fetch(metrics ?? '')).text()).includes('billhook_rate_sets_refused_total{reason="unreachable"} 1'),
  )
  assert.equal(source.connections, asked)
})

test('a sandbox has rates that never get old, and takes others, without which a coin has none', async (t) => {
  const fixture = await started(t, { BILLHOOK_SANDBOX: 'on' })
  const { source, rates } = (await fixture.get('/api/rates')).json
  assert.equal(source, 'sandbox')
  assert.deepEqual(
    Object.entries(rates).map(([currency, coins]) => [currency, Object.keys(coins as object)]),
    [
      ['EUR', ['ETH', 'TRX', 'USDC', 'USDT']],
      ['USD', ['ETH', 'TRX', 'USDC', 'USDT']],
    ],
  )
  const set = await fixture.post('/sandbox/rates', { rates: { EUR: { USDT: '5', TRX: '0.0001' } } })
  assert.deepEqual([set.status, set.json.status, set.json.held, set.json.left_out.length], [200, 'accepted', [], 6])
  assert.deepEqual(await euros(fixture), { TRX: '0.0001', USDT: '5' })
  for (const body of [{}, { rates: { EUR: { USDT: '0' } } }, { rates: [] }]) {
    const { status, json } = await fixture.post('/sandbox/rates', body)
    assert.deepEqual([status, json.code, json.field], [400, 'invalid_rates', 'rates'])
  }
  assert.deepEqual(await euros(fixture), { TRX: '0.0001', USDT: '5' })
})

test('a sandbox that is set at once many times takes each set', async (t) => {
  const fixture = await started(t, { BILLHOOK_SANDBOX: 'on' })
  for (let n = 1; n <= 20; n += 1) {
    const reply = await fixture.post('/sandbox/rates', { rates: { EUR: { USDT: `${n}` } } })
    assert.equal(reply.json.status, 'accepted', reply.text)
  }
  assert.deepEqual(await euros(fixture), { USDT: '20' })
})

test('processes that share a database judge by the same rates, whichever of them a set comes to', {
  skip: server === null,
}, async (t) => {
  assert.ok(server !== null)
  const environment = { BILLHOOK_STORE: await createDatabase(server), BILLHOOK_RATES: 'push' }
  const [one, other] = [await started(t, environment), await started(t, environment)]
  const startMs = Date.now() - 100_000
  assert.equal((await push(one, setText({ ETH: '3000', USDT: '0.92' }, startMs))).json.status, 'accepted')
  assert.deepEqual(await euros(other), { ETH: '3000', USDT: '0.92' })
  const jump = await push(other, setText({ ETH: '300', USDT: '0.92' }, startMs + 10_000))
  assert.deepEqual(jump.json.held, [{ currency: 'EUR', coin: 'ETH' }])
  assert.deepEqual(await euros(one), { USDT: '0.92' })
  assert.equal((await push(one, setText({ ETH: '300', USDT: '0.92' }, startMs + 10_000))).json.status, 'repeated')
  assert.equal((await push(other, setText({ ETH: '3000' }, startMs))).json.code, 'invalid_rates')
  assert.deepEqual((await push(one, setText({ ETH: '301', USDT: '0.92' }, startMs + 40_000))).json.held, [])
  assert.deepEqual(await euros(other), { ETH: '301', USDT: '0.92' })
  for (const service of [one, other]) await until(async () => (await degraded(service)).length === 0)
})
