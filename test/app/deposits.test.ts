import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BillhookEvent } from '@billhook/client'
import { confirmedSums, isTo } from '../../packages/app/src/events/deposits.js'
import { LOG_MAX, readLog } from '../../packages/app/src/events/log.js'
import { differenceOf, sumOf } from '../../packages/app/src/invoices/units.js'

const networks = [
  { id: 'SEP', symbol: 'ETH', tokens: [{ symbol: 'USDT', contract: null, decimals: 6 }] },
] as unknown as Parameters<typeof confirmedSums>[1]['networks']

function event(type: string, txHash: string, amount = '1000000', given: object = {}): BillhookEvent {
  const deposit = { network: 'SEP', txHash, index: 0, toAddress: '0xAb', currency: 'Tether', amount, ...given }
  return { id: txHash, type, deposit } as unknown as BillhookEvent
}

describe('what came to a wallet', () => {
  for (const { name, log, sums } of [
    { name: 'is nothing where nothing came', log: [], sums: {} },
    {
      name: 'is the sum by coin',
      log: [
        event('deposit.confirmed', 'a', '1500000'),
        event('deposit.confirmed', 'b', '2000000'),
        event('deposit.confirmed', 'c', '0.1', { currency: '#native' }),
      ],
      sums: { USDT: '3.5', ETH: '0.1' },
    },
    { name: 'leaves out what is not confirmed yet', log: [event('deposit.pending', 'a')], sums: {} },
    {
      name: 'counts a deposit once, which was pending before',
      log: [event('deposit.confirmed', 'a'), event('deposit.pending', 'a')],
      sums: { USDT: '1' },
    },
    {
      name: 'leaves out what a network took back',
      log: [event('deposit.dropped', 'a'), event('deposit.confirmed', 'a')],
      sums: {},
    },
    {
      name: 'counts two transfers of one transaction',
      log: [event('deposit.confirmed', 'a'), event('deposit.confirmed', 'a', '1000000', { index: 1 })],
      sums: { USDT: '2' },
    },
    {
      name: 'counts one once that is told for two invoices',
      log: [event('deposit.confirmed', 'a'), event('deposit.confirmed', 'a')],
      sums: { USDT: '1' },
    },
    {
      name: 'leaves out a coin that the service does not name',
      log: [event('deposit.confirmed', 'a', '1', { currency: 'JUNK' })],
      sums: {},
    },
  ]) {
    test(name, () => assert.deepEqual(confirmedSums(log, { networks }), sums))
  }

  for (const [network, address, is] of [
    ['SEP', '0xAb', true],
    ['SEP', '0xaB', true],
    ['SEP', '0xAc', false],
    ['ETH', '0xAb', false],
  ] as const) {
    test(`is ${is ? 'what' : 'not what'} came to ${address} on ${network}`, () =>
      assert.equal(isTo(event('deposit.pending', 'a'), network, address), is))
  }

  test('is told by deposits alone', () => {
    assert.equal(isTo({ deposit: null } as BillhookEvent, 'SEP', '0xAb'), false)
  })
})

describe('a look at the log', () => {
  async function look(count: number, fits: (event: BillhookEvent) => boolean): Promise<readonly string[]> {
    async function* listEvents() {
      for (let number = 1; number <= count; number++) yield { id: String(number) } as BillhookEvent
    }
    const { signal } = new AbortController()
    return (await readLog({ listEvents }, fits, signal)).map(({ id }) => id)
  }

  test('finds what fits, newest first', async () => {
    assert.deepEqual(await look(5, ({ id }) => id !== '2'), ['5', '4', '3', '1'])
  })

  test('keeps the last entries of a log that is too long', async () => {
    const found = await look(3 * LOG_MAX + 7, () => true)
    assert.equal(found.length, LOG_MAX)
    assert.deepEqual([found[0], found.at(-1)], [String(3 * LOG_MAX + 7), String(2 * LOG_MAX + 8)])
  })
})

describe('decimals', () => {
  for (const [one, other, sum, difference] of [
    ['0', '0', '0', '0'],
    ['0.1', '0.2', '0.3', '-0.1'],
    ['-1', '0.000000000000000001', '-0.999999999999999999', '-1.000000000000000001'],
    ['123456789012345678901234567890', '10', '123456789012345678901234567900', '123456789012345678901234567880'],
  ] as const) {
    test(`${one} and ${other} make ${sum}, and leave ${difference}`, () => {
      assert.deepEqual([sumOf(one, other), differenceOf(one, other)], [sum, difference])
    })
  }
})
