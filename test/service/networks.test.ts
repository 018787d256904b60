import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { ask } from '../chaos/http-client.js'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import { type Exposition, parseExposition } from '../support/exposition.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, paymentOf, until, WatchedChain } from './watched-chain.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
/** A node that limits the rate serves a call no sooner after the last one. */
const LIMITED_SPACING_MS = 500
/** Nobody listens there. */
const WRONG_CHECK_SUM = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBg'
const DEAD_URL = 'http://127.0.0.1:1'

/** A service in this process that watches the chain. */
async function watch(t: TestContext, world: WatchedChain, more: Readonly<Record<string, string>> = {}) {
  const fixture = await ServiceFixture.start(world.environment(more))
  t.after(() => fixture.stop())
  return fixture
}

async function metricsOf(fixture: ServiceFixture): Promise<Exposition> {
  const [line = ''] = fixture.service.banner
  return parseExposition(await (await fetch(line.replace('metrics on ', ''))).text())
}

/** The versions that a page is told of. */
async function* newsIn(events: Response): AsyncGenerator<string> {
  let text = ''
  for await (const bytes of events.body ?? assert.fail('no events')) {
    text += Buffer.from(bytes).toString()
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const version = /^data: (.*)$/m.exec(text.slice(0, end))
      if (text.startsWith('id:') && version?.[1] !== undefined) yield version[1]
      text = text.slice(end + 2)
    }
  }
}

