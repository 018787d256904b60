// Makes an identity with a wallet, an API key and a webhook secret, and keeps them in shop.json.
import { writeFileSync } from 'node:fs'
import { assignWallet, Billhook, identityFromPhrase, newPhrase, onboard } from '@billhook/client'

const url = process.env.BASE_URL ?? 'http://127.0.0.1:8080'
const receiver = process.env.RECEIVER_URL ?? 'http://127.0.0.1:9000/'
const phrase = newPhrase()
const identity = await identityFromPhrase(phrase)
const { ledger } = await new Billhook({ url }).getInfo()
const owner = await onboard(ledger, identity)

const privateKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
const billhook = new Billhook({ url, owner, privateKey })
await billhook.waitForIdentity()
await billhook.registerApiKey({ label: 'start' }, { identity })

const wallet = await billhook.claimWallet('TRX-NILE')
await assignWallet(ledger, identity, wallet.id, { billhook })
await billhook.waitForWallet(wallet.id)

const { secret } = await billhook.setWebhook({ callbackUrl: receiver })
writeFileSync('shop.json', JSON.stringify({ url, owner, privateKey, wallet: wallet.id, secret, phrase }), { mode: 0o600 })
console.log(`Identity ${owner} has the wallet ${wallet.address}`)
