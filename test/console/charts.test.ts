import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chart } from '../../src/console/chart.js'
import { networksPage } from '../../src/console/networks.js'
import { overviewPage } from '../../src/console/overview.js'
import { asideOf, failedAgain } from '../../src/domain/aside.js'
import type { Sample } from '../../src/metrics/history.js'
import { textOf } from '../page/frame.js'
import { depositFact } from '../support/fixtures.js'
import { TEST_NETWORKS } from '../support/networks.js'

const NOW = Date.UTC(2026, 10, 23, 12)
const MINUTE = 60_000

describe('a chart', () => {
  const about = { title: 'Invoices created', unit: 'a second', nowMs: NOW }

  test('says in words and in a table what its line shows', () => {
    const points = [
      { at: NOW - 6 * MINUTE, value: 8 },
      { at: NOW - 20_000, value: 1 },
      { at: NOW - 10_000, value: 2.5 },
    ]
    const html = chart({ ...about, points }).toString()
    assert.match(html, /role="img" aria-label="Invoices created, a second, over the last hour. Now 2.5, highest 8."/)
    assert.match(html, /d="M324\.0 2\.0h0\.1M358\.0 87\.8h0\.1L359\.0 69\.4"/)
    assert.ok(textOf(html).includes('11:551.752.5 11:5088'), textOf(html))
  })

  test('is a line on the ground where nothing happened, and says so where there is no sample', () => {
    const flat = chart({ ...about, points: [{ at: NOW, value: 0 }] }).toString()
    assert.match(flat, /d="M360\.0 100\.0h0\.1"/)
    assert.ok(textOf(chart({ ...about, points: [] }).toString()).includes('No sample yet'))
  })

  test('has nothing of what is older than an hour, or of the future', () => {
    const points = [
      { at: NOW - 61 * MINUTE, value: 1 },
      { at: NOW + MINUTE, value: 1 },
    ]
    assert.match(chart({ ...about, points }).toString(), /d=""/)
  })
})

describe('the overview', () => {
  const store = {
    overview: {
      counts: () => ({ identities: 1, wallets: 2, keys: 3, invoices: 1_000_000, deposits: 5, deliveries: 6 }),
    },
    outbox: { depth: () => ({ queued: 1, attempted: 2, waiting: 3 }) },
  }
  const sample = { creations: 1, deposits: 2, deliveries: 3, verifications: 4, refused: 5, loopDelay: 6, memory: 7 }
  const samples = (): Sample[] => [{ at: NOW, ...sample }]
  const show = async (isReady: boolean, complaints: readonly string[]) => {
    const about = () => ({
      version: '1.2.3',
      url: 'https://pay.example',
      isStrict: true,
      startedAt: NOW - 61_000,
      dataDirectory: '/var/lib/billhook',
    })
    const condition = { about, isReady: () => isReady, degradations: () => complaints, clock: () => null, samples }
    // The ports that the page does not use are not there.
    const page = await overviewPage(store as unknown as Parameters<typeof overviewPage>[0], condition, NOW)
    return page.content.toString()
  }

  test('tells which service it is, counts, the outbox and what is impaired', async () => {
    const html = await show(true, [])
    const well = textOf(html)
    for (const words of [
      'The service is ready.',
      '1,000,000 invoices',
      '1 queued, 2 in progress, 3 waiting',
      'Version Billhook 1.2.3 Mode strict',
      'Address https://pay.example',
      'Running since 2026-11-23 11:58:59',
      'Data directory /var/lib/billhook',
    ]) {
      assert.ok(well.includes(words), words)
    }
    const counts = ['invoices', 'deposits', 'deliveries', 'wallets', 'keys'].map((list) => `"/console/${list}"`)
    const states = ['queued', 'sending', 'waiting'].map((state) => `"/console/deliveries?state=${state}"`)
    for (const link of [...counts, ...states]) assert.ok(html.includes(`href=${link}`), link)
    const ill = textOf(await show(false, ['SEP was last read 900 s behind.']))
    assert.ok(ill.includes('The service is not ready.') && ill.includes('900 s behind'))
  })

  test('has a chart of each metric', async () => {
    const html = await show(true, [])
    assert.equal([...html.matchAll(/<svg/g)].length, Object.keys(sample).length)
    for (const value of Object.values(sample)) assert.ok(html.includes(`Now ${value}, highest ${value}`))
  })
})

test('the page of networks shows lag, problems, nodes, what was set aside, and the ledger', () => {
  const network = {
    network: 'SEP',
    head: 120,
    block: 100,
    confirmed: 90,
    lag_blocks: 20,
    lag_seconds: 240,
    reorganisations: 1,
    blocks_set_aside: 1,
    problem: 'no <b>node</b> answers',
  }
  const ledger = {
    lag_seconds: 5,
    stores: 2,
    silent_stores: 1,
    read_apis: 1,
    silent_read_apis: 0,
    transactions: 7,
    set_aside: 3,
    set_aside_why: 'no read API has 3',
    problem: null,
  }
  const node = { network: 'SEP', name: 'https://node.example', is_used: false, requests: 10, failures: 4 }
  const block = failedAgain(undefined, { network: 'SEP', height: 4711, reason: 'receipts are <i>malformed</i>' }, 1)
  const deposit = asideOf(depositFact('confirmed', { txHash: '0xlost' }), 'a <u>fault</u>', 1)
  const aside = { blocks: [block, { ...block, height: 4712, hash: '0xabc' }], deposits: [deposit] }
  const shown = { networks: () => [network], nodes: () => [node], ledger: () => ledger }
  const full = networksPage(shown, aside, TEST_NETWORKS.decimals).content.toString()
  for (const words of ['20', '240', 'https://node.example', 'skipped after failures', '&lt;b&gt;']) {
    assert.ok(full.includes(words), words)
  }
  for (const words of ['4711', 'waited for', '4712', 'set aside', '&lt;i&gt;', '0xlost', '&lt;u&gt;']) {
    assert.ok(full.includes(words), words)
  }
  const nothing = { networks: () => [], nodes: () => [], ledger: () => null }
  const none = textOf(networksPage(nothing, { blocks: [], deposits: [] }, TEST_NETWORKS.decimals).content.toString())
  assert.ok(none.includes('No network is watched') && none.includes('No ledger is followed'))
  assert.ok(none.includes('Every block could be read') && none.includes('Every deposit could be recorded'))
})