describe('a service that watches a real node', { skip: anvilAbsence, timeout: 120_000 }, () => {
  test('sees a payment when its block is new, and confirms it after the blocks that it was told', async (t) => {
    const world = await WatchedChain.start(t)
    const fixture = await watch(t, world, { BILLHOOK_METRICS_PORT: '0' })
    const { url } = fixture
    const invoiceId = await world.openInvoice(url, '25')
    const payment = () => paymentOf(url, invoiceId)
    const txHash = await world.pay(25n)
    await world.chain.mine()
    await world.receiver.received(1)
    assert.deepEqual(await payment(), {
      status: 'unpaid',
      received: '0',
      pending: '25',
      remaining: '25',
      overpaid: '0',
      own: '0',
    })

    // One block too few.
    await world.chain.mine(CONFIRMATIONS - 2)
    await until(async () => {
      const shown = await metricsOf(fixture)
      return shown.value('billhook_network_cursor_block', { network: 'SEP' }) === (await world.chain.height())
    })
    assert.equal((await payment())['pending'], '25')

    await world.chain.mine()
    await world.receiver.received(2)
    assert.deepEqual(await payment(), {
      status: 'paid',
      received: '25',
      pending: '0',
      remaining: '0',
      overpaid: '0',
      own: '25',
    })
    assert.deepEqual(world.told(), [`pending ${txHash}`, `confirmed ${txHash}`])
  })

  test('counts a payment in the second of its invoice', async (t) => {
    // Its time must not be ahead of the clock.
    const aMinuteAgo = Math.floor(Date.now() / 1000) - 60
    const world = await WatchedChain.start(t, ['--timestamp', String(aMinuteAgo)])
    const { url } = await watch(t, world)
    const invoiceId = await world.openInvoice(url, '25')
    const { created_at: createdAt } = (await ask('GET', `${url}/api/invoices/${invoiceId}`))?.json ?? assert.fail()
    await world.chain.node.call('evm_setNextBlockTimestamp', Math.floor(createdAt / 1000))
    await world.pay(25n)
    await world.chain.mine()
    await world.receiver.received(1)
    assert.equal((await paymentOf(url, invoiceId))['pending'], '25')
    await world.chain.mine(CONFIRMATIONS - 1)
    await world.receiver.received(2)
    const told = world.receiver.requests.map(({ body }): number => JSON.parse(body.toString()).receivedAt)
    assert.ok((told[0] ?? 0) > createdAt, 'it was received after the invoice was created')
    assert.equal(told[0], told[1])
  })

  test('tells of a payment that the network dates before its invoice, and does not count it', async (t) => {
    const anHourAgo = Math.floor(Date.now() / 1000) - 3600
    const world = await WatchedChain.start(t, ['--timestamp', String(anHourAgo)])
    const fixture = await watch(t, world, { BILLHOOK_METRICS_PORT: '0' })
    const invoiceId = await world.openInvoice(fixture.url, '25')
    const dated = async () =>
      (await metricsOf(fixture)).value('billhook_deposits_dated_before_invoice_total', { network: 'SEP' })
    assert.equal(await dated(), 0)
    await world.pay(25n)
    await world.chain.mine()
    await until(async () => (await dated()) === 1)
    const { pending, received } = await paymentOf(fixture.url, invoiceId)
    assert.deepEqual([pending, received], ['0', '0'])
  })

  test('tells an open payment page of each block that confirms, with a link to the transaction', async (t) => {
    const world = await WatchedChain.start(t)
    const { url } = await watch(t, world, { BILLHOOK_SEP_EXPLORER: 'https://explorer.example/tx/{txHash}' })
    const invoiceId = await world.openInvoice(url, '25')
    const page = async () => (await fetch(`${url}/pay/${invoiceId}`)).text()
    const txHash = await world.pay(25n)
    await world.chain.mine()
    await world.receiver.received(1)
    const first = await page()
    assert.ok(first.includes(`<a class="hash" href="https://explorer.example/tx/${txHash}" target="_blank"`), first)
    assert.ok(first.includes('<p class="quiet">1 of 3 confirmations</p>'), first)

    const version = /data-version="([^"]+)"/.exec(first)?.[1]
    const events = await fetch(`${url}/pay/${invoiceId}/events?after=${version}`)
    const news = newsIn(events)
    await world.chain.mine()
    await news.next()
    assert.ok((await page()).includes('<p class="quiet">2 of 3 confirmations</p>'))
    await world.chain.mine()
    await news.next()
    assert.ok((await page()).includes('<p class="quiet">Confirmed</p>'))
    await news.return(undefined)
  })

  test('tells in metrics how far it is, what was replaced, and how its nodes do', async (t) => {
    const world = await WatchedChain.start(t)
    const fixture = await watch(t, world, {
      BILLHOOK_METRICS_PORT: '0',
      BILLHOOK_SEP_URLS: `${DEAD_URL}/v2/hunter2, ${world.proxy.url}/?key=hunter2`,
    })
    await world.chain.mine(10)
    const sep = { network: 'SEP' }
    await until(async () => {
      const shown = await metricsOf(fixture)
      return shown.value('billhook_network_cursor_block', sep) === (await world.chain.height())
    })
    await world.chain.node.call('anvil_reorg', 2, [])
    await world.chain.mine()
    await until(async () => {
      const shown = await metricsOf(fixture)
      return shown.value('billhook_network_reorganisations_total', sep) === 1
    })
    await until(async () => {
      const shown = await metricsOf(fixture)
      return shown.value('billhook_network_cursor_block', sep) === (await world.chain.height())
    })
    const shown = await metricsOf(fixture)
    assert.equal(shown.value('billhook_network_head_block', sep), await world.chain.height())
    assert.equal(shown.value('billhook_network_lag_blocks', sep), 0)
    assert.ok((shown.value('billhook_network_lag_seconds', sep) ?? -1) >= 0)
    assert.equal(shown.value('billhook_network_problem', { ...sep, reason: 'wrong_node' }), 0)
    for (const name of ['network_confirmed_blocks_undone_total', 'network_repairs_total']) {
      assert.equal(shown.value(`billhook_${name}`, sep), 0, name)
    }
    const [dead, well] = [DEAD_URL, world.proxy.url].map((endpoint) => ({ ...sep, endpoint }))
    assert.equal(shown.value('billhook_endpoint_used', dead), 0)
    assert.equal(shown.value('billhook_endpoint_used', well), 1)
    assert.ok((shown.value('billhook_endpoint_failures_total', dead) ?? 0) > 0)
    assert.equal(shown.value('billhook_endpoint_failures_total', well), 0)
    assert.ok((shown.value('billhook_endpoint_requests_total', well) ?? 0) > 0)
    assert.ok(!JSON.stringify(shown.samples).includes('hunter2'), 'an address may hold a key')
  })

  test('confirms nothing while two nodes disagree, and says so to monitors, then goes on', async (t) => {
    const world = await WatchedChain.start(t)
    const fixture = await watch(t, world, {
      BILLHOOK_METRICS_PORT: '0',
      BILLHOOK_SEP_URLS: `${world.chain.node.url},${world.proxy.url}`,
    })
    const { url } = fixture
    const invoiceId = await world.openInvoice(url, '25')
    await world.pay(25n)
    world.proxy.fault = {
      alter: ({ method, params }, end) =>
        method === 'eth_getBlockByNumber' && params[1] === false && params[0] !== 'latest' && 'result' in end
          ? { result: { ...(end.result as object), hash: `0x${'ab'.repeat(32)}` } }
          : end,
    }
    await world.chain.mine(CONFIRMATIONS + 1)
    const problem = { network: 'SEP', reason: 'disagreement' }
    await until(async () => (await metricsOf(fixture)).value('billhook_network_problem', problem) === 1)
    const ready: unknown = await (await fetch(`${url}/readyz`)).json()
    const complaint = 'SEP confirms nothing: its nodes disagree about confirmed blocks; see the log.'
    assert.deepEqual(ready, { status: 'degraded', degraded: [complaint] })
    assert.equal((await paymentOf(url, invoiceId))['received'], '0')

    world.proxy.fault = {}
    await until(async () => (await paymentOf(url, invoiceId))['status'] === 'paid')
    await until(async () => (await metricsOf(fixture)).value('billhook_network_problem', problem) === 0)
  })

  test('goes on with the next node when the first one is dead', async (t) => {
    const world = await WatchedChain.start(t)
    const { url } = await watch(t, world, { BILLHOOK_SEP_URLS: `${DEAD_URL},${world.proxy.url}` })
    const invoiceId = await world.openInvoice(url, '25')
    await world.pay(25n)
    await world.chain.mine(CONFIRMATIONS)
    await world.receiver.received(2)
    assert.equal((await paymentOf(url, invoiceId))['status'], 'paid')
  })

  test('starts without any node, says that it is degraded, and takes everything up when a node comes', async (t) => {
    const world = await WatchedChain.start(t)
    world.proxy.fault = { answer: (response) => response.writeHead(503).end() !== undefined }
    const fixture = await watch(t, world, { BILLHOOK_WATCH_LAG_SECONDS: '5' })
    const ready = async () => (await fixture.get('/readyz')).json
    const unread = 'SEP has not been read yet (eth_chainId: HTTP status 503).'
    assert.deepEqual(await ready(), { status: 'degraded', degraded: [unread] })
    world.proxy.fault = {}
    await until(async () => {
      const { status } = await ready()
      if (status !== 'ready') await world.chain.mine()
      return status === 'ready'
    })
  })

  test('sees what was paid before its node answered for the first time', async (t) => {
    const world = await WatchedChain.start(t)
    world.proxy.fault = { answer: (response) => response.writeHead(502).end() !== undefined }
    const { url } = await watch(t, world)
    const invoiceId = await world.openInvoice(url, '25')
    await world.pay(25n)
    await world.chain.mine(50)
    world.proxy.fault = {}
    await until(async () => (await paymentOf(url, invoiceId))['status'] === 'paid')
  })

  test('says at which block it stands, and what was asked and answered, while its node has new ones', async (t) => {
    const world = await WatchedChain.start(t)
    let aheadMs = 0
    const lines: Readonly<Record<string, unknown>>[] = []
    const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
    const environment = world.environment({ BILLHOOK_METRICS_PORT: '0' })
    const fixture = await ServiceFixture.start(environment, log, { now: () => Date.now() + aheadMs })
    t.after(() => fixture.stop())
    const ready = async () => (await fixture.get('/readyz')).json
    await world.chain.mine(CONFIRMATIONS)
    const read = async () => (await metricsOf(fixture)).value('billhook_network_cursor_block', { network: 'SEP' })
    await until(async () => (await read()) === (await world.chain.height()))
    await until(async () => (await ready()).status === 'ready')
    const refusal = { code: -32_000, message: 'see https://node.example/v2/0123456789abcdef01 for why' }
    world.proxy.fault = {
      alter: ({ params }, end) => (params[1] === true ? { error: refusal } : end),
    }
    const stands = await world.chain.height()
    await world.chain.mine(CONFIRMATIONS)
    await until(() => lines.some(({ msg }) => msg === 'a node failed'))
    aheadMs = 61_000
    await until(async () => (await ready()).status === 'degraded')
    const [sentence = ''] = (await ready()).degraded
    const told = / for \d+ s \(eth_getBlockByNumber: error -32000: see … for why\)\.$/
    assert.match(sentence, told)
    assert.match(sentence, new RegExp(`^SEP has not got past block (${stands - 1}|${stands}|${stands + 1}) `))
    const degraded = (reason: string) =>
      metricsOf(fixture).then((shown) => shown.value('billhook_degraded', { reason }))
    assert.deepEqual([await degraded('network_standing'), await degraded('network_behind')], [1, 0])
    assert.deepEqual(
      lines.filter(({ msg }) => msg === 'a node is well again'),
      [],
      'its head alone makes it no well node',
    )

    world.proxy.fault = {}
    await world.chain.mine()
    await until(async () => (await ready()).status === 'ready')
    assert.equal(lines.filter(({ msg }) => msg === 'a node is well again').length, 1)
  })

  test('starts again with a network whose node has become another one, and serves the rest', async (t) => {
    const world = await WatchedChain.start(t)
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const start = (more: Readonly<Record<string, string>> = {}) =>
      ServiceFixture.start(world.environment({ BILLHOOK_STORE: 'lmdb', BILLHOOK_DATA: place.path, ...more }))
    const first = await start()
    const invoiceId = await world.openInvoice(first.url, '25')
    await until(async () => (await first.get('/readyz')).json.status === 'ready')
    await first.stop()

    world.proxy.fault = { methods: ['eth_chainId'], alter: () => ({ result: '0x1' }) }
    const second = await start()
    const wrong = 'SEP cannot be watched: no node of it is left, only those of other networks or tokens; see the log.'
    assert.deepEqual((await second.get('/readyz')).json, { status: 'degraded', degraded: [wrong] })
    assert.equal((await paymentOf(second.url, invoiceId))['status'], 'unpaid')
    await world.pay(25n)
    await world.chain.mine(CONFIRMATIONS)
    world.proxy.fault = {}
    await until(async () => (await paymentOf(second.url, invoiceId))['status'] === 'paid')
    await second.stop()

    // With other settings nothing was ever watched: that is a mistake of whoever changed them.
    await assert.rejects(start({ BILLHOOK_SEP_TOKEN: `0x${'12'.repeat(20)}` }), /SEP cannot be watched/)
  })

  test('is ready while it is up to date, and degraded, still with 200, when its node is gone', async (t) => {
    const world = await WatchedChain.start(t)
    const fixture = await watch(t, world, { BILLHOOK_WATCH_LAG_SECONDS: '5' })
    const ready = async () => {
      const { status, json } = await fixture.get('/readyz')
      assert.equal(status, 200)
      return json
    }
    await until(async () => (await ready()).status === 'ready')
    world.proxy.fault = { answer: (response) => response.destroy() !== undefined }
    await until(async () => (await ready()).status === 'degraded')
    const [sentence, ...others] = (await ready()).degraded
    assert.match(sentence, /^SEP was last read \d+ s behind\.$/)
    assert.deepEqual(others, [])
  })

  test('reads through a node that allows one call at a time, says so, and starts meanwhile', async (t) => {
    const world = await WatchedChain.start(t)
    let servedMs = 0
    let refused = 0
    world.proxy.fault = {
      answer: (response) => {
        if (Date.now() - servedMs >= LIMITED_SPACING_MS) {
          servedMs = Date.now()
          return false
        }
        refused += 1
        return response.writeHead(429).end('{"error":"too many requests"}') !== undefined
      },
    }
    const fixture = await watch(t, world, { BILLHOOK_METRICS_PORT: '0' })
    const { url } = fixture
    const invoiceId = await world.openInvoice(url, '25')
    const endpoint = { network: 'SEP', endpoint: world.proxy.url }
    const isLimited = async () =>
      (await metricsOf(fixture)).value('billhook_network_problem', { network: 'SEP', reason: 'limited' }) === 1
    await until(isLimited)
    const [sentence] = (await fixture.get('/readyz')).json.degraded
    assert.match(sentence, /^SEP is limited: its nodes allow fewer calls than reading takes/)
    await world.pay(25n)
    await world.chain.mine(CONFIRMATIONS)
    await until(async () => (await paymentOf(url, invoiceId))['status'] === 'paid')
    const shown = await metricsOf(fixture)
    assert.ok((shown.value('billhook_endpoint_calls_per_second', endpoint) ?? 100) < 10)
    assert.equal(shown.value('billhook_endpoint_limited_total', endpoint), refused)
    assert.equal(shown.value('billhook_endpoint_failures_total', endpoint), 0)
    assert.equal(shown.value('billhook_endpoint_used', endpoint), 1)
  })

  const refusals: readonly (readonly [
    what: string,
    more: (world: WatchedChain) => Record<string, string>,
    told: RegExp,
  ])[] = [
    ['another chain', () => ({ BILLHOOK_SEP_CHAIN_ID: '1' }), /chain/],
    [
      'no contract',
      () => ({ BILLHOOK_SEP_TOKEN: `0x${'12'.repeat(20)}` }),
      /no contract is at the token's address 0x12/,
    ],
    ['other decimals', () => ({ BILLHOOK_SEP_TOKEN_DECIMALS: '18' }), /has 6 decimals, configured are 18/],
    [
      'a wrong node beside a right one',
      (world) => ({ BILLHOOK_SEP_URLS: `${DEAD_URL},${world.chain.node.url}`, BILLHOOK_SEP_CHAIN_ID: '1' }),
      /chain/,
    ],
  ]
  test(`is refused at start with one line: ${refusals.map(([what]) => what).join('; ')}`, async (t) => {
    const world = await WatchedChain.start(t)
    const place = temporaryDirectory()
    t.after(() => place.remove())
    for (const [what, more, told] of refusals) {
      const environment = { ...world.environment(more(world)), BILLHOOK_LOG: 'silent' }
      const { code, stdout, stderr } = await startChild(
        MAIN,
        ['serve', '--port', '0', '--data', place.path],
        environment,
      ).ended
      assert.deepEqual([code, stdout], [1, ''], what)
      assert.match(stderr, /^billhook: SEP cannot be watched: http:\/\/127\.0\.0\.1:\d+: [^\n]+\n$/, what)
      assert.match(stderr, told, what)
    }
  })
})

