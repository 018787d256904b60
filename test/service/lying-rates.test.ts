import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { ManualClock } from '../support/manual-clock.js'
import { type AnswerScript, openReceiver } from '../support/receiver.js'
import { type Reply, ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { validAddress } from '../support/valid-address.js'
import { until } from './watched-chain.js'

/*
 * A source of rates that gave a good set, and lies from then on: orders are sold at the last good rates as long as these may be used, and
 * at no others.
 */

const MAX_AGE_SECONDS = 600
const DAY_MS = 86_400_000
const MEGABYTE = Buffer.alloc(1_048_576, ' ')
const GIGABYTE_PARTS = 1024
/** 25.00 EUR at 0.92 EUR for one USDT. */
const GOOD = { EUR: { USDT: '0.92' } }
const GOOD_AMOUNT = '27.18'
const wallet = { id: 'w', address: validAddress('SEP', 'w'), network: 'SEP' }

const setText = (at: number, rates: unknown) => JSON.stringify({ at, rates })

interface Lie {
  readonly name: string
  /** As the metric calls it. */
  readonly reason: string
  /** `at`: the date of the good set. */
  readonly answer: (at: number, secretUrl: string) => AnswerScript
}

function says(textOf: (at: number) => string): Lie['answer'] {
  return (at) => (_, response) => response.end(textOf(at))
}

/** A rate at which a shop would lose nearly everything. */
const CHEAP = { EUR: { USDT: '1000' } }
const LIES: readonly Lie[] = [
  {
    name: 'a gigabyte',
    reason: 'too_long',
    answer: () => (_, response) => {
      let sent = 0
      const more = () => {
        while (sent < GIGABYTE_PARTS && !response.destroyed) {
          sent += 1
          if (!response.write(MEGABYTE)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    },
  },
  { name: 'a negative rate', reason: 'bad_value', answer: says((at) => setText(at + 1, { EUR: { USDT: '-0.92' } })) },
  { name: '1e400', reason: 'bad_value', answer: says((at) => setText(at + 1, { EUR: { USDT: '1e400' } })) },
  {
    name: '1e400 as a number',
    reason: 'bad_value',
    answer: says((at) => `{"at":${at + 1},"rates":{"EUR":{"USDT":1e400}}}`),
  },
  { name: 'a page', reason: 'not_json', answer: says(() => '<!doctype html><title>Attention required</title>') },
  {
    name: 'a redirect to a private address',
    reason: 'status',
    answer: (_, secretUrl) => (_request, response) => response.writeHead(302, { location: secretUrl }).end(),
  },
  { name: 'yesterday’s set', reason: 'older', answer: says((at) => setText(at - DAY_MS, CHEAP)) },
  {
    name: 'the date of the good set with other rates',
    reason: 'contradiction',
    answer: says((at) => setText(at, CHEAP)),
  },
  { name: 'tomorrow’s set', reason: 'future', answer: says((at) => setText(at + DAY_MS, CHEAP)) },
]

interface Shop {
  readonly fixture: ServiceFixture
  order(): Promise<Reply>
  metrics(): Promise<string>
}

async function opened(
  t: TestContext,
  { url, data, clock }: { readonly url: string; readonly data: string; readonly clock: ManualClock },
): Promise<Shop> {
  const environment = {
    BILLHOOK_DATA: data,
    BILLHOOK_RATES: url,
    BILLHOOK_RATES_POLL_SECONDS: '5',
    BILLHOOK_RATES_MAX_AGE_SECONDS: String(MAX_AGE_SECONDS),
    BILLHOOK_METRICS_PORT: '0',
    // The time of a database is its own.
    BILLHOOK_STORE: 'lmdb',
  }
  const fixture = await ServiceFixture.start(environment, createLog('silent'), clock)
  t.after(() => fixture.stop())
  const [metrics = ''] = fixture.service.banner.flatMap((line) => /^metrics on (\S+)$/.exec(line)?.slice(1) ?? [])
  const body = {
    owner: 'merchant',
    name: 'Order',
    price: { amount: '25.00', currency: 'EUR' },
    options: [{ walletIds: ['w'], currency: 'USDT' }],
  }
  return {
    fixture,
    order: () => fixture.post('/api/orders', body),
    metrics: async () => (await fetch(metrics)).text(),
  }
}

/** A data directory with a wallet and, unless there is none, a good set. Returns the date of that. */
async function prepared(t: TestContext, data: string, isGood: boolean): Promise<{ clock: ManualClock; at: number }> {
  const clock = new ManualClock(Date.now())
  const at = clock.now() - 1000
  const source = await openReceiver((_, response) => response.end(isGood ? setText(at, GOOD) : 'nothing'))
  t.after(() => source.close())
  const { fixture, metrics } = await opened(t, { url: source.url, data, clock })
  await fixture.assign('merchant', wallet)
  if (isGood) await until(async () => (await fixture.get('/api/rates')).json.rates.EUR !== undefined)
  else await until(async () => (await metrics()).includes('refused_total{reason="not_json"} 1'))
  await fixture.stop()
  return { clock, at }
}

function assertUnsold({ status, json }: Reply): void {
  assert.deepEqual([status, json.code, json.coin], [503, 'rate_unavailable', 'USDT'])
}

for (const { name, reason, answer } of LIES) {
  test(`a source that gives ${name} sells nothing, and takes nothing from the last good set before its time`, async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const { clock, at } = await prepared(t, place.path, true)
    const secret = await openReceiver((_, response) => response.end(setText(at + 1, CHEAP)))
    t.after(() => secret.close())
    const source = await openReceiver(answer(at, `${secret.url}/`))
    t.after(() => source.close())
    const { fixture, order, metrics } = await opened(t, { url: source.url, data: place.path, clock })
    await until(async () => (await metrics()).includes(`billhook_rate_sets_refused_total{reason="${reason}"} 1`))
    const sold = await order()
    assert.deepEqual([sold.status, sold.json.invoices?.[0].amount], [201, GOOD_AMOUNT], sold.text)
    clock.advance(MAX_AGE_SECONDS * 1000)
    assertUnsold(await order())
    assert.ok((await fixture.get('/readyz')).json.degraded.length > 0)
    assert.equal(secret.connections, 0)
  })
}

test('a source that gives only other currencies sells nothing, from its first answer on', async (t) => {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const { clock, at } = await prepared(t, place.path, true)
  const source = await openReceiver((_, response) =>
    response.end(setText(at + 500, { USD: { USDT: '0.92' }, USDT: { EUR: '1' } })),
  )
  t.after(() => source.close())
  const { fixture, order } = await opened(t, { url: source.url, data: place.path, clock })
  await until(async () => (await fixture.get('/api/rates')).json.rates.USD !== undefined)
  assertUnsold(await order())
  const { withheld } = (await fixture.get('/api/rates')).json
  assert.deepEqual(
    withheld.map(({ currency, coin, why }: Readonly<Record<string, string>>) => [currency, coin, why]),
    [['EUR', 'USDT', 'left_out']],
  )
})

test('a set that is a day old as it comes first sells nothing, however often it comes', async (t) => {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const { clock, at } = await prepared(t, place.path, false)
  const source = await openReceiver((_, response) => response.end(setText(at - DAY_MS, GOOD)))
  t.after(() => source.close())
  const { order, metrics } = await opened(t, { url: source.url, data: place.path, clock })
  for (const count of [1, 2]) {
    await until(async () => (await metrics()).includes(`billhook_rate_sets_refused_total{reason="outdated"} ${count}`))
    assertUnsold(await order())
  }
})

test('the good set again and again is used until its time, and not longer', async (t) => {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const { clock, at } = await prepared(t, place.path, true)
  const source = await openReceiver((_, response) => response.end(setText(at, GOOD)))
  t.after(() => source.close())
  const { order } = await opened(t, { url: source.url, data: place.path, clock })
  await source.received(1)
  assert.equal((await order()).status, 201)
  clock.set(at + MAX_AGE_SECONDS * 1000 + 1)
  await source.received(2)
  assertUnsold(await order())
})

test('a payment is judged by the amount that was asked, whatever the rates have become', async (t) => {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const { clock, at } = await prepared(t, place.path, true)
  let rate = '0.92'
  const source = await openReceiver((_, response) => response.end(setText(clock.now() - 1, { EUR: { USDT: rate } })))
  t.after(() => source.close())
  const { fixture, order } = await opened(t, { url: source.url, data: place.path, clock })
  const { json: made } = await order()
  assert.equal(made.invoices[0].amount, GOOD_AMOUNT)
  // The coin falls by 9 %: by the later rate, the payment would be 0.91 of the price.
  rate = '0.84'
  clock.advance(10_000)
  await until(async () => (await fixture.get('/api/rates')).json.rates.EUR?.USDT === rate)
  const event = (status: string, txHash: string, amount: string) => {
    const deposit = {
      network: 'SEP',
      txHash,
      toAddress: wallet.address,
      currency: 'Tether',
      amount,
      receivedAt: at + 9000,
    }
    return { id: `${status} ${txHash}`, type: `deposit.${status}`, deposit }
  }
  const shown = async () => {
    const { status, paid_fraction, options } = (await fixture.get(`/api/orders/${made.id}`)).json
    return [status, paid_fraction, options[0].remaining]
  }
  await fixture.push(event('confirmed', 'half', '13590000'))
  assert.deepEqual(await shown(), ['partly', '0.500000000000000000', '13.59'])
  await fixture.push(event('confirmed', 'rest', '13590000'))
  assert.deepEqual(await shown(), ['paid', '1.000000000000000000', '0'])
})
