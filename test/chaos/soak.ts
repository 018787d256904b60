import { setTimeout as pause } from 'node:timers/promises'
import { openReceiver } from '../support/receiver.js'
import { memoryOf } from '../support/service-process.js'
import { hashOf } from './http-client.js'
import { quantile, runLoad } from './load-client.js'
import {
  addressOf,
  httpRequest,
  push,
  type Signer,
  signedCreate,
  signerOf,
  startLoaded,
  unsignedCreate,
  walletOf,
} from './loaded-service.js'
import { describe } from './overload.js'

const OWNERS = 20
const WALLETS_EACH = 50
const CONNECTIONS = 64
const MEASURED_MS = 5_000
const MINUTE_MS = 60_000
const SAMPLE_MS = 250
/** Without load, so that an idle service gives back what it need not keep. */
const PAUSE_MS = 5_000
/** Of a token with six decimals. */
const DEPOSIT_RAW = 50_000_000

/** Mixed load at half of what the service can do, and its memory each minute. */
export async function soak({
  minutes,
  engine,
  say,
}: {
  minutes: number
  engine: string
  say(line: string): void
}): Promise<void> {
  const signers = Array.from({ length: OWNERS }, (_, n) => signerOf(`merchant-${n}`))
  const service = await startLoaded(signers, WALLETS_EACH, { BILLHOOK_VERIFY_ENGINE: engine })
  const receiver = await openReceiver()
  const load = { url: service.url, connections: CONNECTIONS, next: mixedRequests(signers, receiver.url) }
  const peak = await runLoad({ ...load, perSecond: null, durationMs: MEASURED_MS })
  const perSecond = Math.round(peak.goodPerSecond / 2)
  say(`soak with ${perSecond}/s of at most ${peak.goodPerSecond.toFixed(0)}/s, ${engine}`)
  for (let minute = 1; minute <= minutes; minute += 1) {
    const running = runLoad({ ...load, perSecond, durationMs: MINUTE_MS })
    const { own, resident } = await memoryDuring(service.pid, running)
    const report = await running
    await pause(PAUSE_MS)
    const paused = memoryOf(service.pid).resident
    const memory = `RSS ${paused.toFixed(0)} MiB in a pause, ${resident.toFixed(0)} under load; of its own at least ${own.toFixed(0)}`
    say(`  minute ${minute}: ${memory}; ${receiver.requests.length} webhooks so far; ${describe(report)}`)
  }
  await service.stop()
  await receiver.close()
}

/**
 * A process's memory while something runs: the median of what is resident, pages of the database among it, and the least of
 * its own, which is what is left when garbage has just been collected.
 */
async function memoryDuring(pid: number, running: Promise<unknown>): Promise<{ own: number; resident: number }> {
  const samples: { readonly own: number; readonly resident: number }[] = []
  const sampler = setInterval(() => samples.push(memoryOf(pid)), SAMPLE_MS)
  await running.finally(() => clearInterval(sampler))
  const residents = samples.map(({ resident }) => resident).sort((a, b) => a - b)
  return { own: Math.min(...samples.map(({ own }) => own)), resident: quantile(residents, 0.5) }
}

/** Creations, a few of them forged or unsigned, reads, and deposits that are announced and confirmed. */
function mixedRequests(signers: readonly Signer[], callbackUrl: string): () => string {
  let n = 0
  return () => {
    n += 1
    const signer = signers[n % OWNERS]
    if (signer === undefined) throw new Error('nobody signs')
    const wallet = walletOf(signer.owner, walletNo(n))
    switch (n % 9) {
      case 0:
        return unsignedCreate(signer.owner, wallet)
      case 1:
        return httpRequest('GET', `/api/users/${signer.owner}/invoices?limit=20&include=payment`)
      case 2:
        return httpRequest('GET', `/api/users/${signer.owner}/wallets`)
      case 3:
        return deposit('pending', n, wallet)
      case 4:
        // The one that was announced by the request before, or not, when that is still under way.
        return deposit('confirmed', n - 1, walletOf(`merchant-${(n - 1) % OWNERS}`, walletNo(n - 1)))
      default:
        return signedCreate(signer, wallet, n % 50 === 0, callbackUrl)
    }
  }
}

function walletNo(n: number): number {
  return Math.floor(n / OWNERS) % WALLETS_EACH
}

function deposit(report: 'pending' | 'confirmed', n: number, wallet: string): string {
  return push({
    id: `${report} ${n}`,
    type: `deposit.${report}`,
    deposit: {
      network: 'SEP',
      txHash: hashOf(`soak ${n}`),
      toAddress: addressOf(wallet),
      currency: 'Tether',
      amount: String(DEPOSIT_RAW),
      receivedAt: Date.now(),
    },
  })
}
