import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { reconcileLedger } from '../../src/cli/reconcile.js'
import { systemClock } from '../../src/clock.js'
import { readSettings, type Settings } from '../../src/config.js'
import { originOf, parseFollowedContracts } from '../../src/ledger/followed-contracts.js'
import { createLog } from '../../src/log.js'
import { openStore } from '../../src/service/open-store.js'
import { openLedgerReconciliation } from '../../src/service/reconciliation.js'
import { type FaultyNode, serveFaulty } from '../ledger/faulty-node.js'
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
  const { streams } = await commit(ledger.sandbox, onboarding(about, key))
  const identity = streams.new[0]?.id ?? ''
  const wallet = (await ledger.store.wallets.claim('SEP', 1000))?.id ?? ''
  ledger.clock.advance(1)
  await commit(ledger.sandbox, assignment(about, key, identity, wallet))
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
  return { node, settings: read.settings, identity, wallet }
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
async function pretendFollowed(settings: Settings, node: FaultyNode): Promise<void> {
  const contracts = parseFollowedContracts(settings.ledgerFollow)
  assert.ok(!('flaw' in contracts))
  const followed = { contracts, onboardingName: settings.onboardingName ?? '' }
  const origin = originOf([node.url], followed, 0)
  const laterMs = START_MS + 3_600_000
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
    openReconciliation: () => assert.fail('no network is compared'),
    openLedgerReconciliation,
  })
  return { code, lines }
}

describe('billhook reconcile --ledger', () => {
  test('applies what was missed, and finds nothing the second time', async (context) => {
    const { node, settings, identity, wallet } = await world(context)
    await pretendFollowed(settings, node)
    const compared = '2 transactions of the ledger are compared:'
    assert.deepEqual(await run(settings), { code: 0, lines: [`${compared} 2 facts had been missed and are applied.`] })
    await inStore(settings, async (store) => {
      assert.equal(await store.identities.isKnown(identity), true)
      assert.equal((await store.wallets.find(wallet))?.owner, identity)
      assert.equal((await store.ledger.memory())?.progress.comparingMs, null)
      const [trace] = (await store.audit.page({ after: null, limit: 1 })).items
      const { who, action, outcome, detail } = trace ?? {}
      assert.deepEqual(
        [who, action, outcome, detail],
        ['root (uid 0)', 'reconcile.ledger', 'done', 'facts missed before: 2'],
      )
    })
    assert.deepEqual(await run(settings), { code: 0, lines: [`${compared} 0 facts had been missed and are applied.`] })
  })

  test('gives up with 3 when a node does not answer again and again', async (context) => {
    const { node, settings } = await world(context)
    await pretendFollowed(settings, node)
    node.fault = 'error'
    const { code, lines } = await run(settings)
    assert.equal(code, 3)
    assert.match(lines.at(-1) ?? '', /^billhook: the end was not reached: the listing/)
    await inStore(settings, async (store) => {
      const [trace] = (await store.audit.page({ after: null, limit: 1 })).items
      assert.deepEqual([trace?.outcome, trace?.detail], ['failed', 'facts missed before: 0; the end was not reached'])
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
