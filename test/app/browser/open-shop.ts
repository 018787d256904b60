import { Billhook, identityFromPhrase, identityId, keySigner } from '@billhook/client'
import type { Browser } from 'playwright-core'
import type { Environment } from '../../../src/config.js'
import { launchBrowser } from '../../support/browser.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { Visitor } from './visitor.js'

interface ShopOptions {
  /** Of the sandbox. */
  readonly settings?: Environment
  /** Where the shop gets wallets, by its name, and how many. */
  readonly network: string
  readonly wallets: number
}

/** A sandbox and a merchant whose shop is open in a browser: what the tests of a file share. */
export class OpenShop {
  private constructor(
    readonly browser: Browser,
    readonly service: ServiceFixture,
    readonly merchant: Visitor,
    /** The words of the identity. */
    readonly phrase: string,
  ) {}

  static async open({ settings = {}, network, wallets }: ShopOptions): Promise<OpenShop> {
    const browser = await launchBrowser()
    const service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', ...settings })
    try {
      const merchant = await Visitor.arriveQuickly(service.url, browser)
      const phrase = await merchant.becomesMerchant()
      await merchant.sees('Invoices')
      await merchant.getsWallets(network, wallets)
      return new OpenShop(browser, service, merchant, phrase)
    } catch (error) {
      await browser.close()
      await service.stop()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.service.stop()
  }

  /** Another person at the service. */
  arrives(): Promise<Visitor> {
    return Visitor.arriveQuickly(this.service.url, this.browser)
  }

  /** The shop, as a program with an API key of its own has it. */
  async asProgram(): Promise<Billhook> {
    const { url } = this.service
    const identity = await identityFromPhrase(this.phrase)
    const { ledger } = await new Billhook({ url }).getInfo()
    const owner = identityId(identity.publicKey, ledger?.onboardingName ?? '')
    const signer = keySigner(crypto.getRandomValues(new Uint8Array(32)))
    const billhook = new Billhook({ url, owner, signer })
    await billhook.registerApiKey({ label: 'program' }, { identity })
    return billhook
  }
}
