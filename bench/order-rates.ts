import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { creationsPerSecondMax } from './limits/verifications.js'
import type { LoadGenerator } from './load/load.js'
import { Merchants, pushHeaders, signedRequest } from './merchants.js'
import { registerMerchants } from './registration.js'
import { writeRequestFile } from './request-file.js'
import { withService } from './service-process.js'

const KEYS = 50
const CURRENCIES = ['USDT', 'native', 'USDT'] as const
/** Cents of a price: orders that share a wallet differ in them. */
const CENTS = 97
const RATES = { EUR: { USDT: '0.92', ETH: '2950.10' } }

export interface OrderRatesParts {
  readonly directory: string
  readonly loadGenerator: LoadGenerator
  /** 0: nothing warms up. */
  readonly warmUpSeconds: number
  readonly seconds: number
  readonly connections: number
  /** Wallets of all merchants, a multiple of the keys. */
  readonly wallets: number
}

/** How many signed creations a service answers in a second, of orders or of plain invoices. Each turn has a service with an empty store. */
export class OrderRates {
  private readonly merchants: Merchants
  private turns = 0

  constructor(private readonly parts: OrderRatesParts) {
    this.merchants = new Merchants(KEYS, parts.wallets)
  }

  async measure(kind: 'orders' | 'invoices', settings: Readonly<Record<string, string>>): Promise<number> {
    const { directory, loadGenerator, warmUpSeconds, seconds, connections } = this.parts
    this.turns += 1
    const data = join(directory, `service-${this.turns}`)
    const requests = join(directory, `requests-${this.turns}`)
    const perSecond = await creationsPerSecondMax()
    const countOf = (duration: number) => Math.ceil(duration * perSecond) + connections
    let from = 0
    const rate = await withService(data, { BILLHOOK_RATES: 'push', ...settings }, async ({ url }) => {
      await registerMerchants(url, this.merchants.signers, this.merchants.wallets)
      await pushRates(url)
      const run = async (duration: number) => {
        const count = countOf(duration)
        await writeRequestFile(requests, count, (n) => this.request(kind, from + n))
        from += count
        return loadGenerator.run({ url, connections, seconds: duration, requests })
      }
      if (warmUpSeconds > 0) await run(warmUpSeconds)
      return run(seconds)
    })
    rmSync(requests, { force: true })
    rmSync(data, { recursive: true, force: true })
    return rate
  }

  /** Each option is on a wallet of its own, as a plain invoice is. */
  private request(kind: 'orders' | 'invoices', n: number): string {
    if (kind === 'invoices') return this.merchants.signedCreate(n, 'many')
    const { signers, wallets } = this.merchants
    const signer = signers[n % signers.length]
    if (signer === undefined) throw new Error('there are no merchants')
    const options = CURRENCIES.map((currency, i) => {
      // Every fiftieth wallet is of the same owner.
      const wallet = wallets[(n + i * KEYS) % wallets.length]
      if (wallet?.owner !== signer.owner) throw new Error('an order has wallets of several owners')
      return { walletIds: [wallet.id], currency }
    })
    const price = {
      amount: `${1000 + 10 * Math.floor(n / wallets.length)}.${String(n % CENTS).padStart(2, '0')}`,
      currency: 'EUR',
    }
    return signedRequest(signer, 'POST /api/orders', { price, options, name: `Order ${n}`, reference: `order-${n}` })
  }
}

async function pushRates(url: string): Promise<void> {
  const body = JSON.stringify({ at: Date.now() - 1, rates: RATES })
  const response = await fetch(`${url}/internal/rates`, { method: 'POST', body, headers: pushHeaders(body) })
  if (response.status !== 200) throw new Error(`rates were answered with ${await response.text()}`)
}
