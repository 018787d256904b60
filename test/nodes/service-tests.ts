import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ask } from '../chaos/http-client.js'
import { CONFIRMATIONS, paymentOf, until, WALLET, WatchedChain } from '../service/watched-chain.js'
import { addressNumber, callData } from '../support/ethereum-chain.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import type { Implementation } from './implementations.js'
import type { Site } from './site.js'

const TIMEOUT_MS = 180_000
const ETHER = 10n ** 18n
const STRANGER = addressNumber(3)

/** A service that watches the chain of a site from its newest block on. */
async function watched(t: TestContext, site: Site) {
  const start = await site.chain.height()
  const world = await WatchedChain.of(t, site.chain)
  const data = temporaryDirectory()
  // Silent, for it complains of what the tests do to its node.
  const settings = { BILLHOOK_SEP_START: String(start), BILLHOOK_LOG: 'silent' }
  const service = await ServiceProcess.start(data.path, world.environment(settings))
  t.after(async () => {
    await service.stop()
    data.remove()
  })
  return { world, url: service.url }
}

/** A service whose invoice of 25 has received 10. */
async function withPart(t: TestContext, site: Site) {
  const { world, url } = await watched(t, site)
  const invoice = await world.openInvoice(url, '25')
  await world.pay(10n)
  await site.chain.mine(CONFIRMATIONS)
  await until(async () => (await paymentOf(url, invoice))['received'] === '10')
  return { world, url, invoice }
}

/** What a service tells that watches a node of this implementation, whose chain has no block yet but its first. */
export function testService(implementation: Implementation, siteOf: () => Site): void {
  describe('the service', () => {
    test('says that another chain came behind the URL of its node, and counts nothing of it', {
      timeout: TIMEOUT_MS,
    }, async (t) => {
      const site = siteOf()
      const { world, url, invoice } = await withPart(t, site)
      // Nothing is asked of it while it does not have the token yet.
      world.proxy.fault = { answer: (response) => response.destroy() !== undefined }
      await site.startAfresh()
      assert.equal(await site.chain.deployToken(), world.token, 'the same token by chance')
      await site.chain.mine(CONFIRMATIONS)
      await site.chain.sendCall(world.token, 'transfer(address,uint256)', [WALLET.address, 15_000_000n])
      await site.chain.mine(CONFIRMATIONS)
      world.proxy.fault = {}
      await until(async () => {
        const ready = (await ask('GET', `${url}/readyz`))?.json
        return /its nodes have other blocks than those that were recorded/.test(JSON.stringify(ready))
      })
      assert.equal((await paymentOf(url, invoice))['received'], '10')
    })

    test('confirms payments among what strangers do, and tells each once', { timeout: TIMEOUT_MS }, async (t) => {
      const site = siteOf()
      const { world, url } = await watched(t, site)
      const { chain } = site
      const inTokens = await world.openInvoice(url, '25')
      const inEther = await world.openInvoice(url, '1.5', 'native')
      const from = chain.account(1)
      await chain.sendCall(world.token, 'mint(address,uint256)', [from, 10n ** 12n])
      await chain.mine()
      const many = [[STRANGER, STRANGER], 3n] as const
      await chain.sendCall(world.token, 'transferToMany(address[],uint256)', many, { from })
      await chain.sendCall(world.token, 'transferAndFail(address,uint256)', [WALLET.address, 25_000_000n], { from })
      const hashes = [
        await chain.send({ to: WALLET.address, value: (ETHER * 3n) / 2n, type: 2 }),
        await chain.send({
          to: world.token,
          data: callData('transfer(address,uint256)', [WALLET.address, 25_000_000n]),
          type: 2,
        }),
      ]
      await chain.mine()
      await world.receiver.received(2)
      assert.deepEqual([...world.told()].sort(), hashes.map((hash) => `pending ${hash}`).sort())
      assert.equal((await paymentOf(url, inTokens))['pending'], '25')
      await chain.mine(CONFIRMATIONS - 1)
      await world.receiver.received(4)
      assert.deepEqual([...world.told()].slice(2).sort(), hashes.map((hash) => `confirmed ${hash}`).sort())
      for (const invoice of [inTokens, inEther]) assert.equal((await paymentOf(url, invoice))['status'], 'paid')
      assert.deepEqual((await ask('GET', `${url}/readyz`))?.json, { status: 'ready' })
    })

    test('takes back what a reorganisation drops, and counts what is sent anew', { timeout: TIMEOUT_MS }, async (t) => {
      const site = siteOf()
      const { world, url } = await watched(t, site)
      const invoice = await world.openInvoice(url, '25')
      const dropped = await world.pay(25n)
      await site.chain.mine()
      await until(async () => (await paymentOf(url, invoice))['pending'] === '25')
      await site.chain.node.replace(1, [])
      await site.chain.mine()
      await until(async () => (await paymentOf(url, invoice))['pending'] === '0')
      const again = await world.pay(30n)
      await site.chain.mine(CONFIRMATIONS)
      await world.receiver.received(3)
      assert.deepEqual(world.told(), [`pending ${dropped}`, `pending ${again}`, `confirmed ${again}`])
      assert.equal((await paymentOf(url, invoice))['received'], '30')
    })

    test('goes on when the node is started again', {
      skip: !implementation.isDurable,
      timeout: TIMEOUT_MS,
    }, async (t) => {
      const site = siteOf()
      const { world, url, invoice } = await withPart(t, site)
      await site.restart()
      await site.chain.sendCall(world.token, 'transfer(address,uint256)', [WALLET.address, 15_000_000n])
      await site.chain.mine(CONFIRMATIONS)
      await until(async () => (await paymentOf(url, invoice))['status'] === 'paid')
      assert.deepEqual((await ask('GET', `${url}/readyz`))?.json, { status: 'ready' })
    })
  })
}
