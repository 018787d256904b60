import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type FaultyNode, serveFaulty } from '../../ledger/faulty-node.js'
import { assignment, commit, onboarding, SandboxFixture } from '../../sandbox/sandbox-fixture.js'
import { until } from '../../service/watched-chain.js'
import { testKey } from '../../support/signing.js'
import { DAY_MS, HOUR_MS, type Plays, SECOND_MS, scrapeUntil, silentAtFirst } from './play.js'
import { Watched } from './watched.js'

/** Nobody listens there. */
const DEAD_URL = 'http://127.0.0.1:1'
const LEDGER = {
  BILLHOOK_LEDGER_URL: DEAD_URL,
  BILLHOOK_LEDGER_STORE_URL: `${DEAD_URL},http://127.0.0.1:2`,
  BILLHOOK_LEDGER_FOLLOW: 'onboard=shop/3f2a',
  BILLHOOK_ONBOARDING_NAME: 'shop',
}
/** More than an operator is bothered with. */
const LOST = 11

export const ledgerPlays: Plays = {
  'nodes of the ledger that have never answered': {
    alerts: ['BillhookLedgerBehind', 'BillhookLedgerStoreSilent', 'BillhookLedgerReadApiSilent'],
    play: async (t) => {
      const watched = await Watched.start(t, LEDGER)
      await scrapeUntil(watched, 'billhook_ledger_follower_silent_read_apis', {}, 1)
      assert.ok(!watched.firing().includes('BillhookLedgerBehind'))
      watched.pass(301 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_ledger_follower_silent_stores', {}, 2)
      return watched
    },
  },
  'a ledger that listed a transaction a day late': {
    alerts: ['BillhookLedgerMissed'],
    play: async (t) => {
      const { watched, ledger, node } = await followedLedger(t)
      node.fault = 'error'
      const { umid } = await commit(ledger.sandbox, onboarding(ledger.sandbox.describe(), testKey('late')))
      node.unlisted.add(umid)
      node.fault = null
      ledger.clock.advance(HOUR_MS)
      const next = await commit(ledger.sandbox, onboarding(ledger.sandbox.describe(), testKey('next')))
      await asked(node, `/api/tx/${next.umid}`)
      node.requests.length = 0
      await asked(node, '/umids')
      node.unlisted.clear()
      watched.pass(DAY_MS - HOUR_MS)
      await watched.scrape()
      watched.pass(HOUR_MS)
      await scrapeUntil(watched, 'billhook_ledger_follower_missed_total', {}, 1)
      return watched
    },
  },
  'a ledger that gives a wallet away without a signature': {
    alerts: ['BillhookWalletsWithdrawn'],
    play: async (t) => {
      const { watched, ledger, node } = await followedLedger(t)
      node.isUnsigned = true
      const about = ledger.sandbox.describe()
      const key = testKey('somebody')
      const { streams } = await commit(ledger.sandbox, onboarding(about, key))
      const wallet = (await ledger.store.wallets.claim('SEP', 1000))?.id ?? ''
      ledger.clock.advance(1)
      await commit(ledger.sandbox, assignment(about, key, streams.new[0]?.id ?? '', wallet))
      await scrapeUntil(watched, 'billhook_ledger_follower_withdrawn_total', {}, 1)
      return watched
    },
  },
  'a ledger that lists transactions that no node has': {
    alerts: ['BillhookLedgerSetAside'],
    play: async (t) => {
      const { watched, ledger, node } = await followedLedger(t)
      node.fault = 'error'
      for (let n = 0; n < LOST; n += 1) {
        const { umid } = await commit(ledger.sandbox, onboarding(ledger.sandbox.describe(), testKey(`lost ${n}`)))
        node.lost.add(umid)
        ledger.clock.advance(1)
      }
      node.fault = null
      await watched.scrapeUntil(
        (samples) => samples.some(({ name, value }) => name === 'billhook_ledger_follower_set_aside' && value === LOST),
        SECOND_MS,
      )
      return watched
    },
  },
}

/** Resolves when a node was asked for it. */
function asked({ requests }: FaultyNode, part: string): Promise<void> {
  return until(() => requests.some((request) => request.includes(part)))
}

/** A service that follows a ledger, which lists and has what the test wants. */
async function followedLedger(t: TestContext) {
  const ledger = await SandboxFixture.start()
  t.after(() => ledger.close())
  const node = await serveFaulty(t, ledger)
  const about = ledger.sandbox.describe()
  const watched = await Watched.start(t, {
    BILLHOOK_LEDGER_URL: node.url,
    BILLHOOK_LEDGER_STORE_URL: node.url,
    BILLHOOK_LEDGER_FOLLOW: `onboard=sandbox/${about.contracts.onboard},assign=sandbox/${about.contracts.assignOwner}`,
    BILLHOOK_LEDGER_POLL_MS: '100',
    BILLHOOK_ONBOARDING_NAME: about.onboardingName,
  })
  await silentAtFirst(watched)
  return { watched, ledger, node }
}
