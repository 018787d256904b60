// Asks for a payment, pays it with a simulated deposit, and waits until it is confirmed.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Billhook } from '@billhook/client'

const { wallet, ...shop } = JSON.parse(readFileSync('shop.json', 'utf8'))
const billhook = new Billhook(shop)
const invoice = await billhook.createInvoice({
  walletIds: [wallet],
  name: 'Tea set',
  amount: '25.00',
  currency: 'USDT',
  reference: `order-1001-${randomBytes(8).toString('hex')}`,
  expiresInSeconds: 3600,
})
console.log(`Payment page: ${invoice.pageUrl}`)
await billhook.simulateDeposit({ invoiceId: invoice.id })
const { payment } = await billhook.waitForPayment(invoice.id, { intervalMs: 500 })
console.log(`${payment.status}: ${payment.received} USDT received`)
