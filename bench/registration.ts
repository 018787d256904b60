import { type BenchWallet, pushEvents, type Signer } from './merchants.js'

const EVENTS_PER_PUSH = 500

/** Registers keys that may create invoices, and wallets, with a Billhook. */
export async function registerMerchants(
  url: string,
  signers: readonly Signer[],
  wallets: readonly BenchWallet[],
): Promise<void> {
  for (const { owner, publicKeyHex } of signers) {
    const body = { owner, label: 'bench', publicKey: publicKeyHex, permissions: ['invoices:create'] }
    const response = await fetch(`${url}/api/api-keys`, { method: 'POST', body: JSON.stringify(body) })
    if (response.status !== 201) throw new Error(await response.text())
  }
  for (let from = 0; from < wallets.length; from += EVENTS_PER_PUSH) {
    const pushed = wallets.slice(from, from + EVENTS_PER_PUSH)
    await pushEvents(
      url,
      pushed.map(({ owner, ...wallet }) => ({ id: wallet.id, type: 'wallet.assigned', wallet, owner })),
    )
  }
}
