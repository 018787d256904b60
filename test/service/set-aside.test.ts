import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import { parseExposition } from '../support/exposition.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, paymentOf, unreadable, until, WatchedChain } from './watched-chain.js'

const MAIN = new URL('../../src/main.js', import.meta.url)

async function metricsOf({ metricsUrl }: ServiceProcess) {
  return parseExposition(await (await fetch(metricsUrl ?? assert.fail('no metrics'))).text())
}

/** A payment in a block that no node can give, while the service watches. */
async function lostPayment(world: WatchedChain, directory: string) {
  const environment = world.environment({ BILLHOOK_SKIP_AFTER: '1', BILLHOOK_METRICS_PORT: '0' })
  const service = await ServiceProcess.start(directory, environment)
  const invoiceId = await world.openInvoice(service.url, '25')
  await until(
    async () => (await metricsOf(service)).value('billhook_network_cursor_block', { network: 'SEP' }) !== undefined,
  )
  await world.pay(25n)
  // Before the block is there, so that nobody reads it in time.
  const height = (await world.chain.height()) + 1
  world.proxy.fault = {
    methods: ['eth_blockNumber', 'eth_getBlockByNumber'],
    answer: (response) => !!response.destroy(),
  }
  await world.chain.mine()
  const block = await world.chain.block(height)
  world.proxy.fault = unreadable(height, String(block?.hash))
  return { service, environment, invoiceId, height }
}

async function degraded(service: ServiceProcess): Promise<readonly string[]> {
  const { degraded: sentences = [] } = (await (await fetch(`${service.url}/readyz`)).json()) as {
    readonly degraded?: readonly string[]
  }
  return sentences
}

describe('a service whose node cannot give a block', { skip: anvilAbsence, timeout: 120_000 }, () => {
  test('says so at once, goes on without it, and pays late as soon as the node can', async (t) => {
    const world = await WatchedChain.start(t)
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const { service, invoiceId, height } = await lostPayment(world, place.path)
    t.after(() => service.end('SIGTERM'))
    await until(async () =>
      (await degraded(service)).some((sentence) =>
        sentence.startsWith(`SEP waits for block ${height}, which no node can give (`),
      ),
    )
    await world.chain.mine(CONFIRMATIONS)
    const goesOn =
      'SEP goes on without 1 block that no node can give in full: deposits in it may be missing; see the log.'
    await until(async () => (await degraded(service)).includes(goesOn))
    const metrics = await metricsOf(service)
    assert.equal(metrics.value('billhook_blocks_set_aside', { network: 'SEP' }), 1)
    assert.equal((await paymentOf(service.url, invoiceId))['received'], '0')
    const status = await startChild(MAIN, ['status', '--data', place.path], {}).ended
    assert.match(status.stdout, new RegExp(`SEP: block ${height} is set aside, since no node can give it in full`))
    const exported = await startChild(MAIN, ['export', 'set-aside-blocks', '--data', place.path], {}).ended
    const row: unknown = JSON.parse(exported.stdout)
    assert.equal((row as { readonly height: number }).height, height)

    world.proxy.fault = {}
    await until(async () => (await paymentOf(service.url, invoiceId))['status'] === 'paid')
    await world.receiver.received(2)
    await until(async () => !(await degraded(service)).includes(goesOn))
    assert.equal((await metricsOf(service)).value('billhook_blocks_set_aside', { network: 'SEP' }), 0)
    assert.equal(world.told().length, 2)
  })

  test('is settled by a reconciliation', async (t) => {
    const world = await WatchedChain.start(t)
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const { service, environment, height } = await lostPayment(world, place.path)
    await world.chain.mine(CONFIRMATIONS)
    await until(async () => (await degraded(service)).some((sentence) => sentence.includes('goes on without')))
    await service.end('SIGTERM')
    world.proxy.fault = {}
    const range = ['--from', String(height), '--to', String(height)]
    const flags = ['reconcile', '--network', 'SEP', '--data', place.path, ...range, '--apply']
    const { code, stdout } = await startChild(MAIN, flags, { ...environment, BILLHOOK_LOG: 'silent' }).ended
    assert.equal(code, 0, stdout)
    assert.match(stdout, /1 difference, 1 repaired\.\nSettled 1 block that had been set aside\./)
    const again = await ServiceProcess.start(place.path, environment)
    t.after(() => again.end('SIGTERM'))
    await world.receiver.received(2)
    assert.ok(!(await degraded(again)).some((sentence) => sentence.includes('goes on without')))
  })
})
