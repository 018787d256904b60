import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseExposition } from '../support/exposition.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const WAIT_MS = 20_000
const ASK_AGAIN_MS = 50

const server = await postgresForTests({ isDurable: true })

/** What a scrape has of the metrics that tell where the store is. */
async function scraped(url: string) {
  const response = await fetch(url)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  const { samples } = parseExposition(text)
  const figure = (name: string) => samples.find((sample) => sample.name === name)?.value ?? null
  return {
    ready: figure('billhook_ready'),
    writable: figure('billhook_store_writable'),
    leader: figure('billhook_leader'),
    hasDepth: figure('billhook_outbox_deliveries') !== null,
    hasAge: figure('billhook_outbox_oldest_age_seconds') !== null,
    hasClaimable: figure('billhook_wallets_claimable') !== null,
  }
}

test('metrics can be collected while the database is away, without those that are in it', {
  skip: server === null,
}, async (t) => {
  assert.ok(server !== null)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const environment = {
    BILLHOOK_STORE: await createDatabase(server),
    BILLHOOK_METRICS_PORT: '0',
    BILLHOOK_LOG: 'fatal',
  }
  const service = await ServiceProcess.start(place.path, environment)
  t.after(() => service.stop())
  const url = service.metricsUrl ?? assert.fail('there are no metrics')
  const untilWritable = async (writable: number) => {
    const limit = performance.now() + WAIT_MS
    while ((await scraped(url)).writable !== writable) {
      assert.ok(performance.now() < limit, `billhook_store_writable is not ${writable}`)
      await setTimeout(ASK_AGAIN_MS)
    }
  }
  const whole = { ready: 1, writable: 1, leader: 1, hasDepth: true, hasAge: true, hasClaimable: true }
  assert.deepEqual(await scraped(url), whole)
  await server.kill()
  // Nobody asks for anything: the leader renews its lease.
  await untilWritable(0)
  assert.deepEqual(await scraped(url), {
    ready: 0,
    writable: 0,
    leader: 1,
    hasDepth: false,
    hasAge: false,
    hasClaimable: false,
  })
  await server.launch()
  await untilWritable(1)
  assert.deepEqual(await scraped(url), whole)
})
