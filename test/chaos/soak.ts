import { runLoad } from './load-client.js'
import {
  httpRequest,
  memoryOf,
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
  let n = 0
  const next = (): string => {
    n += 1
    const signer = signers[n % OWNERS]
    if (signer === undefined) throw new Error('nobody signs')
    const wallet = walletOf(signer.owner, Math.floor(n / OWNERS) % WALLETS_EACH)
    switch (n % 7) {
      case 0:
        return unsignedCreate(signer.owner, wallet)
      case 1:
        return httpRequest('GET', `/api/users/${signer.owner}/invoices?limit=20&include=payment`)
      case 2:
        return httpRequest('GET', `/api/users/${signer.owner}/wallets`)
      default:
        return signedCreate(signer, wallet, n % 50 === 0)
    }
  }
  const load = { url: service.url, connections: CONNECTIONS, next }
  const peak = await runLoad({ ...load, perSecond: null, durationMs: MEASURED_MS })
  const perSecond = Math.round(peak.goodPerSecond / 2)
  say(`soak with ${perSecond}/s of at most ${peak.goodPerSecond.toFixed(0)}/s, ${engine}`)
  for (let minute = 1; minute <= minutes; minute += 1) {
    const report = await runLoad({ ...load, perSecond, durationMs: MINUTE_MS })
    const { own, resident } = memoryOf(service.pid)
    say(`  minute ${minute}: resident ${resident.toFixed(0)} MiB, own ${own.toFixed(0)} MiB; ${describe(report)}`)
  }
  await service.stop()
}
