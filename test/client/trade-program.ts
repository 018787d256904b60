/**
 * A merchant's tool on a machine whose clock is an hour slow: `trade(url)` goes from nothing to a paid invoice and answers how it
 * went. It uses nothing but the client and what every platform has.
 */
export const TRADE_PROGRAM = `
import { assignWallet, Billhook, BillhookError, identityFromPhrase, newPhrase, onboard, verifyWebhook } from '@billhook/client'

const realNow = Date.now
Date.now = () => realNow() - 3_600_000

async function trade(url) {
  const identity = await identityFromPhrase(newPhrase())
  const { nodeUrl, ...settings } = await new Billhook({ url }).describeSandbox()
  const ledger = { ...settings, nodes: [nodeUrl] }
  const owner = await onboard(ledger, identity)
  const privateKey = crypto.getRandomValues(new Uint8Array(32))
  const billhook = new Billhook({ url, owner, privateKey })
  await billhook.registerApiKey({ label: 'trade' })
  const wallet = await billhook.claimWallet('SEP')
  await assignWallet(ledger, identity, wallet.id)
  await billhook.waitForWallet(wallet.id, { intervalMs: 100 })
  const draft = { walletIds: [wallet.id], name: 'Tea', amount: '2' }
  const once = () => billhook.createInvoice({ ...draft, expiresInSeconds: 3600 }, { idempotencyKey: 'trade' })
  const { id, isReplay, expiresAt } = await once()
  const again = await once()
  const headers = [isReplay, again.isReplay, again.id === id, typeof expiresAt]
  const { text } = await billhook.amountOf({ network: 'TRX-NILE', amount: '25000000', currency: 'Tether' })
  await billhook.createInvoice({ ...draft, amount: '3' })
  const listed = []
  for await (const invoice of billhook.listInvoices({ pageSize: 1 })) listed.push(invoice.amount)
  await billhook.simulateDeposit({ invoiceId: id })
  const { payment } = await billhook.waitForPayment(id, { intervalMs: 100 })
  const refused = await billhook.createInvoice({ ...draft, amount: '3' }).catch((error) => error)
  const told = refused instanceof BillhookError && refused.requestId !== undefined ? refused.code : String(refused)
  return { status: payment.status, listed, told, headers, text, forged: forged() }
}

function forged() {
  try {
    return verifyWebhook('{}', new Headers({ 'webhook-signature': 'v1,x' }), '0'.repeat(64))
  } catch (error) {
    return error.code
  }
}
`

/** What `trade` answers at a sandbox. */
export const TRADED = {
  status: 'paid',
  listed: ['3', '2'],
  told: 'amount_in_use',
  headers: [false, true, true, 'number'],
  text: '25 USDT',
  forged: 'webhook_rejected',
}
