import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { reconcileLedger } from '../../src/cli/reconcile.js'
import { systemClock } from '../../src/clock.js'
import { readSettings, type Settings } from '../../src/config.js'
import { originOf, parseFollowedContracts } from '../../src/ledger/followed-contracts.js'
import { createLog } from '../../src/log.js'
import { openLedgerReconciliation } from '../../src/service/ledger-reconciliation.js'
import { openStore } from '../../src/service/open-store.js'
import { serveFaulty } from '../ledger/faulty-node.js'
import { always, serveNode } from '../ledger/node-server.js'
import { assignment, commit, onboarding, SandboxFixture } from '../sandbox/sandbox-fixture.js'
import { START_MS } from '../support/manual-clock.js'
import { testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/** A ledger with an identity and its wallet, and a data directory whose follower believes to have read all of it. */
async function world(context: TestContext) {
  const ledger = await SandboxFixture.start()
  const node = await serveFaulty(context, ledger)
  const place = temporaryDirectory()
  context.after(async () => {
    await ledger.close()
    place.remove()
  })
  const about = ledger.sandbox.describe()
  const key = testKey('reconciled')
  const { streams, umid: onboarded } = await commit(ledger.sandbox, onboarding(about, key))
  const identity = streams.new[0]?.id ?? ''
  const wallet = (await ledger.store.wallets.claim('SEP', 1000))?.id ?? ''
  ledger.clock.advance(1)
  const { umid: assigned } = await commit(ledger.sandbox, assignment(about, key, identity, wallet))
  const follow = `onboard=sandbox/${about.contracts.onboard},assign=sandbox/${about.contracts.assignOwner}`
  const read = readSettings([], {
    BILLHOOK_DATA: place.path,
    BILLHOOK_LEDGER_URL: node.url,
    BILLHOOK_LEDGER_STORE_URL: node.url,
    BILLHOOK_LEDGER_FOLLOW: follow,
    BILLHOOK_LEDGER_POLL_MS: '100',
    BILLHOOK_ONBOARDING_NAME: about.onboardingName,
  })
  assert.ok('settings' in read, JSON.stringify(read))
  return { node, settings: read.settings, identity, wallet, umids: [onboarded, assigned] }
}

async function inStore<T>(settings: Settings, work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>) {
  const store = await openStore(settings, systemClock, { mayBegin: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Leaves a follower's progress behind everything that the ledger has. */
async function pretendFollowed(settings: Settings, laterMs = START_MS + 3_600_000): Promise<void> {
  const contracts = parseFollowedContracts(settings.ledgerFollow)
  assert.ok(!('flaw' in contracts))
  const followed = { contracts, onboardingName: settings.onboardingName ?? '' }
  const origin = originOf(settings.ledgerStoreUrls, followed, 0)
  const progress = { origin, newestMs: laterMs, windowMs: laterMs, comparingMs: null, comparedAtMs: laterMs }
  await inStore(settings, (store) => store.ledger.saveStep({ progress, taken: [], setAside: [], settled: [] }))
}

async function run(settings: Settings) {
  const lines: string[] = []
  const code = await reconcileLedger(settings, {
    out: (line) => lines.push(line),
    error: (line) => lines.push(line),
    write: () => {},
    columns: () => null,
    operator: () => ({ who: 'root (uid 0)', from: 'command line' }),
    log: createLog('silent'),
    clock: systemClock,
    onSignal: () => {},
    exit: () => {},
    flush: async () => {},
    openLedgerReconciliation,
  })
  return { code, lines }
}

/** Lets the service know a wallet that has no owner. */
async function inPool(settings: Settings, id: string): Promise<void> {
  const fact = { type: 'wallet.created', id, address: `0x${'1'.repeat(40)}`, network: 'SEP' } as const
  await inStore(settings, (store) => store.ledger.applyFacts([{ eventId: null, fact }]))
}

/** Lets no read API have a transaction, and answers its id: it is set aside in the data, as the follower does it. */
async function setAside(settings: Settings, umid: string, timestampMs: number): Promise<void> {
  await inStore(settings, async (store) => {
    const memory = await store.ledger.memory()
    assert.ok(memory !== undefined)
    const aside = [{ umid, timestampMs, attempts: 9, dueMs: 0 }]
    await store.ledger.saveStep({ progress: memory.progress, taken: aside, setAside: aside, settled: [] })
  })
}

const COMPARED = '2 transactions of the ledger compared:'

describe('billhook reconcile --ledger', () => {
  test('ends with 1 when something had been missed, applies it, and finds nothing the second time', async (context) => {
    const { settings, identity, wallet } = await world(context)
    await pretendFollowed(settings)
    assert.deepEqual(await run(settings), { code: 1, lines: [`${COMPARED} 2 facts had been missed, and applied now.`] })
    await inStore(settings, async (store) => {
      assert.equal(await store.identities.isKnown(identity), true)
      assert.equal((await store.wallets.find(wallet))?.owner, identity)
      assert.equal((await store.ledger.memory())?.progress.comparingMs, null)
      const [trace] = (await store.audit.page({ after: null, limit: 1 })).items
      const { who, action, outcome, detail } = trace ?? {}
      assert.deepEqual(
        [who, action, outcome, detail],
        [
          'root (uid 0)',
          'reconcile.ledger',
          'done',
          'facts missed before: 2, newer: 0, of transactions set aside: 0; wallets withdrawn: 0; still set aside: 0',
        ],
      )
    })
    assert.deepEqual(await run(settings), { code: 0, lines: [`${COMPARED} 0 facts had been missed.`] })
  })

  test('reads to the present end: also what was listed since the service has read', async (context) => {
    const { settings, identity, wallet } = await world(context)
    await pretendFollowed(settings, 0)
    assert.deepEqual(await run(settings), {
      code: 0,
      lines: [`${COMPARED} 0 facts had been missed.`, 'Applied 2 facts newer than what the service had read.'],
    })
    await inStore(settings, async (store) => {
      assert.equal(await store.identities.isKnown(identity), true)
      assert.equal((await store.wallets.find(wallet))?.owner, identity)
    })
  })

  test('asks again for what is set aside', async (context) => {
    const { settings, wallet, umids } = await world(context)
    await pretendFollowed(settings)
    await setAside(settings, umids[1] ?? '', START_MS)
    const { code, lines } = await run(settings)
    assert.deepEqual(lines, [
      '1 transaction of the ledger compared: 1 fact had been missed, and applied now.',
      'Applied 1 fact of transactions that had been set aside.',
    ])
    assert.equal(code, 1)
    await inStore(settings, async (store) => {
      assert.notEqual((await store.wallets.find(wallet))?.owner ?? null, null)
      assert.deepEqual((await store.ledger.memory())?.setAside, [])
    })
  })

  test('ends with 4 while no read API has what is listed', async (context) => {
    const { node, settings, umids } = await world(context)
    await pretendFollowed(settings)
    for (const umid of umids) node.lost.add(umid)
    const expected = 'billhook: 2 transactions still set aside (no read API has 2): what they say is not known.'
    assert.deepEqual(await run(settings), { code: 4, lines: [`${COMPARED} 0 facts had been missed.`, expected] })
    // They are no longer compared, and still open.
    const { code, lines } = await run(settings)
    assert.deepEqual([code, lines.at(-1)], [4, expected])
    node.lost.clear()
    assert.equal((await run(settings)).lines.at(-1), 'Applied 2 facts of transactions that had been set aside.')
  })

  test('withdraws a wallet of the pool that a transaction took which no store lists', async (context) => {
    const { node, settings, wallet, umids } = await world(context)
    await pretendFollowed(settings)
    const [, assigned = ''] = umids
    node.unlisted.add(assigned)
    node.isUnsigned = true
    await inPool(settings, wallet)
    const { lines } = await run(settings)
    assert.deepEqual(lines.slice(1), ['Withdrew 1 wallet from the pool, given away on the ledger.'])
    await inStore(settings, async (store) => {
      const { items } = await store.wallets.withdrawn({ after: null, limit: 10 })
      assert.deepEqual(
        items.map(({ id, withdrawal }) => [id, withdrawal.umid]),
        [[wallet, assigned]],
      )
      const [trace] = (await store.audit.page({ after: null, limit: 1 })).items
      assert.match(trace?.detail ?? '', /; wallets withdrawn: 1; /)
      await store.wallets.putBack(wallet, 0)
    })
    // It was put back by somebody who knew of it.
    assert.deepEqual((await run(settings)).lines.length, 1)
  })

  test('ends with 3 when not all wallets of the pool could be asked for', async (context) => {
    const { node, settings } = await world(context)
    const wallet = 'ab'.repeat(32)
    await pretendFollowed(settings)
    await inPool(settings, wallet)
    const { ledgerUrls } = settings
    const { code, lines } = await run({ ...settings, ledgerUrls: [...ledgerUrls, 'http://127.0.0.1:1'] })
    assert.equal(
      node.requests.some((request) => request.endsWith(`${wallet}:stream`)),
      true,
    )
    assert.deepEqual(
      [code, lines.at(-1)],
      [3, 'billhook: not all wallets of the pool were asked for: half of the read APIs or more do not answer.'],
    )
  })

  test('ends with 3 when read APIs fail to tell what is set aside', async (context) => {
    const { node, settings, umids } = await world(context)
    await pretendFollowed(settings)
    for (const umid of umids) await setAside(settings, umid, START_MS)
    node.broken = true
    const { code, lines } = await run(settings)
    assert.deepEqual(
      [code, lines.at(-1)],
      [3, 'billhook: 2 transactions still set aside (read APIs fail to answer for 2): what they say is not known.'],
    )
  })

  test('ends with 3 when no read API answers for what is listed', async (context) => {
    const { node, settings } = await world(context)
    await pretendFollowed(settings)
    node.broken = true
    const { code, lines } = await run(settings)
    assert.equal(code, 3)
    assert.match(lines.at(-1) ?? '', /^billhook: the end was not reached: status 500/)
  })

  test('ends with 3 and says that there was nothing to look at when the stores list nothing', async (context) => {
    const { node, settings, umids } = await world(context)
    await pretendFollowed(settings)
    for (const umid of umids) node.unlisted.add(umid)
    const { code, lines } = await run(settings)
    assert.equal(code, 3)
    assert.equal(lines.at(-1), 'billhook: the stores list no transaction, so there was nothing to compare.')
    await inStore(settings, async (store) => {
      const [trace] = (await store.audit.page({ after: null, limit: 1 })).items
      assert.equal(trace?.outcome, 'failed')
    })
  })

  test('ends with 3 and names a store that lists nothing while others do', async (context) => {
    const { node, settings } = await world(context)
    const empty = await serveNode(context, always(200, '{"total_rows":0,"offset":0,"rows":[]}'))
    const both = { ...settings, ledgerStoreUrls: [node.url, empty] }
    await pretendFollowed(both)
    const { code, lines } = await run(both)
    assert.equal(code, 3)
    assert.equal(
      lines.at(-1),
      `billhook: the store ${empty} lists no transaction, and others do: what only it had is not compared.`,
    )
  })

  test('gives up with 3 when a node does not answer again and again', async (context) => {
    const { node, settings } = await world(context)
    await pretendFollowed(settings)
    node.fault = 'error'
    const { code, lines } = await run(settings)
    assert.equal(code, 3)
    assert.match(lines.at(-1) ?? '', /^billhook: the end was not reached: the listing/)
    await inStore(settings, async (store) => {
      const [trace] = (await store.audit.page({ after: null, limit: 1 })).items
      assert.equal(trace?.outcome, 'failed')
      assert.match(trace?.detail ?? '', /^facts missed before: 0, .*; the end was not reached/)
    })
  })

  test('needs data that has followed this ledger', async (context) => {
    const { settings } = await world(context)
    assert.match((await run(settings)).lines.join(), /holds no data$/)
    await inStore(settings, async () => undefined)
    const { code, lines } = await run(settings)
    assert.equal(code, 3)
    assert.match(lines.join(), /has not followed this ledger yet/)
  })

  test('needs a ledger', async () => {
    const read = readSettings([], {})
    assert.ok('settings' in read)
    assert.deepEqual(await run(read.settings), {
      code: 2,
      lines: ['reconcile --ledger needs BILLHOOK_LEDGER_STORE_URL.'],
    })
  })
})
