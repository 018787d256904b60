import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { WatchedAddresses } from '../../../src/domain/block.js'
import { createLog } from '../../../src/log.js'
import { NodesReader } from '../../../src/networks/node/nodes-reader.js'
import { accountOfAddress } from '../../../src/networks/tron/address.js'
import { TronNode } from '../../../src/networks/tron/node.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { paymentOf, until } from '../../service/watched-chain.js'
import { ManualClock } from '../../support/manual-clock.js'
import { RECORDED_TOKEN, RecordedTron, recordedCases } from '../../support/recorded-tron.js'
import { gatewayHeaders, ServiceFixture } from '../../support/service-fixture.js'
import { tronToken } from './fixture.js'

const LENGTH = 420
const OWNER = 'shop'
/** The newest block when the service starts. */
const START = 150

/** What a case pays to its wallet: `[index, currency, amount]`. Cases that are not here pay nothing. */
type Paid = readonly [index: number, currency: 'Tether' | '#native', amount: string]
const INTERNAL = 0x8000_0000

const paidBy: Readonly<Record<string, readonly Paid[]>> = {
  trx: [[0, '#native', '1']],
  'trx-huge': [[0, '#native', '9007199254.740993']],
  'trx-memo': [[0, '#native', '2']],
  multisign: [[0, '#native', '1.5']],
  'unknown-field': [[0, '#native', '0.000504']],
  trc20: [[1, 'Tether', '5000000']],
  'trc20-many': [
    [2, 'Tether', '7'],
    [4, 'Tether', '7'],
    [6, 'Tether', '7'],
  ],
  'relay-token': [[1, 'Tether', '100']],
  'relay-trx': [[INTERNAL, '#native', '3']],
  'relay-many': [
    [INTERNAL, '#native', '0.00001'],
    [INTERNAL + 1, '#native', '0.00001'],
    [INTERNAL + 2, '#native', '0.00001'],
  ],
}

/** What the invoices on its wallet have received then, in the coin and in the token. */
const received: Readonly<Record<string, readonly [native: string, token: string]>> = {
  trx: ['1', '0'],
  'trx-huge': ['9007199254.740993', '0'],
  'trx-memo': ['2', '0'],
  multisign: ['1.5', '0'],
  'unknown-field': ['0.000504', '0'],
  trc20: ['0', '5'],
  'trc20-many': ['0', '0.000021'],
  'relay-token': ['0', '0.0001'],
  'relay-trx': ['3', '0'],
  'relay-many': ['0.00003', '0'],
}

describe('recorded answers of a real java-tron', () => {
  let node: RecordedTron
  before(async () => {
    node = await RecordedTron.start(LENGTH)
    node.newest = LENGTH - 1
    node.solidified = LENGTH - 1
  })
  after(() => node.close())

  function readerOf(t: TestContext): NodesReader {
    const clock = new ManualClock(node.timeAt(LENGTH - 1))
    const options = {
      tokens: [tronToken('USDT', accountOfAddress(RECORDED_TOKEN) ?? '')],
      genesisId: node.genesis,
      clock,
      warn: () => {},
    }
    const reader = new NodesReader({
      network: 'TRX-NILE',
      addresses: [{ url: node.url }],
      nodeOf: (http) => new TronNode(http, options),
      headAgeMaxMs: 60_000,
      timeoutMs: 60_000,
      answerLimitBytes: 100_000_000,
      clock,
      scheduler: wakefulScheduler,
      random: () => 0,
      log: createLog('silent'),
    })
    t.after(() => reader.close())
    return reader
  }

  for (const { case: name, about, wallet = '', height } of recordedCases) {
    test(`${name}, through the reader: ${about}`, async (t) => {
      const reader = readerOf(t)
      const watched: WatchedAddresses = { has: (address) => address === wallet, few: () => [wallet] }
      const [block] = height === 0 ? [await reader.block(0, watched)] : await reader.blocks(height, height, watched)
      const paid = block?.transfers.map(({ index, currency, amount, toAddress }) => {
        assert.equal(toAddress, wallet)
        return [index, currency, amount]
      })
      assert.deepEqual(paid, paidBy[name] ?? [])
      assert.deepEqual((await reader.block(height, watched))?.transfers, block?.transfers)
    })
  }

  test('all of them through the whole service', { timeout: 120_000 }, async (t) => {
    const chain = await RecordedTron.start(LENGTH)
    t.after(() => chain.close())
    chain.newest = START
    chain.solidified = START - 18
    const clock = new ManualClock(chain.timeAt(START))
    const fixture = await ServiceFixture.start(
      {
        BILLHOOK_TRX_NILE_URLS: chain.url,
        BILLHOOK_TRX_NILE_TOKEN: RECORDED_TOKEN,
        BILLHOOK_TRX_NILE_GENESIS: chain.genesis,
        BILLHOOK_TRX_NILE_POLL_MS: '100',
      },
      createLog('silent'),
      clock,
    )
    t.after(() => fixture.stop())
    const invoices = new Map<string, readonly [native: string, token: string]>()
    for (const { case: name, wallet: address } of recordedCases) {
      if (address === undefined) continue
      const wallet = { id: `wallet-${name}`, address, network: 'TRX-NILE' }
      const events = [
        { id: `${name}-1`, type: 'wallet.created', wallet },
        { id: `${name}-2`, type: 'wallet.assigned', wallet: { id: wallet.id }, owner: OWNER },
      ]
      const pushed = JSON.stringify({ events })
      const headers = gatewayHeaders(String(clock.now()), pushed)
      assert.equal((await fixture.call('POST', '/internal/events', { body: pushed, headers })).status, 200)
      const ids: string[] = []
      for (const currency of ['native', 'USDT']) {
        const body = {
          owner: OWNER,
          walletIds: [wallet.id],
          name,
          amount: '10000000000',
          currency,
          reference: `${name} ${currency}`,
        }
        const { status, json, text } = await fixture.call('POST', '/api/invoices', { body, headers: JSON_BODY })
        assert.equal(status, 201, text)
        ids.push(json.id)
      }
      invoices.set(name, [ids[0] ?? '', ids[1] ?? ''])
    }
    // Blocks come in pieces of several, as they do where polls are far apart.
    for (let newest = START; newest < LENGTH - 1; newest += 7) {
      chain.newest = Math.min(LENGTH - 1, newest + 7)
      chain.solidified = chain.newest - 18
      clock.set(Math.max(clock.now(), chain.timeAt(chain.newest)))
    }
    await until(() => chain.solidFrom > chain.solidified)
    const receivedBy = async (id: string) => (await paymentOf(fixture.url, id))['received']
    for (const [name, ids] of invoices) {
      const sums = await Promise.all(ids.map(receivedBy))
      assert.deepEqual(sums, received[name] ?? ['0', '0'], name)
    }
  })
})

const JSON_BODY = { 'content-type': 'application/json' }
