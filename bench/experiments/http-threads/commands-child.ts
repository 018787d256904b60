import { readlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { parseInvoiceRequest } from '../../../src/domain/invoice.js'
import { Merchants } from '../../merchants.js'
import { addCommand, answersOf, type Message } from './messages.js'
import { Outgoing } from './outgoing.js'

/** A thread in the place of the HTTP threads that hands on commands nobody sent: what the main thread can take at most. */

const UNDER_WAY = 1024
const COMMANDS_MAX = 32

const { keys, wallets, messageLimit } = workerData as { keys: number; wallets: number; messageLimit: number | null }
const main = parentPort
if (main === null) throw new Error('a thread of the experiment was started as a process')
const merchants = new Merchants(keys, wallets)
const outgoing = new Outgoing(main, addCommand, messageLimit ?? COMMANDS_MAX)
let no = 0

main.on('message', (message: Message | 'stop') => {
  if (message === 'stop') {
    main.close()
    return
  }
  for (const { outcome } of answersOf(message)) {
    if (!outcome.ok) throw new Error(outcome.failure.message)
    next()
  }
})
main.postMessage(readlinkSync('/proc/thread-self').split('/').at(-1))
for (let n = 0; n < UNDER_WAY; n += 1) next()

function next(): void {
  const n = no
  no += 1
  const wallet = merchants.wallets[n % wallets]
  const signer = merchants.signers[(n % wallets) % keys]
  if (wallet === undefined || signer === undefined) throw new Error('there are no merchants')
  const amount = `${Math.floor(n / wallets) + 1}.${String(n % wallets).padStart(6, '0')}1`
  const body = { walletIds: [wallet.id], name: `Order ${n}`, amount, currency: 'USDT', reference: `order-${n}` }
  outgoing.push({ no: n, keyText: signer.publicKeyHex, wanted: parseInvoiceRequest(body, 'unknown') })
}
