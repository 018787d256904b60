import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { PushedEvent } from '../chaos/acknowledged.js'
import { ask, hashOf, pushEvents } from '../chaos/http-client.js'
import { postgresForTests } from '../support/postgres-tests.js'
import type { ServiceProcess } from '../support/service-process.js'
import { changesLive, onDatabase } from './postgres-services.js'

/*
 * An order on three processes that share a database and nothing else: what one of them is told of holds at the others from its answer on,
 * and their open pages hear of it.
 */

const OWNER = 'shop'
const TOKEN = { id: 'token', address: `0x${'ab'.repeat(20)}`, network: 'SEP' }
const COIN = { id: 'coin', address: `0x${'cd'.repeat(20)}`, network: 'SEP' }
const ORDER = {
  owner: OWNER,
  price: { amount: '25.00', currency: 'EUR' },
  options: [
    { walletIds: [TOKEN.id], currency: 'USDT', amount: '27.18' },
    { walletIds: [COIN.id], currency: 'native', amount: '0.01' },
  ],
  name: 'Tea',
  reference: 'order-1',
}

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

interface Processes {
  readonly first: ServiceProcess
  readonly second: ServiceProcess
  readonly third: ServiceProcess
  /** The order of `ORDER`, created at the first one. */
  readonly id: string
}

async function onProcesses(scenario: (processes: Processes) => Promise<void>): Promise<void> {
  await onDatabase(server, async ({ start }) => {
    const [first, second, third] = await Promise.all([start([]).ready, start([]).ready, start([]).ready])
    for (const wallet of [TOKEN, COIN]) {
      await pushEvents(first.url, [
        { id: `${wallet.id} created`, type: 'wallet.created', wallet },
        { id: `${wallet.id} assigned`, type: 'wallet.assigned', wallet: { id: wallet.id }, owner: OWNER },
      ])
    }
    const created = await post(first, '/api/orders', ORDER)
    assert.equal(created?.status, 201, JSON.stringify(created?.json))
    await scenario({ first, second, third, id: created.json.id })
  })
}

function post({ url }: ServiceProcess, path: string, body: object) {
  return ask('POST', `${url}${path}`, JSON.stringify(body))
}

let reports = 0

async function report(
  { url }: ServiceProcess,
  kind: 'confirmed' | 'dropped',
  currency: 'Tether' | '#native',
  amount: string,
  receivedAt = Date.now() + 1000,
): Promise<number> {
  reports += 1
  const toAddress = (currency === 'Tether' ? TOKEN : COIN).address
  const deposit = { network: 'SEP', txHash: hashOf(`${currency} ${amount}`), toAddress, currency, amount, receivedAt }
  const event: PushedEvent = { id: `report ${reports}`, type: `deposit.${kind}`, deposit }
  await pushEvents(url, [event])
  return receivedAt
}

async function read({ url }: ServiceProcess, path: string) {
  const answer = await ask('GET', `${url}${path}`)
  assert.equal(answer?.status, 200, path)
  return answer.json
}

async function stateOf(service: ServiceProcess, id: string) {
  const { status, options } = await read(service, `/api/orders/${id}`)
  const isVoid = options.map(({ voided_at }: { readonly voided_at: number | null }) => voided_at !== null)
  return { status, isVoid, remaining: options.map(({ remaining }: { readonly remaining: string }) => remaining) }
}

function askedFor(service: ServiceProcess, wallet: string, amount: string, currency: string) {
  return post(service, '/api/invoices', { owner: OWNER, walletIds: [wallet], name: 'Other', amount, currency })
}

test('the page of an order at one process hears of what is paid at others, in whatever coin', () =>
  onProcesses(async ({ first, second, third, id }) => {
    for (const [at, currency, amount, remaining] of [
      [first, 'Tether', '13590000', ['13.59', '0.005']],
      [third, '#native', '0.005', ['0', '0']],
    ] as const) {
      let isLive = Promise.resolve()
      await new Promise<void>((resolve) => {
        isLive = changesLive(`${second.url}/order/${id}/events`, resolve)
      })
      await report(at, 'confirmed', currency, amount)
      await isLive
      assert.deepEqual((await stateOf(second, id)).remaining, remaining)
    }
    const page = await (await fetch(`${second.url}/order/${id}`)).text()
    assert.match(page, /Paid\. Nothing more is due\./)
  }))

test('an order that is completed at one process has void invoices at the others, for creations and for what is paid', () =>
  onProcesses(async ({ first, second, third, id }) => {
    const before = await askedFor(second, TOKEN.id, '27.18', 'USDT')
    assert.deepEqual([before?.status, before?.json.code], [409, 'amount_in_use'])
    await report(first, 'confirmed', '#native', '0.01')
    assert.deepEqual(await stateOf(second, id), { status: 'paid', isVoid: [true, false], remaining: ['0', '0'] })

    // Its amount is free at once, and a payment of it is the new invoice's.
    const other = await askedFor(second, TOKEN.id, '27.18', 'USDT')
    assert.equal(other?.status, 201, JSON.stringify(other?.json))
    await report(third, 'confirmed', 'Tether', '27180000')
    const { id: paid, payment } = await read(first, `/api/invoices/${other.json.id}`)
    assert.deepEqual([paid, payment.status, payment.own], [other.json.id, 'paid', '27.18'])
    const { options, paid_fraction } = await read(third, `/api/orders/${id}`)
    assert.deepEqual([options[0].payment.own, paid_fraction], ['0', '1.000000000000000000'])
  }))

test('what is taken back at one process has the invoices of its order live again at the others', () =>
  onProcesses(async ({ first, second, third, id }) => {
    const receivedAt = await report(first, 'confirmed', '#native', '0.01')
    assert.deepEqual((await stateOf(third, id)).isVoid, [true, false])
    await report(third, 'dropped', '#native', '0.01', receivedAt)
    assert.deepEqual(await stateOf(second, id), {
      status: 'unpaid',
      isVoid: [false, false],
      remaining: ['27.18', '0.01'],
    })
    const refused = await askedFor(second, TOKEN.id, '27.18', 'USDT')
    assert.deepEqual([refused?.status, refused?.json.code], [409, 'amount_in_use'])
    await report(second, 'confirmed', 'Tether', '27180000')
    assert.equal((await stateOf(first, id)).status, 'paid')
  }))
