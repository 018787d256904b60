import { statSync } from 'node:fs'
import { join } from 'node:path'
import { formatAmount } from '../src/domain/amount.js'
import { NO_ORDER_FIELDS } from '../src/domain/order-fields.js'
import type { WalletCommand } from '../src/store/commands.js'
import { COMMANDS_AT_ONCE, Histories } from './histories.js'
import { wallet } from './merchants.js'

const WALLETS = 1000
/** Of ten deposits so many pay an invoice; the others are for none. */
const PAYING_OF_TEN = 7
/** One invoice of so many has a callback URL, and its deposit two deliveries. */
const WITH_CALLBACK_OF = 10
const ATOMS = 10n ** 18n
const BYTES_PER_MIB = 1024 * 1024

/** Makes a data directory with so many invoices and as many deposits. */
export async function fillPaidStore(place: string, invoices: number): Promise<void> {
  const histories = await Histories.open(place, 4 * invoices)
  for (let n = 0; n < WALLETS; n += 1) await histories.addWallet(`shop-${n}`)
  const first = Date.now() - 2 * invoices - 60_000
  for (let from = 0; from < invoices; from += COMMANDS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(COMMANDS_AT_ONCE, invoices - from) }, (_, i) => from + i)
    await histories.perform(numbers.map(invoice))
    await histories.perform(numbers.map((n) => deposit(n, first + 2 * n)))
  }
  await histories.close()
}

export function dataFileMib(place: string): number {
  return statSync(join(place, 'data.mdb')).size / BYTES_PER_MIB
}

function amountOf(n: number): bigint {
  return BigInt(1 + Math.floor(n / WALLETS)) * ATOMS
}

function invoice(n: number): WalletCommand {
  const owner = `shop-${n % WALLETS}`
  const callbackUrl = n % WITH_CALLBACK_OF === 0 ? 'https://shop.example/paid' : null
  return {
    type: 'invoice',
    request: {
      owner,
      walletIds: [owner],
      name: 'Order',
      description: null,
      reference: `filled-${n}`,
      amountText: formatAmount(amountOf(n)),
      amount: amountOf(n),
      currency: 'USDT',
      callbackUrl,
      isCallbackUrlValid: true,
      order: NO_ORDER_FIELDS,
      expiresInSeconds: null,
    },
  }
}

function deposit(n: number, receivedAt: number): WalletCommand {
  const { address, network } = wallet(`shop-${n % WALLETS}`, '')
  const amount = n % 10 < PAYING_OF_TEN ? amountOf(n) / 10n ** 12n : 1n
  return {
    type: 'deposit',
    eventId: null,
    fact: {
      type: 'deposit',
      report: 'confirmed',
      sighting: {
        network,
        txHash: `0x${n.toString(16).padStart(64, '0')}`,
        index: 0,
        toAddress: address,
        currency: 'Tether',
        amount: String(amount),
        receivedAt,
      },
    },
  }
}
