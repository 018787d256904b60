import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../chaos/http-client.js'
import { anvilAbsence } from '../support/anvil.js'
import { deferred } from '../support/deferred.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, OWNER, paymentOf, until, WatchedChain } from './watched-chain.js'

const DEPOSITS = 60
/** Blocks of a request. */
const RANGE = 4
/** After so many such requests of each run the process is killed; together they do not reach the end. */
const KILLED_AFTER = [1, 4, 6] as const

test('kill -9 in the middle of catching up loses nothing, and tells nothing twice', {
  skip: anvilAbsence,
  timeout: 180_000,
}, async (t) => {
  const world = await WatchedChain.start(t)
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const first = await ServiceProcess.start(place.path)
  const invoiceId = await world.openInvoice(first.url, '1000000')
  await first.end('SIGTERM')

  const start = await world.chain.height()
  const txHashes: string[] = []
  for (let n = 1; n <= DEPOSITS; n += 1) {
    txHashes.push(await world.pay(BigInt(n)))
    await world.chain.mine()
  }
  await world.chain.mine(CONFIRMATIONS)

  const environment = world.environment({ BILLHOOK_SEP_START: String(start), BILLHOOK_SEP_RANGE: String(RANGE) })
  let kills = 0
  for (const requests of KILLED_AFTER) kills += await killedAfter(requests)
  assert.equal(kills, KILLED_AFTER.length, 'each run was killed while it was asking for blocks')

  const last = await ServiceProcess.start(place.path, environment)
  t.after(() => last.end('SIGKILL'))
  const sum = String((DEPOSITS * (DEPOSITS + 1)) / 2)
  await until(async () => (await paymentOf(last.url, invoiceId))['received'] === sum)
  await until(async () => (await deliveries()).every(({ state }) => state === 'delivered' || state === 'failed'))

  const owed = await deliveries()
  const expected = txHashes.flatMap((txHash) => [`pending ${txHash}`, `confirmed ${txHash}`])
  assert.deepEqual(owed.map(({ name }) => name).sort(), expected.sort(), 'each status of each deposit is owed once')
  // What was under way at a kill may have arrived or not; everything else has, and nothing twice.
  const told = world.told()
  assert.equal(new Set(told).size, told.length, 'nothing arrived twice')
  for (const { name, failure } of owed) assert.ok(told.includes(name) || failure === 'interrupted', name)
  assert.deepEqual(await paymentOf(last.url, invoiceId), {
    status: 'unpaid',
    received: sum,
    pending: '0',
    remaining: String(1_000_000 - Number(sum)),
    overpaid: '0',
    own: sum,
  })

  /** Starts the service and kills it while it waits for an answer about blocks; answers 1 when that is how it ended. */
  async function killedAfter(requests: number): Promise<number> {
    let seen = 0
    const reached = deferred<void>()
    world.proxy.fault = {
      methods: ['eth_getBlockByNumber'],
      answer: (_response, _text, calls) => {
        // Other ones ask for the head.
        if (calls.length < RANGE || ++seen <= requests) return false
        reached.resolve()
        return true
      },
    }
    const service = await ServiceProcess.start(place.path, environment)
    await reached.promise
    const { signal } = await service.end('SIGKILL')
    world.proxy.fault = {}
    return signal === 'SIGKILL' ? 1 : 0
  }

  async function deliveries() {
    const answer = await ask('GET', `${last.url}/api/users/${OWNER}/webhook/deliveries`)
    const list: readonly Readonly<Record<'status' | 'txHash' | 'state' | 'failure', string>>[] = answer?.json
    return list.map(({ status, txHash, state, failure }) => ({ name: `${status} ${txHash}`, state, failure }))
  }
})
