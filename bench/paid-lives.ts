import { Merchants, pushHeaders, signedCreation } from './merchants.js'
import { registerMerchants } from './registration.js'
import { httpRequest } from './request-file.js'

/** The report of the deposit that pays the `n`th invoice. */
export interface Payment {
  readonly n: number
  readonly report: 'pending' | 'confirmed'
}

const ATOMS_PER_USDT = 1_000_000

/** Requests that create invoices on many wallets and pay each with a deposit of exactly its amount. */
export class PaidLives {
  private readonly merchants: Merchants
  /** Invoices whose creation was made. */
  created = 0

  /** Every invoice has `callbackUrl`; null for none. */
  constructor(
    private readonly url: string,
    keys: number,
    wallets: number,
    private readonly callbackUrl: string | null,
  ) {
    this.merchants = new Merchants(keys, wallets)
  }

  register(): Promise<void> {
    return registerMerchants(this.url, this.merchants.signers, this.merchants.wallets)
  }

  /** The request of the next creation. No two have the same amount. */
  creation(): string {
    const { signers } = this.merchants
    const n = this.created
    this.created += 1
    const { id } = this.walletOf(n)
    const signer = signers[(n % this.merchants.wallets.length) % signers.length]
    if (signer === undefined) throw new Error('there are no merchants')
    return signedCreation(signer, {
      walletIds: [id],
      name: `Order ${n}`,
      amount: `${Math.floor(rawAmount(n) / ATOMS_PER_USDT)}.${String(rawAmount(n) % ATOMS_PER_USDT).padStart(6, '0')}`,
      currency: 'USDT',
      reference: `order-${n}`,
      ...(this.callbackUrl === null ? {} : { callbackUrl: this.callbackUrl }),
    })
  }

  /** The request of a push with these reports. */
  push(payments: readonly Payment[]): string {
    const events = payments.map(({ n, report }) => {
      const { network, address } = this.walletOf(n)
      const txHash = `0x${n.toString(16).padStart(64, '0')}`
      const deposit = { network, txHash, toAddress: address, currency: 'Tether', amount: String(rawAmount(n)) }
      return { id: `${n}-${report}`, type: `deposit.${report}`, deposit }
    })
    const body = JSON.stringify({ events })
    const headers = Object.entries(pushHeaders(body)).map(([name, value]) => `${name}: ${value}`)
    return httpRequest('POST', '/internal/events', headers, body)
  }

  private walletOf(n: number) {
    const { wallets } = this.merchants
    const wallet = wallets[n % wallets.length]
    if (wallet === undefined) throw new Error('there are no wallets')
    return wallet
  }
}

function rawAmount(n: number): number {
  return 25 * ATOMS_PER_USDT + n
}
