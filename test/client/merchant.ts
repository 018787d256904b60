import { randomBytes } from 'node:crypto'
import {
  assignWallet,
  Billhook,
  identityFromPhrase,
  type LedgerSettings,
  newPhrase,
  onboard,
  type Signer,
} from '@billhook/client'

/** A new merchant at a sandbox, with an identity, a registered key and a TRON wallet. */
export async function merchantAt(url: string) {
  const identity = await identityFromPhrase(newPhrase())
  const { nodeUrl, ...more } = await new Billhook({ url }).describeSandbox()
  const settings: LedgerSettings = { ...more, nodes: [nodeUrl] }
  const owner = await onboard(settings, identity)
  const privateKey = randomBytes(32)
  const billhook = new Billhook({ url, owner, privateKey })
  await billhook.registerApiKey({ label: 'test' })
  const { id: wallet } = await billhook.claimWallet('TRX-NILE')
  await assignWallet(settings, identity, wallet)
  await billhook.waitForWallet(wallet, { intervalMs: 50, timeoutMs: 20_000 })
  const ledger = { onboard: (signer: Signer) => onboard(settings, signer) }
  return { billhook, identity, ledger, owner, wallet, privateKey }
}
