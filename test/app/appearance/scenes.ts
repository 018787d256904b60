import type { Visitor } from '../browser/visitor.js'
import { PASSPHRASE } from '../browser/visitor.js'
import { FOREIGN, INVOICES, ORDERS, PHRASE } from './shop-data.js'
import type { Mood, StandIn } from './stand-in.js'

/** A screen in one state. What is done there names no text, so that it is the same in every language. */
export interface Scene {
  readonly name: string
  /** What the service is like; as usual by default. */
  readonly mood?: Mood
  /** Whether the page is opened again, and then also the shop. By default it is open. */
  readonly begins?: 'with-the-page' | 'with-the-shop'
  /** In the open shop. By default where the scene before was. */
  readonly place?: string
  readonly act?: (visitor: Visitor, service: StandIn) => Promise<unknown>
  /** What is there when the screen is. */
  readonly ready: string
  readonly media?: 'screen' | 'print'
}

const CODE = '.qr path[d^=M]'

const click =
  (selector: string, at = 0) =>
  ({ page }: Visitor) =>
    page.locator(selector).nth(at).click()

async function fillAll({ page }: Visitor, values: readonly string[]): Promise<void> {
  for (const [at, value] of values.entries()) await page.locator('main input').nth(at).fill(value)
}

/** What is made by lot is another one each time, so the picture has these texts in its place. */
async function write({ page }: Visitor, selector: string, ...texts: readonly string[]): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll('${selector}').forEach((item, at) => { item.textContent = ${JSON.stringify(texts)}[at] })`,
  )
}

async function showWords(visitor: Visitor): Promise<void> {
  await click('.ways button')(visitor)
  await visitor.page.locator('.words li').first().waitFor()
  await write(visitor, '.words li', ...PHRASE.split(' '))
}

async function makeKey(visitor: Visitor): Promise<void> {
  await click('summary')(visitor)
  await fillAll(visitor, ['The cash desk'])
  await click('main form button')(visitor)
  const code = visitor.page.locator('.copyable code')
  await code.nth(2).waitFor()
  const [owner = '', , lines = ''] = await code.allTextContents()
  const made = '5c'.repeat(32)
  await write(visitor, '.copyable code', owner, made, lines.replace(/"[0-9a-f]{64}"(?=[^"]*$)/, `"${made}"`))
}

/** Gives the words of the shop, and a passphrase twice. */
async function restore(visitor: Visitor, passphrase: string, again: string): Promise<void> {
  await click('.ways button', 1)(visitor)
  await fillAll(visitor, [PHRASE])
  await click('button.main')(visitor)
  await visitor.page.locator('input[type=password]').first().waitFor()
  await fillAll(visitor, [passphrase, again])
  await click('button.main')(visitor)
}

export async function unlock({ page }: Visitor): Promise<void> {
  await page.locator('input[type=password]').fill(PASSPHRASE)
  await page.locator('button.main').click()
  await page.locator('nav').waitFor()
}

/** In the order in which they follow from each other: the shop is opened in one, and a customer pays in several. */
export const SCENES: readonly Scene[] = [
  { name: 'welcome', begins: 'with-the-page', ready: '.ways' },
  { name: 'new-phrase', begins: 'with-the-page', act: showWords, ready: '.words' },
  {
    name: 'phrase-check',
    begins: 'with-the-page',
    act: async (visitor) => {
      await showWords(visitor)
      await click('button.main')(visitor)
      await fillAll(visitor, ['zebra', 'zebra', 'zebra'])
      await click('button.main')(visitor)
    },
    ready: '.flaw',
  },
  { name: 'restore', begins: 'with-the-page', act: click('.ways button', 1), ready: 'main input' },
  { name: 'given-key', begins: 'with-the-page', act: click('.ways button', 2), ready: 'main input' },
  {
    name: 'passphrase',
    begins: 'with-the-page',
    act: (visitor) => restore(visitor, PASSPHRASE, 'another one'),
    ready: '.flaw',
  },
  {
    name: 'passphrase-suggested',
    begins: 'with-the-page',
    act: async (visitor) => {
      await restore(visitor, 'password12', 'password12')
      await click('main > button')(visitor)
      await visitor.page.locator('.suggested').waitFor()
      await write(visitor, '.suggested', 'tiger purple ladder ocean violin')
      await fillAll(visitor, ['password12'])
    },
    ready: '.suggested',
  },
  { name: 'unreachable', mood: 'away', begins: 'with-the-page', ready: '.failure' },
  {
    name: 'onboarding',
    mood: 'slow',
    begins: 'with-the-page',
    act: (visitor) => restore(visitor, PASSPHRASE, PASSPHRASE),
    ready: 'p[role=status]',
  },
  { name: 'locked', begins: 'with-the-page', ready: 'input[type=password]' },
  { name: 'invoices-empty', mood: 'empty', begins: 'with-the-shop', place: '#/invoices', ready: 'search + p' },
  { name: 'wallets-empty', mood: 'empty', place: '#/wallets', ready: 'main details' },
  { name: 'till-empty', mood: 'empty', place: '#/till', ready: '.flaw' },
  { name: 'invoices', begins: 'with-the-shop', place: '#/invoices', ready: '.rows li' },
  { name: 'invoice', place: `#/invoices/${INVOICES[0]?.id}`, ready: CODE },
  { name: 'invoice-printed', ready: CODE, media: 'print' },
  { name: 'invoice-void', act: click('.actions button', 2), ready: '.sure' },
  { name: 'invoice-long', place: `#/invoices/${INVOICES[1]?.id}`, ready: CODE },
  {
    name: 'invoice-paid',
    place: `#/invoices/${INVOICES[2]?.id}`,
    act: async (visitor) => {
      await click('main > details > summary')(visitor)
      await click('.log button')(visitor)
    },
    ready: '.log li',
  },
  // The overview counts its invoice as open.
  { name: 'invoice-warning', place: `#/invoices/${FOREIGN.id}`, ready: '.failure' },
  {
    name: 'create-invoice',
    place: '#/invoices/new',
    act: async (visitor) => {
      await fillAll(visitor, ['', '1,234'])
      await click('button.main')(visitor)
    },
    ready: '.flaw',
  },
  { name: 'till', place: '#/till', ready: 'main .hint' },
  {
    name: 'till-coins',
    act: async (visitor) => {
      await click('.keypad button', 1)(visitor)
      await click('.keypad button', 4)(visitor)
      await click('.charge')(visitor)
    },
    ready: '.ways',
  },
  { name: 'till-code', act: click('.ways button'), ready: CODE },
  { name: 'till-paid', act: async (_visitor, service) => service.payTill(), ready: '.paid-till' },
  { name: 'orders', place: '#/orders', ready: '.rows li:nth-child(4)' },
  { name: 'order', place: `#/orders/${ORDERS[0]?.id}`, ready: CODE },
  { name: 'create-order', place: '#/orders/new', ready: 'main .hint' },
  { name: 'overview', place: '#/overview', ready: '.chart' },
  {
    name: 'wallets',
    place: '#/wallets',
    act: async (visitor) => {
      await click('.cards summary', 1)(visitor)
      await click('.log button')(visitor)
    },
    ready: '.log li',
  },
  { name: 'webhooks', place: '#/webhooks', ready: '.cards li' },
  { name: 'keys', place: '#/keys', act: click('summary'), ready: '.cards li' },
  { name: 'key-revoke', act: click('.cards button'), ready: '.sure' },
  {
    name: 'key-made',
    begins: 'with-the-shop',
    place: '#/keys',
    act: makeKey,
    ready: '.copyable',
  },
  {
    name: 'webhook-rotate',
    place: '#/webhooks',
    act: async (visitor) => {
      await visitor.page.locator('.cards li').first().waitFor()
      await click('h2 + p button')(visitor)
      await click('main > .row button')(visitor)
    },
    ready: '.sure',
  },
  { name: 'settings', place: '#/settings', act: click('main > button'), ready: '.sure' },
  { name: 'connection-lost', mood: 'away', place: '#/invoices', ready: '.lost' },
  {
    name: 'unanswered',
    mood: 'away',
    place: '#/invoices/new',
    act: async (visitor) => {
      await fillAll(visitor, ['Tea set', '25'])
      await click('main form > button.main')(visitor)
    },
    ready: '.unanswered',
  },
]
