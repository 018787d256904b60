import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { makeVaultsQuick } from './quick-vault.js'

/** More than any step needs, so that a broken one has a name. scrypt takes seconds on a busy machine. */
const PATIENCE_MS = 30_000

/** How many times shorter the page waits than for people: between looks at events, before a request is repeated. */
const HASTE = 10
/** In the page. What it waits for less than a fifth of a second for is not waiting but drawing. */
const BE_HASTY = `{
  const wait = window.setTimeout
  window.setTimeout = (done, ms = 0, ...given) => wait(done, ms < 200 ? ms : ms / ${HASTE}, ...given)
}`

/** Markup, an override of direction that is never closed, and what ends texts of programs. */
export const HOSTILE = '<img src=x onerror=document.title=1>\u202e\u0000"\'`$'

export const PASSPHRASE = 'a passphrase for tests'

/** A person with a phone who uses the app of a service. */
export class Visitor {
  /** What the browser reported: errors, warnings and violations of a policy. */
  readonly complaints: string[] = []

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return
      this.complaints.push(`${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => this.complaints.push(String(error)))
  }

  /** `prepare`: what is done to the page before it is opened. */
  static async arrive(
    url: string,
    browser: Browser,
    options: BrowserContextOptions = {},
    prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
  ): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await prepare(page)
    await context.addInitScript(BE_HASTY)
    const visitor = new Visitor(context, page, url)
    await visitor.open()
    return visitor
  }

  /** As `arrive`, but what locks the keys opens at once (`quick-vault.ts`). */
  static arriveQuickly(url: string, browser: Browser): Promise<Visitor> {
    return Visitor.arrive(url, browser, {}, (page) => makeVaultsQuick(page.context()))
  }

  async open(place = ''): Promise<void> {
    await this.page.goto(`${this.url}/app${place}`)
  }

  async leave(): Promise<void> {
    await this.context.close()
  }

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click()
  }

  follow(name: string): Promise<void> {
    return this.page.getByRole('link', { name, exact: true }).click()
  }

  write(label: string, value: string): Promise<void> {
    return this.page.getByLabel(label, { exact: true }).fill(value)
  }

  choose(label: string, option: string): Promise<readonly string[]> {
    return this.page.getByLabel(label, { exact: true }).selectOption({ label: option })
  }

  /** Resolves when a screen of that title is there. */
  async sees(title: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }

  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  /** Makes an identity, as a new merchant does. Answers its words. `onboardingName`: of a service without a ledger. */
  async becomesMerchant(onboardingName: string | null = null): Promise<string> {
    await this.page.getByRole('button', { name: /^Create a new identity/ }).click()
    await this.sees('Write these twelve words down')
    const words = await this.page.locator('.words li').allTextContents()
    await this.press('I have written them down')
    await this.givesBack(words)
    if (onboardingName !== null) await this.write('Onboarding name of the service', onboardingName)
    await this.press('Next')
    await this.choosesPassphrase()
    return words.join(' ')
  }

  /** Fills in the words that are asked for. */
  async givesBack(words: readonly string[]): Promise<void> {
    await this.sees('Three of the words')
    for (const field of await this.page.getByLabel(/^Word \d+$/).all()) {
      const label = await this.page.locator(`label[for="${await field.getAttribute('id')}"]`).textContent()
      await field.fill(words[Number(label?.split(' ')[1]) - 1] ?? '')
    }
  }

  async restores(phrase: string): Promise<void> {
    await this.page.getByRole('button', { name: /^I have twelve words/ }).click()
    await this.write('The words, in their order, with blanks between them', phrase)
    await this.press('Next')
    await this.choosesPassphrase()
  }

  async bringsKey(owner: string, privateKey: string): Promise<void> {
    await this.page.getByRole('button', { name: /^I was given an API key/ }).click()
    await this.write('Identity of the shop', owner)
    await this.write('Private key (64 hex digits, or PEM)', privateKey)
    await this.press('Next')
    await this.choosesPassphrase()
  }

  async choosesPassphrase(): Promise<void> {
    await this.sees('A passphrase for this browser')
    await this.write('Passphrase', PASSPHRASE)
    await this.write('The passphrase again', PASSPHRASE)
    await this.press('Next')
  }

  async unlocks(passphrase = PASSPHRASE): Promise<void> {
    await this.sees('Locked')
    await this.write('Passphrase', passphrase)
    await this.press('Open')
  }

  /** Gets wallets on a network, by its name. */
  async getsWallets(network: string, count: number): Promise<void> {
    await this.follow('Wallets')
    await this.sees('Wallets')
    const before = await this.page.locator('.cards > li').count()
    await this.choose('Network', network)
    await this.write('How many', String(count))
    await this.press('Get wallets')
    await this.page
      .locator('.cards > li')
      .nth(before + count - 1)
      .waitFor()
  }

  /** Writes an invoice on the network that is chosen already. */
  async invoices(name: string, amount: string, orderNumber = ''): Promise<void> {
    await this.follow('Invoices')
    await this.follow('New invoice')
    await this.sees('New invoice')
    await this.write('What it is for', name)
    await this.write('Amount', amount)
    await this.write('Order number (optional)', orderNumber)
    await this.press('Create')
  }

  /** Types an amount on the till, and charges it. */
  async charges(amount: string): Promise<void> {
    await this.sees('Till')
    for (const key of amount) await this.press(key)
    await this.press('Charge')
  }
}
