/**
 * Measures the web wallet, for docs/internals/app.md: `node dist/test/app/figures/run.js first-screen [runs] [language]`,
 * `open-shop [minutes]` or `open-apps [seconds]`.
 */

import { parseArgs } from 'node:util'
import { launchBrowser } from '../../support/browser.js'
import { ServiceProcess } from '../../support/service-process.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { Visitor } from '../browser/visitor.js'
import { type FirstScreen, firstScreenOf, PROFILES } from './first-screen.js'
import { openApps, type ShopWithWallet } from './open-apps.js'
import { openShop } from './open-shop.js'

const INVOICES = 1000
const APPS = 1000
const ROUNDS = 3

const [what = 'first-screen', first, second = 'en'] = parseArgs({ allowPositionals: true }).positionals
const place = temporaryDirectory()
const service = await ServiceProcess.start(place.path, {}, ['--sandbox'])
const browser = await launchBrowser()
try {
  if (what === 'first-screen') await firstScreen(Number(first ?? 7), second)
  else if (what === 'open-shop') {
    const options = { invoices: INVOICES, minutes: Number(first ?? 60), looks: 6, payments: 100 }
    await openShop(browser, service, options, (held) => say({ ...held }))
  } else if (what === 'open-apps') await rounds(Number(first ?? 30))
  else throw new Error(`there is no ${what}`)
} finally {
  await browser.close()
  await service.stop()
  place.remove()
}

async function firstScreen(runs: number, locale: string): Promise<void> {
  for (const profile of PROFILES) {
    const measured: FirstScreen[] = []
    for (let run = 0; run < runs; run++) measured.push(await firstScreenOf(browser, service.url, profile, locale))
    const middle = (name: 'firstPaintMs' | 'screenMs' | 'bytes' | 'requests') =>
      measured.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN
    say({ profile: profile.name, runs, paintMs: middle('firstPaintMs'), screenMs: middle('screenMs') })
    say({ bytes: middle('bytes'), requests: middle('requests') })
    say({ slowest: Math.max(...measured.map(({ screenMs }) => screenMs)) })
  }
}

async function rounds(seconds: number): Promise<void> {
  // What others write is no event of the shop whose apps are open: these are idle.
  const idle = await merchant()
  const other = await merchant()
  for (let round = 0; round < ROUNDS; round++) {
    for (const apps of [0, APPS]) say({ ...(await openApps(service, { idle, other }, apps, seconds)) })
  }
}

/** A shop with a wallet, made in the app. */
async function merchant(): Promise<ShopWithWallet> {
  const visitor = await Visitor.arrive(service.url, browser)
  await visitor.becomesMerchant()
  await visitor.sees('Invoices')
  await visitor.getsWallets('Ethereum Sepolia', 1)
  await visitor.follow('Settings')
  await visitor.sees('Settings')
  const owner = (await visitor.page.locator('main code').first().textContent()) ?? ''
  const walletId = (await visitor.page.evaluate(
    `fetch('api/users/${owner}/wallets').then((answer) => answer.json()).then(([wallet]) => wallet.id)`,
  )) as string
  await visitor.leave()
  return { owner, walletId }
}

function say(figures: Readonly<Record<string, unknown>>): void {
  const texts = Object.entries(figures).map(([name, value]) => {
    const text = typeof value === 'number' ? Number(value.toFixed(1)) : value
    return `${name} ${text}`
  })
  process.stdout.write(`${texts.join(', ')}\n`)
}
