import assert from 'node:assert/strict'
import type { Receiver } from '../../support/receiver.js'
import type { Visitor } from './visitor.js'

export interface Journey {
  readonly receiver: Receiver
  /** The network of the wallet, by its name. */
  readonly network: string
  /** Where there is no ledger: the name of the service, and what its operator does for the identity that is shown. */
  readonly operator?: { readonly onboardingName: string; readonly onboard: (visitor: Visitor) => Promise<void> }
  /** Gives the shop a wallet. By default the app gets it. */
  readonly giveWallet?: (visitor: Visitor) => Promise<void>
  /** Pays the invoice that the app shows. `page`: the address of its payment page. */
  readonly pay: (page: string) => Promise<void>
}

/** The app asks each service whether it is a sandbox, and one that is none has no such page. */
const NO_SANDBOX = /404 \(Not Found\) \(http:\S+\/sandbox\)$/

const KEY_LABEL = 'The cash desk'

/** The life of a shop in its app: an identity, a wallet, an invoice that is seen paid without a touch, its webhook, and a key that is revoked. */
export async function livesAsShop(visitor: Visitor, journey: Journey): Promise<void> {
  const { receiver, network, pay, operator, giveWallet = () => visitor.getsWallets(network, 1) } = journey
  const { page } = visitor
  await visitor.sees('Your shop')
  await visitor.becomesMerchant(operator?.onboardingName)
  await operator?.onboard(visitor)
  await visitor.sees('Invoices')
  await giveWallet(visitor)
  await setsWebhook(visitor, receiver)

  await visitor.invoices('Tea set', '25.5', 'A-17')
  await visitor.sees('25.5 USDT')
  await page.locator('main [data-state=open]').waitFor()
  const link = await page.getByRole('link', { name: 'Open the payment page' }).getAttribute('href')
  await page.evaluate('window.isSame = true')
  await pay(link ?? assert.fail('there is no payment page'))
  await page.locator('main [data-state=paid]').waitFor()
  assert.equal(await page.evaluate('window.isSame'), true)

  await visitor.follow('Webhooks')
  await seesDelivered(visitor, 'invoice.paid', receiver)
  await makesAndRevokesKey(visitor)
  assert.deepEqual(
    visitor.complaints.filter((complaint) => !NO_SANDBOX.test(complaint)),
    [],
  )
}

async function setsWebhook(visitor: Visitor, { url }: Receiver): Promise<void> {
  await visitor.follow('Webhooks')
  await visitor.write('Address (https://…)', `${url}/hook`)
  await visitor.choose('What it is told', 'Events of invoices and orders')
  await visitor.press('Save')
  await visitor.reads('Saved.')
}

/** The receiver was told, and the app says so. */
async function seesDelivered({ page }: Visitor, type: string, receiver: Receiver): Promise<void> {
  const told = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()).type)
  for (let count = 1; !told().includes(type); count++) await receiver.received(count)
  await page.locator('[data-state=delivered]').first().waitFor()
  assert.equal(await page.locator('[data-state=failed]').count(), 0)
}

async function makesAndRevokesKey(visitor: Visitor): Promise<void> {
  const { page } = visitor
  await visitor.follow('API keys')
  await visitor.sees('API keys')
  await page.getByText('New key', { exact: true }).click()
  await visitor.write('For whom or what', KEY_LABEL)
  await visitor.press('Make the key')
  await visitor.sees('The private key is shown once')
  await visitor.press('I have it')
  const card = page.locator('.cards > li', { hasText: KEY_LABEL })
  await card.getByRole('button', { name: 'Revoke' }).click()
  await card.getByRole('group').getByRole('button', { name: 'Revoke' }).click()
  await card.locator('[data-state=revoked]').waitFor()
}
