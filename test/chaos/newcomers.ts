import { connect } from 'node:net'
import { runLoad } from './load-client.js'
import { prepared, type Signer, signedCreate, signerOf, startLoaded, walletOf } from './loaded-service.js'
import type { ScenarioOptions } from './overload.js'

const MERCHANTS = 20
const WALLETS_EACH = 50
const FLOOD_CONNECTIONS = 2_048
/** Several times what the engine verifies in a second. */
const FLOOD_PER_SECOND = { libsecp256k1: 30_000, noble: 2_000 }
const FLOOD_REQUESTS = 2_000
const FLOODERS_ADDRESS = '127.0.0.2'
/** Time for the flood to make the keys suspect. */
const HEAD_START_MS = 2_500
const PAUSE_MS = 80
const ANSWER_TIMEOUT_MS = 5_000
/** Of the requests, with libsecp256k1; with noble a key without tables takes so long that most find the lane full. */
const CREATED_MIN = 0.9

/**
 * Merchants who send seldom, each request from an address that was not seen before, while invalid signatures arrive in the
 * names of all their keys.
 */
export async function newcomers({ seconds, engine, verdicts, say }: ScenarioOptions): Promise<void> {
  say(`requests from new addresses beside a flood in the merchants' names, ${engine}`)
  const merchants = Array.from({ length: MERCHANTS }, (_, n) => signerOf(`merchant-${n}`))
  const settings = { BILLHOOK_VERIFY_ENGINE: engine, ...(engine === 'noble' ? { BILLHOOK_KEY_TABLES: '0' } : {}) }
  const service = await startLoaded(merchants, WALLETS_EACH, settings)
  const forged = prepared(FLOOD_REQUESTS, (n) => signedCreate(merchantAt(merchants, n), 'none', true))
  const flood = runLoad({
    url: service.url,
    connections: FLOOD_CONNECTIONS,
    perSecond: engine === 'noble' ? FLOOD_PER_SECOND.noble : FLOOD_PER_SECOND.libsecp256k1,
    durationMs: HEAD_START_MS + seconds * 1000,
    from: FLOODERS_ADDRESS,
    next: forged,
  })
  await pause(HEAD_START_MS)
  const statuses: Promise<string>[] = []
  for (let n = 0; n * PAUSE_MS < seconds * 1000; n += 1) {
    const merchant = merchantAt(merchants, n)
    const request = signedCreate(merchant, walletOf(merchant.owner, n % WALLETS_EACH))
    statuses.push(statusOf(Number(new URL(service.url).port), newAddress(n), request))
    await pause(PAUSE_MS)
  }
  const created = (await Promise.all(statuses)).filter((status) => status === '201').length
  say(`  ${created} of ${statuses.length} created`)
  if (engine !== 'noble') {
    const promise = `merchants from new addresses: at least ${CREATED_MIN} of their invoices are created`
    verdicts.judge(promise, created / statuses.length >= CREATED_MIN)
  }
  await flood
  await service.stop()
}

function merchantAt(merchants: readonly Signer[], n: number): Signer {
  const merchant = merchants[n % merchants.length]
  if (merchant === undefined) throw new Error('there are no merchants')
  return merchant
}

function newAddress(n: number): string {
  return `127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`
}

/** The status of the answer, or why there is none. */
function statusOf(port: number, localAddress: string, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(request))
    socket.once('data', (answer) => {
      resolve(answer.toString('latin1').split(' ')[1] ?? '')
      socket.destroy()
    })
    socket.once('error', (error) => resolve(error.message))
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('no answer')))
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
