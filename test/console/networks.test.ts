import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { noTerminal, Terminal } from '../cli/terminal.js'
import { serveFaulty } from '../ledger/faulty-node.js'
import { TOKEN_ADDRESS, token } from '../networks/tron/fixture.js'
import { commit, onboarding, SandboxFixture } from '../sandbox/sandbox-fixture.js'
import { until } from '../service/watched-chain.js'
import { anvilAbsence } from '../support/anvil.js'
import { EthereumChain } from '../support/ethereum-chain.js'
import { FaultyProxy } from '../support/faulty-proxy.js'
import { ManualClock } from '../support/manual-clock.js'
import { testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import { openTronNode } from '../support/tron-node.js'
import { ConsoleFixture, tablesOf } from './console-fixture.js'

/** Nobody listens there. */
const DEAD_URL = 'http://127.0.0.1:1'
const POLL = '100'
const LAG_LIMIT_SECONDS = 60
/** Blocks of the emulated TRON are three seconds apart. */
const LATER_BLOCKS = 40
const LATER_SECONDS = 120
/** How much older than the clock the first blocks of Ethereum are: more than the test takes. */
const EARLIER_SECONDS = 50

/** What the console says of networks, nodes and the ledger, as rows of cells. */
async function shown(console: ConsoleFixture) {
  const { html } = await console.page('/console/networks')
  const tables = tablesOf(html)
  const rows = (caption: string) => tables.find((one) => one.caption === caption)?.rows ?? []
  const networks = Object.fromEntries(rows('Watched networks').map(([network = '', ...rest]) => [network, rest]))
  return { networks, nodes: rows('Counted since the start of the service'), ledger: rows('The followed ledger')[0] }
}

/** What the overview says of the condition of the service. */
async function condition(console: ConsoleFixture): Promise<{ tone: string | undefined; text: string }> {
  const { html, text } = await console.page('/console')
  return { tone: /<div class="status (\w+)">/.exec(html)?.[1], text }
}

/** `billhook status` on a terminal, its lines as cells. */
async function onTerminal(data: string): Promise<readonly (readonly string[])[]> {
  const { code, text } = await Terminal.start(['status', '--data', data]).ended
  assert.equal(code, 0, text)
  return text.split(/\r?\n/).map((line) => line.trim().split(/ {2,}/))
}

function dataDirectory(t: TestContext): string {
  const place = temporaryDirectory()
  t.after(() => place.remove())
  return join(place.path, 'data')
}

describe('the console and a terminal show', { timeout: 60_000 }, () => {
  test('a network at its head beside one that lags', { skip: anvilAbsence || noTerminal }, async (t) => {
    const tron = new EmulatedTronChain()
    tron.produceEmpty(25)
    const clock = new ManualClock(tron.newestMs)
    const tronNode = await openTronNode(tron, token)
    t.after(() => tronNode.close())
    const flags = ['--timestamp', String(Math.floor(clock.now() / 1000) - EARLIER_SECONDS)]
    const ethereum = await EthereumChain.start(flags)
    t.after(() => ethereum.stop())
    const proxy = await FaultyProxy.start(ethereum.node.url)
    t.after(() => proxy.close())
    const data = dataDirectory(t)
    // All blocks are there before the service looks: while the clock stands, it does not look again.
    const deployed = await ethereum.deployToken()
    await ethereum.mine(5)
    const console = await ConsoleFixture.start(
      t,
      {
        BILLHOOK_DATA: data,
        BILLHOOK_SEP_URLS: `${DEAD_URL}/v2/hunter2,${proxy.url}`,
        BILLHOOK_SEP_TOKEN: deployed,
        BILLHOOK_SEP_CONFIRMATIONS: '3',
        BILLHOOK_SEP_POLL_MS: POLL,
        BILLHOOK_TRX_NILE_URLS: tronNode.url,
        BILLHOOK_TRX_NILE_TOKEN: TOKEN_ADDRESS,
        BILLHOOK_TRX_NILE_GENESIS: tron.blocks[0]?.hash ?? '',
        BILLHOOK_TRX_NILE_POLL_MS: POLL,
        BILLHOOK_WATCH_LAG_SECONDS: String(LAG_LIMIT_SECONDS),
      },
      clock,
    )
    const ageOf = async (height: number) => {
      const block = await ethereum.block(height)
      return String(Math.max(0, Math.round((clock.now() - Number(block?.timestamp) * 1000) / 1000)))
    }
    const tronRow = () => [tron.latest, tron.latest, tron.solidified, 0, 0, 0, 0].map(String)

    const tip = await ethereum.height()
    await until(async () => (await shown(console)).networks['SEP']?.[1] === String(tip))
    await until(async () => (await shown(console)).networks['TRX-NILE']?.[2] === String(tron.solidified))
    await until(async () => (await shown(console)).networks['TRX-NILE']?.[1] === String(tron.latest))
    const first = await shown(console)
    const sep = [tip, tip, tip - 2, 0].map(String)
    assert.deepEqual(first.networks['SEP']?.slice(0, 6), [...sep, await ageOf(tip), '0'])
    assert.deepEqual(first.networks['TRX-NILE'], [...tronRow(), '–'])
    assert.equal((await condition(console)).tone, 'paid')

    // The node still tells how high the chain is, but none of the new blocks. One that failed is asked no more while the clock
    // stands, so it must not fail before it has told that.
    proxy.fault = {
      answer: (response, _text, calls) => {
        const isOfNew = calls.some(({ method, params }) => method.startsWith('eth_getBlock') && Number(params[0]) > tip)
        if (isOfNew) response.writeHead(500).end()
        return isOfNew
      },
    }
    await ethereum.mine(4)
    tron.produceEmpty(LATER_BLOCKS)
    clock.set(tron.newestMs)
    await until(async () => (await shown(console)).networks['SEP']?.[0] === String(tip + 4))
    await until(async () => (await shown(console)).networks['TRX-NILE']?.[2] === String(tron.solidified))
    await until(async () => (await shown(console)).networks['TRX-NILE']?.[1] === String(tron.latest))
    await until(async () => (await shown(console)).networks['SEP']?.[7] !== '–')
    const { networks, nodes, ledger } = await shown(console)
    const age = await ageOf(tip)
    assert.ok(Number(age) > LAG_LIMIT_SECONDS, age)
    const lagging = [tip + 4, tip, tip, 4, age, 0].map(String)
    assert.deepEqual(networks['SEP']?.slice(0, 6), lagging)
    assert.match(networks['SEP']?.[7] ?? '', /127\.0\.0\.1/)
    assert.deepEqual(networks['TRX-NILE'], [...tronRow(), '–'])
    assert.equal(ledger, undefined)
    const [dead, , tronRecord] = nodes
    assert.deepEqual(dead?.slice(0, 3), ['SEP', DEAD_URL, 'skipped after failures'])
    assert.ok(Number(dead?.[4]) > 0, 'no failure is counted')
    assert.deepEqual(tronRecord?.slice(0, 3), ['TRX-NILE', tronNode.url, 'used'])
    assert.ok(Number(tronRecord?.[3]) > 0 && tronRecord?.[4] === '0', tronRecord?.join())

    const { tone, text } = await condition(console)
    assert.equal(tone, 'waiting')
    assert.ok(text.includes(`The service is ready. SEP was last read ${age} s behind.`), text)
    assert.ok(!text.includes('TRX-NILE'), text)

    const lines = await onTerminal(data)
    assert.ok(lines.some(([line]) => line === `Degraded: SEP was last read ${age} s behind.`))
    const rowsOf = (network: string) => lines.filter(([name]) => name === network)
    assert.deepEqual(rowsOf('SEP')[0]?.slice(0, 7), ['SEP', ...lagging])
    assert.deepEqual(rowsOf('TRX-NILE')[0], ['TRX-NILE', ...tronRow(), '–'])
    assert.deepEqual(rowsOf('SEP')[1]?.slice(0, 3), dead?.slice(0, 3))
    assert.deepEqual(rowsOf('TRX-NILE')[1]?.slice(0, 3), tronRecord?.slice(0, 3))
  })

  test('a ledger that is read, and one that is behind', { skip: noTerminal }, async (t) => {
    const ledger = await SandboxFixture.start()
    const stores = [await serveFaulty(t, ledger), await serveFaulty(t, ledger)]
    t.after(() => ledger.close())
    const about = ledger.sandbox.describe()
    await commit(ledger.sandbox, onboarding(about, testKey('a shop')))
    const urls = stores.map(({ url }) => url).join()
    const { onboard, assignOwner } = about.contracts
    const data = dataDirectory(t)
    const clock = new ManualClock()
    const console = await ConsoleFixture.start(
      t,
      {
        BILLHOOK_DATA: data,
        BILLHOOK_LEDGER_URL: urls,
        BILLHOOK_LEDGER_STORE_URL: urls,
        BILLHOOK_LEDGER_FOLLOW: `onboard=sandbox/${onboard},assign=sandbox/${assignOwner}`,
        BILLHOOK_LEDGER_POLL_MS: POLL,
        BILLHOOK_ONBOARDING_NAME: about.onboardingName,
        BILLHOOK_WATCH_LAG_SECONDS: String(LAG_LIMIT_SECONDS),
      },
      clock,
    )
    await until(async () => (await shown(console)).ledger?.[5] === '1')
    await until(async () => (await condition(console)).tone === 'paid')
    assert.deepEqual((await shown(console)).ledger, ['0', '2', '0', '2', '0', '1', '0', '–', '–'])

    const [one] = stores
    assert.ok(one !== undefined)
    one.fault = 'error'
    await until(async () => (await shown(console)).ledger?.[2] === '1')
    for (const store of stores) store.fault = 'error'
    await until(async () => (await shown(console)).ledger?.[8] !== '–')
    clock.advance(LATER_SECONDS * 1000)
    const row = (await shown(console)).ledger
    assert.deepEqual(row?.slice(0, 8), [String(LATER_SECONDS), '2', '2', '2', '2', '1', '0', '–'])
    assert.match(row?.[8] ?? '', /status 500/)
    const { tone, text } = await condition(console)
    assert.equal(tone, 'waiting')
    assert.ok(text.includes(`The ledger was last read ${LATER_SECONDS} s behind.`), text)
    assert.ok(text.includes('2 of 2 stores of the ledger do not answer.'), text)

    const lines = await onTerminal(data)
    const at = lines.findIndex(([line]) => line === 'The followed ledger:')
    assert.deepEqual(lines[at + 2], row)

    for (const store of stores) store.fault = null
    await until(async () => (await condition(console)).tone === 'paid')
    assert.deepEqual((await shown(console)).ledger, ['0', '2', '0', '2', '0', '1', '0', '–', '–'])
  })
})

test('the overview counts what the service has, and its page of wallets what is left in the pool', {
  skip: noTerminal,
}, async (t) => {
  const data = dataDirectory(t)
  const console = await ConsoleFixture.start(t, { BILLHOOK_DATA: data, BILLHOOK_SANDBOX: 'on' })
  for (let claimed = 0; claimed < 3; claimed += 1) await console.service.get('/api/wallets/claim/sep/eth')
  const { wallets } = await countsOn(console, '/console')
  assert.equal(wallets, '200')
  assert.deepEqual(await countsOn(console, '/console/wallets'), {
    'can be claimed on SEP, of 100 without an owner': '97',
    'can be claimed on TRX-NILE, of 100 without an owner': '100',
  })
  const lines = (await onTerminal(data)).flat()
  assert.ok(lines.includes('SEP: 100 wallets without an owner, 97 of them can be claimed now'), lines.join('\n'))
  assert.ok(lines.some((line) => line.startsWith('0 identities, 200 wallets, 0 keys, 0 invoices')))
})

/** The counts of a page by what they count. */
async function countsOn(console: ConsoleFixture, path: string): Promise<Readonly<Record<string, string>>> {
  const { html } = await console.page(path)
  const counts = [...html.matchAll(/<li><strong>([^<]*)<\/strong>(.*?)<\/li>/gs)]
  return Object.fromEntries(counts.map(([, count = '', what = '']) => [what.replace(/<[^>]*>/g, '').trim(), count]))
}
