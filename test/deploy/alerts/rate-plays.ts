import assert from 'node:assert/strict'
import { gatewayHeaders } from '../../support/service-fixture.js'
import { type Plays, quiet, SECOND_MS, scrapeUntil } from './play.js'
import { Watched } from './watched.js'

/** By whose clock sets are judged: a database has its own. */
const PUSHED = { BILLHOOK_STORE: 'lmdb', BILLHOOK_RATES: 'push' }

async function push(watched: Watched, body: string): Promise<number> {
  return (await watched.fixture.post('/internal/rates', body, gatewayHeaders(String(watched.nowMs), body))).status
}

function set(watched: Watched, eth: string): Promise<number> {
  return push(watched, JSON.stringify({ at: watched.nowMs, rates: { EUR: { ETH: eth } } }))
}

/** A service that has rates, and about which nothing fires. */
async function withRates(...given: Parameters<typeof Watched.start>): Promise<Watched> {
  const watched = await Watched.start(...given)
  assert.equal(await set(watched, '3000'), 200)
  await scrapeUntil(watched, 'billhook_degraded', { reason: 'rates_old' }, 0)
  assert.deepEqual(quiet(watched), [])
  watched.pass(SECOND_MS)
  return watched
}

export const ratePlays: Plays = {
  'rates of eight minutes ago': {
    alerts: ['BillhookRatesOld'],
    play: async (t) => {
      const watched = await withRates(t, PUSHED)
      watched.pass(480 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_degraded', { reason: 'rates_old' }, 1)
      return watched
    },
  },
  'a rate of a tenth of the one before': {
    alerts: ['BillhookRatesHeld'],
    play: async (t) => {
      const watched = await withRates(t, PUSHED)
      assert.equal(await set(watched, '300'), 200)
      await scrapeUntil(watched, 'billhook_degraded', { reason: 'rates_held' }, 1)
      return watched
    },
  },
  'three sets of rates that are none': {
    alerts: ['BillhookRatesRefused'],
    play: async (t) => {
      const watched = await withRates(t, PUSHED)
      for (let n = 0; n < 3; n += 1) assert.equal(await push(watched, '{"at": 1}'), 400)
      await scrapeUntil(watched, 'billhook_rate_sets_refused_total', { reason: 'not_a_set' }, 3)
      return watched
    },
  },
}
