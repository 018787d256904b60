import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { anvilAbsence } from '../support/anvil.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { CONFIRMATIONS, WatchedChain } from './watched-chain.js'

const EXPLORER = 'https://explorer.example/tx/'

describe('a payer with a browser and a real node', { skip: anvilAbsence || noBrowser, timeout: 120_000 }, () => {
  test('watches a part, its confirmations and the rest come in, without reloading the page', async (t) => {
    const world = await WatchedChain.start(t)
    const fixture = await ServiceFixture.start(world.environment({ BILLHOOK_SEP_EXPLORER: `${EXPLORER}{txHash}` }))
    t.after(() => fixture.stop())
    const browser = await launchBrowser()
    t.after(() => browser.close())
    const page = await browser.newPage()
    await page.goto(`${fixture.url}/pay/${await world.openInvoice(fixture.url, '25')}`)
    await page.evaluate('window.isSame = true')

    const part = await world.pay(10n)
    await world.chain.mine()
    await says(page, '#status', '10 USDT seen, 15 USDT more to send')
    await says(page, '.transactions', '1 of 3 confirmations')
    await world.chain.mine()
    await says(page, '.transactions', '2 of 3 confirmations')
    await world.chain.mine()
    await says(page, '.transactions', 'Confirmed')

    const rest = await world.pay(15n)
    await world.chain.mine()
    await says(page, '#status', '25 USDT seen, nothing more to send')
    assert.equal(await page.locator('.address').count(), 0, 'nobody is asked to pay twice')
    await world.chain.mine(CONFIRMATIONS - 1)
    await says(page, '#status', 'Paid. Nothing more is due.')

    const links = await page.evaluate("[...document.querySelectorAll('.transactions a')].map(({ href }) => href)")
    assert.deepEqual(links, [`${EXPLORER}${rest}`, `${EXPLORER}${part}`])
    assert.equal(await page.evaluate('window.isSame'), true)
  })
})

/** Waits until this part of the page contains the text. */
function says(page: Page, part: string, text: string): Promise<void> {
  return page.locator(part, { hasText: text }).waitFor()
}
