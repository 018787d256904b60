import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Billhook } from '@billhook/client'
import type { Browser } from 'playwright-core'
import { TestWallet } from '../../page/test-wallet.js'
import { anvilAbsence } from '../../support/anvil.js'
import { launchBrowser } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { addressNumber, EthereumChain } from '../../support/ethereum-chain.js'
import { developmentAccounts } from '../../support/evm-transaction.js'
import { createDatabase } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'
import { projectRoot } from '../../support/project-root.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { ServiceProcess } from '../../support/service-process.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { livesAsShop } from './journey.js'
import { PrefixProxy } from './prefix-proxy.js'
import { Visitor } from './visitor.js'

const BINARY = join(projectRoot, 'dist/bin/billhook-linux-x64')
const noBinary = existsSync(BINARY) ? false : 'the single binary is not built (npm run build:binary)'
const NETWORK = 'Ethereum Sepolia'
const CONFIRMATIONS = 3
const ONBOARDING_NAME = 'shop.example'
/** Of webhooks on this machine. */
const ALLOWED = { BILLHOOK_CALLBACK_ALLOW: '127.0.0.1/32' }

const server = noBrowser === false ? await postgresForTests({ isDurable: true }) : null

describe('the web wallet, wherever the service runs', { skip: noBrowser, timeout: 300_000 }, () => {
  let browser: Browser
  let receiver: Receiver
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  /** A shop that nobody knows yet, at an address. Its webhooks have a receiver of their own. */
  async function arrives(t: { after(end: () => Promise<void>): void }, url: string): Promise<Visitor> {
    receiver = await openReceiver()
    const visitor = await Visitor.arrive(url, browser)
    t.after(async () => {
      await visitor.leave()
      await receiver.close()
    })
    return visitor
  }

  /** Pays an invoice of a sandbox. */
  const simulatedAt = (url: string) => async (page: string) => {
    await new Billhook({ url }).simulateDeposit({ invoiceId: page.split('/').pop() ?? '' })
  }

  test('is in the single binary', { skip: noBinary }, async (t) => {
    const directory = temporaryDirectory()
    t.after(() => directory.remove())
    const environment = { BILLHOOK_LOG: 'warn', BILLHOOK_STRICT: 'on', ...ALLOWED }
    const service = await ServiceProcess.launch({
      executable: BINARY,
      data: directory.path,
      environment,
      flags: ['--sandbox'],
    })
    t.after(() => service.stop())
    const visitor = await arrives(t, service.url)
    await livesAsShop(visitor, { receiver, network: NETWORK, pay: simulatedAt(service.url) })
  })

  test('learns from one process on a database what another was told', { skip: server === null }, async (t) => {
    assert.ok(server !== null)
    const store = await createDatabase(server)
    const start = async () => {
      const directory = temporaryDirectory()
      t.after(() => directory.remove())
      const service = await ServiceProcess.start(directory.path, { BILLHOOK_STORE: store, ...ALLOWED }, ['--sandbox'])
      t.after(() => service.stop())
      return service
    }
    const one = await start()
    const other = await start()
    const visitor = await arrives(t, one.url)
    // As behind a balancer: events are read at the other process.
    let looks = 0
    await visitor.context.route('**/events?*', async (route) => {
      looks += 1
      const request = route.request()
      const { pathname, search } = new URL(request.url())
      const headers = { ...(await request.allHeaders()), host: new URL(other.url).host }
      await route.fulfill({ response: await route.fetch({ url: `${other.url}${pathname}${search}`, headers }) })
    })
    await livesAsShop(visitor, { receiver, network: NETWORK, pay: simulatedAt(other.url) })
    assert.ok(looks > 1)
    // Its services end before the visitor leaves.
    await visitor.context.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('sees what a customer pays with a browser wallet on a real chain', { skip: anvilAbsence }, async (t) => {
    const chain = await EthereumChain.start()
    t.after(() => chain.stop())
    const service = await ServiceFixture.start({
      BILLHOOK_SEP_URLS: chain.node.url,
      BILLHOOK_SEP_TOKEN: await chain.deployToken(),
      BILLHOOK_SEP_CONFIRMATIONS: String(CONFIRMATIONS),
      BILLHOOK_SEP_POLL_MS: '100',
      BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
      ...ALLOWED,
    })
    t.after(() => service.stop())
    const visitor = await arrives(t, service.url)
    let owner = ''
    await livesAsShop(visitor, {
      receiver,
      network: NETWORK,
      operator: {
        onboardingName: ONBOARDING_NAME,
        onboard: async ({ page }) => {
          const command = page.locator('code', { hasText: 'billhook identities add' })
          owner = (await command.textContent())?.split(' ').pop() ?? ''
          await service.push({ id: 'onboarded', type: 'identity.onboarded', identity: owner })
        },
      },
      giveWallet: async ({ page }) => {
        await service.assign(owner, { id: 'w', address: addressNumber(7), network: 'SEP' })
        await page.reload()
        await visitor.unlocks()
        await visitor.sees('Invoices')
      },
      pay: async (address) => {
        const customer = await browser.newPage({ locale: 'en' })
        const wallet = new TestWallet(chain.node, developmentAccounts()[0] ?? assert.fail())
        await wallet.install(customer)
        await customer.goto(address)
        await customer.locator('.wallets button').click()
        await customer.locator('.wallets p', { hasText: 'Sent.' }).waitFor()
        await chain.mine(CONFIRMATIONS)
        await customer.locator('#status', { hasText: 'Paid. Nothing more is due.' }).waitFor()
        await customer.close()
      },
    })
  })

  test('keeps the path prefix of a proxy in everything that it asks for and shows', async (t) => {
    const proxy = await PrefixProxy.open('/shop')
    t.after(() => proxy.close())
    const service = await ServiceFixture.start({
      BILLHOOK_SANDBOX: 'on',
      BILLHOOK_PUBLIC_URL: proxy.url,
      BILLHOOK_UNSIGNED: 'same-origin',
      ...ALLOWED,
    })
    t.after(() => service.stop())
    proxy.target = service.url
    const visitor = await arrives(t, proxy.url)
    await livesAsShop(visitor, {
      receiver,
      network: NETWORK,
      pay: async (address) => {
        assert.ok(address.startsWith(`${proxy.url}/pay/`), address)
        const customer = await browser.newPage({ locale: 'en' })
        await customer.goto(address)
        await customer.locator('#status').waitFor()
        await simulatedAt(proxy.url)(address)
        await customer.locator('#status', { hasText: 'Paid. Nothing more is due.' }).waitFor()
        await customer.close()
      },
    })
    assert.deepEqual(proxy.strays, [])
  })
})
