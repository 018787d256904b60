import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { accountOfAddress, addressOfAccount } from '../../src/networks/tron/address.js'
import { token } from '../networks/tron/fixture.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import { type EmulatedTronNode, openTronNode } from '../support/tron-node.js'
import { emulatedAccount } from '../support/tron-transactions.js'
import { says } from './shop.js'
import { TestTronLink } from './test-tronlink.js'

const BEFORE = 60
const BLOCK_MS = 3000
const SOLIDIFYING = 18
const PAYER = addressOfAccount(emulatedAccount(77))
const CONTRACT = addressOfAccount(token.account)
const PATIENCE_MS = 15_000

describe('paying from TronLink', { skip: noBrowser, timeout: 120_000 }, () => {
  const chain = new EmulatedTronChain(Date.now() - BEFORE * BLOCK_MS)
  let node: EmulatedTronNode
  let fixture: ServiceFixture
  let browser: Browser
  let orders = 0

  before(async () => {
    chain.produceEmpty(BEFORE)
    node = await openTronNode(chain, token)
    fixture = await ServiceFixture.start({
      BILLHOOK_TRX_NILE_URLS: node.url,
      BILLHOOK_TRX_NILE_TOKEN: CONTRACT,
      BILLHOOK_TRX_NILE_GENESIS: chain.blocks[0]?.hash ?? '',
      BILLHOOK_TRX_NILE_POLL_MS: '100',
    })
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
    await node?.close()
  })

  /** A wallet of its own for each, so that no payment is another's. */
  async function order(amount: string, currency: 'USDT' | 'native') {
    orders += 1
    const wallet = { id: `w-${orders}`, address: addressOfAccount(emulatedAccount(200 + orders)), network: 'TRX-NILE' }
    await fixture.push(
      { id: `created ${orders}`, type: 'wallet.created', wallet },
      { id: `assigned ${orders}`, type: 'wallet.assigned', wallet: { id: wallet.id }, owner: 'shop' },
    )
    const { json } = await fixture.post('/api/invoices', {
      owner: 'shop',
      walletIds: [wallet.id],
      name: 'Tea',
      amount,
      currency,
    })
    return { path: String(json.url), address: wallet.address }
  }

  function tronLink(): TestTronLink {
    const accountOf = (address: string) => accountOfAddress(address) ?? assert.fail()
    return new TestTronLink({ chain, address: PAYER, accountOf, tokenAccount: token.account })
  }

  async function visit(path: string, wallet: TestTronLink): Promise<Page> {
    const context = await browser.newContext({ locale: 'en' })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await wallet.install(page)
    await page.goto(`${fixture.url}${path}`)
    return page
  }

  const button = (page: Page) => page.locator('.wallets button')

  for (const [currency, amount, raw, contract] of [
    ['USDT', '7.25', '7250000', CONTRACT],
    ['native', '5', '5000000', null],
  ] as const) {
    test(`sends exactly the amount in ${currency} on the right network, and is seen until it is paid`, async () => {
      const { path, address } = await order(amount, currency)
      const wallet = tronLink()
      const page = await visit(path, wallet)
      await button(page).click()
      await says(page, 'nothing more to send')
      chain.produceEmpty(SOLIDIFYING)
      await says(page, 'Paid. Nothing more is due.')
      assert.deepEqual(wallet.signed, [{ token: contract, to: address, raw, from: PAYER }])
      await page.context().close()
    })
  }

  const declined = () => 'Confirmation declined by user'
  const troubles: readonly [what: string, prepare: (wallet: TestTronLink) => unknown, text: string][] = [
    [
      'the payer does not connect it',
      ({ lies }) => lies.set('tron_requestAccounts', () => ({ code: 4001 })),
      'You declined in the wallet. Nothing was sent.',
    ],
    [
      'a request waits in it',
      ({ lies }) => lies.set('tron_requestAccounts', () => ({ code: 4000 })),
      'Your wallet does not answer. Nothing was sent.',
    ],
    [
      'it only says that it has switched',
      ({ lies }) => lies.set('wallet_switchEthereumChain', () => null),
      'Your wallet is not on the network TRON Nile.',
    ],
    [
      'it has too little',
      (wallet) => {
        wallet.balance = 6_999_999n
      },
      'Your wallet has 6.999999 USDT, but 7 USDT is due. Nothing was sent.',
    ],
    [
      'it is on a network without the token',
      ({ lies }) => lies.set('triggerConstantContract', () => ({})),
      'Your wallet is not on the network TRON Nile.',
    ],
    [
      'the payer does not sign',
      ({ lies }) =>
        lies.set('sign', () => {
          throw declined()
        }),
      'You declined in the wallet. Nothing was sent.',
    ],
    [
      'its node refuses the transaction',
      ({ lies }) => lies.set('sendRawTransaction', () => ({ code: 'BANDWITH_ERROR' })),
      'Your wallet reported an error. Nothing was sent.',
    ],
    [
      'its node says nothing clear',
      ({ lies }) => lies.set('sendRawTransaction', () => ({})),
      'Your wallet reported an error. Check there whether the payment was sent',
    ],
  ]
  for (const [what, prepare, text] of troubles) {
    test(`says in words when ${what}`, async () => {
      const { path } = await order('7', 'USDT')
      const wallet = tronLink()
      prepare(wallet)
      const page = await visit(path, wallet)
      await button(page).click()
      const line = page.locator('.wallets p', { hasText: '.' }).filter({ hasNotText: 'Confirm in your wallet.' })
      await line.waitFor()
      const said = ((await line.textContent()) ?? '').replace(/[\u2066-\u2069]/g, '')
      assert.ok(said.startsWith(text), said)
      assert.equal(await button(page).getAttribute('aria-disabled'), 'false')
      await page.context().close()
    })
  }

  test('may ask the nodes that the wallet uses, and no other host', async () => {
    const policyOf = async (path: string) =>
      /connect-src ([^;]*)/.exec((await fixture.get(path)).headers.get('content-security-policy') ?? '')?.[1]
    const { path } = await order('7', 'USDT')
    assert.equal(await policyOf(path), "'self' https://nile.trongrid.io")
    await fixture.post(`/api/invoices/${path.split('/').pop()}/void`, { owner: 'shop' })
    assert.equal(await policyOf(path), "'self'")
  })
})
