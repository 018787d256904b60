import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { WalletDirectory } from '../../../src/actors/wallet-directory.js'
import { RegisteredKeys } from '../../../src/auth/registered-keys.js'
import { systemClock } from '../../../src/clock.js'
import { randomSecretHex } from '../../../src/crypto/hmac.js'
import { createIdGenerator, randomKeyId } from '../../../src/crypto/id.js'
import { createPooledRandom } from '../../../src/crypto/random.js'
import { parsePublicKeyHex } from '../../../src/crypto/secp256k1.js'
import { authorise } from '../../../src/domain/api-key.js'
import { type Outcome, refuse, succeed } from '../../../src/domain/failure.js'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { Merchants } from '../../merchants.js'
import { argument } from '../../parent.js'
import { addAnswer, type CommandAnswer, commandsOf, type Message, type VerifiedCommand } from './messages.js'
import { Outgoing } from './outgoing.js'

/** Invoices by way of HTTP threads that verify in place: the whole path of a signed creation, and nothing else. */

interface Task {
  readonly data: string
  readonly threads: number
  readonly keys: number
  readonly wallets: number
  readonly messageLimit?: number
  /** Threads that hand on commands nobody sent, instead of HTTP threads. */
  readonly isSynthetic?: boolean
}

const ANSWERS_MAX = 256
const task = argument<Task>()
const random = createPooledRandom()
const ids = createIdGenerator(random)
const commits = { count: 0, units: 0, ms: 0 }
const messages = { count: 0, commands: 0 }
const store = await openLmdbStore({
  directory: task.data,
  clock: systemClock,
  tokenDecimals: { SEP: 6, 'TRX-NILE': 6 },
  newId: (nowMs) => ids.next(nowMs),
  randomKeyId: () => randomKeyId(random),
  randomSecretHex: () => randomSecretHex(random),
  commitObserver: {
    now: () => performance.now(),
    committed: (units, ms) => {
      commits.count += 1
      commits.units += units
      commits.ms += ms
    },
    failed: (units) => process.stderr.write(`a commit of ${units} failed\n`),
  },
})
const directory = new WalletDirectory(store)
const registered = new RegisteredKeys()
await introduce(new Merchants(task.keys, task.wallets))

const port = await freePort()
const workers: Worker[] = []
const threads: string[] = []
for (let n = 0; n < task.threads; n += 1) {
  threads.push(await startThread())
}
process.stdout.write(`threads ${threads.join(' ')} listening on http://127.0.0.1:${port}\n`)

const tell = (then?: () => void) => process.stdout.write(`${JSON.stringify({ commits, messages })}\n`, then)
process.on('SIGUSR2', () => tell())
process.once('SIGTERM', async () => {
  // A thread that ends while its server listens takes the process down.
  const ended = workers.map((worker) => once(worker, 'exit'))
  for (const worker of workers) worker.postMessage('stop')
  await Promise.all(ended)
  await directory.idle()
  await store.close()
  tell(() => process.exit(0))
})

/** The engine shares a port among its listeners, but not one that it was told to find. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** Answers the id that the system has for the thread. */
function startThread(): Promise<string> {
  const worker = new Worker(new URL(task.isSynthetic ? 'commands-child.js' : 'front-child.js', import.meta.url), {
    workerData: { ...task, port, messageLimit: task.messageLimit ?? null },
  })
  workers.push(worker)
  const answers = new Outgoing<CommandAnswer>(worker, addAnswer, ANSWERS_MAX)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (ready) => {
      worker.on('message', (message: Message) => {
        messages.count += 1
        for (const command of commandsOf(message)) {
          messages.commands += 1
          void perform(command).then((outcome) => answers.push({ no: command.no, outcome }))
        }
      })
      resolve(ready)
    })
  })
}

async function perform({ keyText, wanted }: VerifiedCommand): Promise<Outcome<string>> {
  const publicKey = registered.find(keyText) ?? parsePublicKeyHex(keyText)
  const found = publicKey === null ? undefined : store.apiKey(publicKey)
  const key = found instanceof Promise ? await found : found
  const signer = authorise(key, 'invoices:create', systemClock.now())
  if (!signer.ok) return signer
  if (publicKey !== null) registered.add(keyText, publicKey)
  if (!wanted.ok) return wanted
  try {
    const { outcome } = await directory.createInvoice({ ...wanted.value, owner: signer.value.owner })
    return outcome.ok ? succeed(outcome.value.id) : outcome
  } catch {
    return refuse('storage_unavailable')
  }
}

async function introduce({ signers, wallets }: Merchants): Promise<void> {
  for (const { owner, publicKeyHex } of signers) {
    const publicKey = parsePublicKeyHex(publicKeyHex)
    if (publicKey === null) throw new Error('a merchant has no key')
    await store.registerApiKey({
      owner,
      label: 'bench',
      publicKeyText: publicKeyHex,
      publicKey,
      permissions: ['invoices:create'],
      ttlDays: null,
    })
  }
  await store.applyLedgerFacts(
    wallets.map((wallet) => ({ eventId: null, fact: { type: 'wallet.assigned' as const, ...wallet } })),
  )
}
