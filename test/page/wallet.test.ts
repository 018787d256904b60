import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { anvilAbsence } from '../support/anvil.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { deferred } from '../support/deferred.js'
import { addressNumber, callData, EthereumChain } from '../support/ethereum-chain.js'
import { developmentAccounts } from '../support/evm-transaction.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { says } from './shop.js'
import { TestWallet, WalletError } from './test-wallet.js'

const CONFIRMATIONS = 3
const OWNER = 'shop'
/** Longer than the page waits for any answer of a wallet. */
const LONG_MS = 61_000
const PATIENCE_MS = 15_000

const NETWORK = 'Ethereum Sepolia'

describe('paying from a browser wallet', { skip: anvilAbsence || noBrowser, timeout: 180_000 }, () => {
  let chain: EthereumChain
  let token: string
  let fixture: ServiceFixture
  let browser: Browser
  let orders = 0

  before(async () => {
    chain = await EthereumChain.start()
    token = await chain.deployToken()
    fixture = await ServiceFixture.start({
      BILLHOOK_SEP_URLS: chain.node.url,
      BILLHOOK_SEP_TOKEN: token,
      BILLHOOK_SEP_CONFIRMATIONS: String(CONFIRMATIONS),
      BILLHOOK_SEP_POLL_MS: '100',
    })
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
    await chain?.stop()
  })

  /** An order with a wallet of its own. */
  async function order(amount: string, currency: 'USDT' | 'native' = 'USDT') {
    orders += 1
    const wallet = { id: `w-${orders}`, address: addressNumber(orders), network: 'SEP' }
    await fixture.push({ id: `created ${orders}`, type: 'wallet.created', wallet })
    await fixture.push({ id: `assigned ${orders}`, type: 'wallet.assigned', wallet: { id: wallet.id }, owner: OWNER })
    const body = { owner: OWNER, walletIds: [wallet.id], name: 'Tea', amount, currency }
    const { status, json } = await fixture.call('POST', '/api/invoices', {
      body,
      headers: { 'Content-Type': 'application/json' },
    })
    assert.equal(status, 201, JSON.stringify(json))
    return { path: String(json.url), address: wallet.address }
  }

  /** The account has all of the tokens, the others have none. */
  function walletOf(account: number): TestWallet {
    return new TestWallet(chain.node, developmentAccounts()[account] ?? assert.fail())
  }

  async function visit(path: string, wallet: TestWallet | null, options: { clock?: true; isAnnounced?: false } = {}) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en' })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    if (options.clock) await page.clock.install()
    if (wallet !== null) await wallet.install(page, options.isAnnounced)
    await page.goto(`${fixture.url}${path}`)
    return page
  }

  const button = (page: Page) => page.locator('.wallets button')
  const told = (page: Page, text: string) => page.locator('.wallets p', { hasText: text }).waitFor()

  test('sends exactly the token on the right network, and is seen until it is paid', async () => {
    const { path, address } = await order('25.5')
    const wallet = walletOf(0)
    const page = await visit(path, wallet)
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.evaluate('window.isSame = true')
    assert.equal((await button(page).textContent())?.replace(/[\u2066-\u2069]/g, ''), 'Pay 25.5 USDT with Test Wallet')
    await button(page).click()
    await told(page, 'Sent. This page will show the payment. Do not pay again.')
    assert.equal(await button(page).count(), 0)
    const data = callData('transfer(address,uint256)', [address, 25_500_000n])
    const from = developmentAccounts()[0]?.address
    assert.deepEqual(
      wallet.transfers.map((one) => ({ ...one, to: one.to.toLowerCase() })),
      [{ chainId: '0xaa36a7', from, to: token.toLowerCase(), value: '0x0', data }],
    )
    await chain.mine()
    await says(page, '25.5 USDT seen, nothing more to send')
    assert.equal(await page.locator('.wallets').count(), 0)
    await chain.mine(CONFIRMATIONS - 1)
    await says(page, 'Paid. Nothing more is due.')
    assert.equal(await page.evaluate('window.isSame'), true)
    assert.deepEqual(
      complaints.filter((text) => /Content Security Policy/.test(text)),
      [],
    )
    await page.context().close()
  })

  test('sends what is left of a coin, to a wallet that only is at window.ethereum', async () => {
    const { path, address } = await order('0.5', 'native')
    await chain.send({ to: address, value: 2n * 10n ** 17n })
    await chain.mine()
    const wallet = walletOf(1)
    const page = await visit(path, wallet, { isAnnounced: false })
    await says(page, '0.2 ETH seen, 0.3 ETH more to send')
    assert.match((await button(page).textContent()) ?? '', /^Pay .0\.3 ETH. with .your browser wallet.$/)
    await button(page).click()
    await told(page, 'Sent.')
    const [transfer] = wallet.transfers
    assert.deepEqual([transfer?.to, transfer?.data, BigInt(transfer?.value ?? 0)], [address, '0x', 3n * 10n ** 17n])
    await chain.mine(CONFIRMATIONS)
    await says(page, 'Paid. Nothing more is due.')
    await page.context().close()
  })

  test('shows nothing, and loads nothing, without a wallet', async () => {
    const { path } = await order('25')
    const loaded: string[] = []
    const page = await visit(path, null)
    page.on('request', (request) => loaded.push(request.url()))
    await page.reload()
    await page.evaluate("dispatchEvent(new Event('load'))")
    assert.equal(await page.locator('.wallets').isVisible(), false)
    assert.deepEqual(
      loaded.filter((url) => url.includes('/pay/shop/wallet/')),
      [],
    )
    await page.context().close()
  })

  /** The wallet changes its network when it has told it once. */
  function leave(wallet: TestWallet): void {
    let told = 0
    wallet.chainId = 11155111
    wallet.lies.set('eth_chainId', () => {
      told += 1
      return told > 1 ? '0x1' : '0xaa36a7'
    })
  }

  const declined = () => new WalletError(4001, 'User rejected the request.')
  const troubles: readonly [what: string, account: number, prepare: (wallet: TestWallet) => unknown, text: string][] = [
    [
      'the payer does not connect it',
      0,
      ({ lies }) => lies.set('eth_requestAccounts', declined),
      'You declined in the wallet. Nothing was sent.',
    ],
    [
      'it connects no account',
      0,
      ({ lies }) => lies.set('eth_requestAccounts', () => []),
      'Your wallet reported an error. Nothing was sent.',
    ],
    [
      'it does not know the network',
      0,
      (wallet) => {
        wallet.networks = [1]
      },
      `Your wallet does not know the network ${NETWORK}.`,
    ],
    [
      'the payer does not switch',
      0,
      ({ lies }) => lies.set('wallet_switchEthereumChain', declined),
      'You declined in the wallet. Nothing was sent.',
    ],
    [
      'it only says that it has switched',
      0,
      ({ lies }) => lies.set('wallet_switchEthereumChain', () => null),
      `Your wallet is not on the network ${NETWORK}.`,
    ],
    [
      'it is on a network without the token',
      0,
      ({ lies }) => lies.set('eth_call', () => '0x'),
      `Your wallet is not on the network ${NETWORK}.`,
    ],
    ['it has too little', 5, () => undefined, 'Your wallet has 0 USDT, but 25 USDT is due. Nothing was sent.'],
    [
      'it has no coin for the fee',
      0,
      ({ lies }) => lies.set('eth_getBalance', () => '0x0'),
      'Your wallet has no ETH for the fee of the network.',
    ],
    [
      'its node fails',
      0,
      ({ lies }) => lies.set('eth_getBalance', () => new WalletError(-32603, 'Internal error')),
      'Your wallet reported an error. Nothing was sent.',
    ],
    ['it changes the network meanwhile', 0, leave, `Your wallet is not on the network ${NETWORK}.`],
    [
      'it answers nonsense',
      0,
      ({ lies }) => lies.set('eth_chainId', () => ({ chain: 'all' })),
      `Your wallet is not on the network ${NETWORK}.`,
    ],
  ]
  for (const [what, account, prepare, text] of troubles) {
    test(`says it in words, sends nothing and can be tried again when ${what}`, async () => {
      const { path } = await order('25')
      const wallet = walletOf(account)
      prepare(wallet)
      const page = await visit(path, wallet)
      await button(page).click()
      const line = page.locator('.wallets p', { hasText: '.' }).filter({ hasNotText: 'Confirm in your wallet.' })
      await line.waitFor()
      const said = ((await line.textContent()) ?? '').replace(/[\u2066-\u2069]/g, '')
      assert.ok(said.startsWith(text), said)
      assert.deepEqual(wallet.transfers, [])
      assert.equal(await button(page).getAttribute('aria-disabled'), 'false')
      assert.equal(await page.evaluate('document.activeElement.nodeName'), 'BUTTON', 'the focus is not lost')
      await page.context().close()
    })
  }

  const ends: readonly [what: string, answer: () => unknown, text: string][] = [
    ['the payer declines', declined, 'You declined in the wallet. Nothing was sent.'],
    ['it fails', () => new WalletError(-32603, 'Internal error'), 'Check there whether the payment was sent'],
    ['its answer is no hash', () => 'done', 'Check there whether the payment was sent'],
  ]
  for (const [what, answer, text] of ends) {
    test(`says what is known of the payment when ${what}`, async () => {
      const { path } = await order('25')
      const wallet = walletOf(0)
      wallet.lies.set('eth_sendTransaction', answer)
      const page = await visit(path, wallet)
      await button(page).click()
      await told(page, text)
      assert.equal(await button(page).getAttribute('aria-disabled'), 'false')
      await page.context().close()
    })
  }

  test('gives up a wallet that is silent before anything was asked for, and not one that may be sending', async () => {
    const { path } = await order('25')
    const wallet = walletOf(0)
    const asked = deferred<void>()
    wallet.lies.set('eth_chainId', () => {
      asked.resolve()
      return new Promise(() => undefined)
    })
    const page = await visit(path, wallet, { clock: true })
    await button(page).click()
    await asked.promise
    await page.clock.runFor(LONG_MS)
    await told(page, 'Your wallet does not answer. Nothing was sent.')

    wallet.lies.clear()
    const sending = deferred<void>()
    wallet.lies.set('eth_sendTransaction', () => {
      sending.resolve()
      return new Promise(() => undefined)
    })
    await button(page).click()
    await sending.promise
    await page.clock.runFor(LONG_MS)
    await told(page, 'Your wallet has not answered yet.')
    assert.equal(await button(page).getAttribute('aria-disabled'), 'true')
    const { length } = wallet.requests
    await button(page).click({ force: true })
    await page.evaluate("askTestWallet({ method: 'eth_accounts', params: [] })")
    assert.equal(wallet.requests.length, length + 1, 'the wallet is asked once at a time')
    await page.context().close()
  })

  test('sends nothing when something else has come while the wallet was asking', async () => {
    const { path, address } = await order('25')
    const wallet = walletOf(0)
    const asked = deferred<void>()
    const connect = deferred<void>()
    wallet.lies.set('eth_requestAccounts', async () => {
      asked.resolve()
      await connect.promise
      return [developmentAccounts()[0]?.address]
    })
    const page = await visit(path, wallet)
    await button(page).click()
    await asked.promise
    await chain.sendCall(token, 'transfer(address,uint256)', [address, 10n ** 7n])
    await chain.mine()
    await says(page, '10 USDT seen, 15 USDT more to send')
    connect.resolve()
    await told(page, 'What is to be paid has changed meanwhile. Nothing was sent.')
    assert.deepEqual(wallet.transfers, [])
    assert.match((await button(page).textContent()) ?? '', /15 USDT/)
    await page.context().close()
  })

  test('stays as it is when the page brings news that changes nothing for it', async () => {
    const { path, address } = await order('25')
    const page = await visit(path, walletOf(0))
    await button(page).focus()
    await page.evaluate("window.was = document.querySelector('.wallets button')")
    await chain.send({ to: address, value: 10n ** 16n })
    await chain.mine()
    await says(page, '0.01 ETH arrived on Ethereum Sepolia.')
    assert.ok(await page.evaluate('was === document.activeElement && was.isConnected'))
    await page.context().close()
  })

  test('keeps the button away after the payment was sent, also when the page is loaded again, until it fails', async () => {
    const { path } = await order('25')
    const wallet = walletOf(0)
    const hash = `0x${'ab'.repeat(32)}`
    wallet.lies.set('eth_sendTransaction', () => hash)
    wallet.lies.set('eth_getTransactionReceipt', () => null)
    const page = await visit(path, wallet, { clock: true })
    await button(page).click()
    await told(page, 'Sent.')
    await page.reload()
    await told(page, 'Sent.')
    assert.equal(await button(page).count(), 0)
    const invitations = page.locator('.send:visible, .copy:visible')
    assert.equal(await invitations.count(), 0, 'nothing invites to pay by hand')
    assert.equal(await page.locator('.panel .address:visible').count(), 1)
    wallet.lies.set('eth_getTransactionReceipt', ([asked]) => (asked === hash ? { status: '0x0' } : null))
    await page.clock.runFor(3000)
    await told(page, 'The transaction failed. Nothing was paid. You can try again.')
    assert.equal(await button(page).count(), 1)
    assert.equal(await invitations.count(), 7)
    await page.context().close()
  })
})