for (const [what, typed, told] of [
  ['a token', { BILLHOOK_TRX_NILE_TOKEN: WRONG_CHECK_SUM }, 'BILLHOOK_TRX_NILE_TOKEN'],
  [
    'a further token',
    {
      BILLHOOK_TRX_NILE_TOKEN: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
      BILLHOOK_TRX_NILE_TOKENS: `USDC:${WRONG_CHECK_SUM}:6`,
    },
    'the contract of USDC in BILLHOOK_TRX_NILE_TOKENS',
  ],
] as const) {
  test(`${what} of TRON with a typing error is refused at start with one line`, async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const environment = { BILLHOOK_TRX_NILE_URLS: DEAD_URL, BILLHOOK_LOG: 'silent', ...typed }
    const { code, stderr } = await startChild(MAIN, ['serve', '--port', '0', '--data', place.path], environment).ended
    assert.equal(stderr, `billhook: TRX-NILE cannot be watched: ${DEAD_URL}: the check sum of ${told} is wrong\n`)
    assert.equal(code, 1)
  })
}

test('the sandbox is refused together with real networks, with one line each', async () => {
  const environment = {
    BILLHOOK_SEP_URLS: DEAD_URL,
    BILLHOOK_SEP_TOKEN: `0x${'12'.repeat(20)}`,
    BILLHOOK_TRX_NILE_URLS: DEAD_URL,
    BILLHOOK_TRX_NILE_TOKEN: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
  }
  const { code, stdout, stderr } = await startChild(MAIN, ['serve', '--sandbox', '--port', '0'], environment).ended
  assert.deepEqual([code, stdout], [2, ''])
  assert.deepEqual(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
    ['BILLHOOK_SEP_URLS', 'BILLHOOK_TRX_NILE_URLS'],
  )
})
