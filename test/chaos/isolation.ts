import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { openReceiver } from '../support/receiver.js'
import { ask, hashOf, pushEvents } from './http-client.js'
import { addressFor, type LoadReport, quantile, runLoad } from './load-client.js'
import { signerOf, startLoaded, unsignedCreate, walletOf } from './loaded-service.js'
import { describe, type ScenarioOptions } from './overload.js'

const PROBES = 8
const WARM_UP_MS = 1_000
const PROBED_WALLETS = 100
/** Creations a second for the others, beside the probes. */
const BACKGROUND_PER_SECOND = 1_000
const BACKGROUND_CONNECTIONS = 512
/** Webhooks that a hanging receiver is owed. */
const HANGING_DELIVERIES = 500
/** Deliveries of one invoice go out one after the other, so the hanging receiver is owed those of many. */
const STUCK_WALLETS = 50
/** For each second of a load. */
const TIMED_DELIVERIES = 125
const IDLE_CONNECTIONS = 10_000
const SLOW_CONNECTIONS = 500
const SLOW_BYTE_MS = 1_000
const OPENED_AT_ONCE = 500
/** Where they come from; one address may have a sixteenth of all connections. */
const CROWD_ADDRESS = '127.0.1.1'

/** The same load on many wallets and on one; what others wait must not differ. */
export async function hotWallet({ seconds, say }: ScenarioOptions): Promise<void> {
  say(`one hot wallet: creations on other wallets, beside ${BACKGROUND_PER_SECOND}/s more`)
  const [others, busy] = [signerOf('others'), signerOf('busy')]
  const service = await startLoaded([others, busy], PROBED_WALLETS, {})
  const load = { url: service.url, durationMs: seconds * 1000 }
  let n = 0
  const next = () => unsignedCreate('others', walletOf('others', n++ % PROBED_WALLETS))
  const probe = (durationMs: number): Promise<LoadReport> =>
    runLoad({ url: service.url, durationMs, connections: PROBES, perSecond: null, next })
  await probe(WARM_UP_MS)
  for (const [what, wallets] of [
    ['100 wallets', PROBED_WALLETS],
    ['one wallet', 1],
  ] as const) {
    let m = 0
    const [probed, background] = await Promise.all([
      probe(load.durationMs),
      runLoad({
        ...load,
        connections: BACKGROUND_CONNECTIONS,
        perSecond: BACKGROUND_PER_SECOND,
        next: () => unsignedCreate('busy', walletOf('busy', m++ % wallets)),
      }),
    ])
    say(`  the load on ${what}: others ${describe(probed)}; the load itself ${describe(background)}`)
  }
  await service.stop()
}

/** From the push of a deposit until its webhook has arrived, without and with a receiver that answers nothing. */
export async function hangingReceiver({ seconds, say }: ScenarioOptions): Promise<void> {
  say(`one hanging receiver that is owed ${HANGING_DELIVERIES} webhooks: time from deposit to webhook elsewhere`)
  const [prompt, stuck] = [signerOf('prompt'), signerOf('stuck')]
  const service = await startLoaded([prompt, stuck], STUCK_WALLETS, {})
  const good = await openReceiver()
  const hanging = await openReceiver(() => {})
  await createWithCallback(service.url, 'prompt', 0, good.url)
  for (let n = 0; n < STUCK_WALLETS; n += 1) await createWithCallback(service.url, 'stuck', n, hanging.url)
  const time = async (name: string) => {
    const times: number[] = []
    for (let n = 0; n < TIMED_DELIVERIES * seconds; n += 1) {
      const wanted = good.requests.length + 1
      const startedAt = performance.now()
      await pushDeposits(service.url, 'prompt', [`${name} ${n}`])
      await good.received(wanted)
      times.push(performance.now() - startedAt)
    }
    times.sort((a, b) => a - b)
    say(`  ${name}: median ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`)
  }
  await time('warming up')
  await time('without')
  await pushDeposits(
    service.url,
    'stuck',
    Array.from({ length: HANGING_DELIVERIES }, (_, n) => `stuck ${n}`),
  )
  await hanging.received(1)
  await time('with it')
  say(`  the hanging receiver held ${hanging.peak} connections at most`)
  await hanging.close()
  await service.stop()
  await good.close()
}

async function createWithCallback(url: string, owner: string, wallet: number, callbackUrl: string): Promise<void> {
  const body = {
    owner,
    walletIds: [walletOf(owner, wallet)],
    name: 'Order',
    amount: '1000000',
    currency: 'USDT',
    reference: `${owner} ${wallet}`,
    callbackUrl,
  }
  const answer = await ask('POST', `${url}/api/invoices`, JSON.stringify(body))
  assert.equal(answer?.status, 201)
}

async function pushDeposits(url: string, owner: string, names: readonly string[]): Promise<void> {
  const wallets = owner === 'stuck' ? STUCK_WALLETS : 1
  const events = names.map((name, n) => ({
    id: name,
    type: 'deposit.pending',
    deposit: {
      network: 'SEP',
      txHash: hashOf(name),
      toAddress: hashOf(walletOf(owner, n % wallets)).slice(0, 42),
      currency: 'Tether',
      amount: '1',
      receivedAt: Date.now() + 1_000,
    },
  }))
  assert.equal((await pushEvents(url, events))?.status, 200)
}

/** What others wait while thousands of connections say nothing, and hundreds send a byte a second. */
export async function connections({ seconds, say }: ScenarioOptions): Promise<void> {
  say(`${IDLE_CONNECTIONS} idle connections and ${SLOW_CONNECTIONS} that send a head byte by byte`)
  const owner = signerOf('others')
  const service = await startLoaded([owner], PROBED_WALLETS, {})
  let n = 0
  const probe = (durationMs: number) =>
    runLoad({
      url: service.url,
      durationMs,
      connections: PROBES,
      perSecond: null,
      next: () => unsignedCreate('others', walletOf('others', n++ % PROBED_WALLETS)),
    })
  await probe(WARM_UP_MS)
  say(`  without: ${describe(await probe(seconds * 1000))}`)
  const crowd = new Crowd(service.url)
  await crowd.fill()
  say(`  open: ${crowd.size}${crowd.lastRefusal === '' ? '' : ` (${crowd.lastRefusal})`}`)
  say(`  with them: ${describe(await probe(seconds * 1000))}`)
  say(`  still open, the closed ones opened again: ${crowd.size}; closed by the service: ${crowd.closedCount}`)
  crowd.leave()
  await service.stop()
}

/** Connections that only take up room. One that is closed by the service is opened again. */
class Crowd {
  private readonly sockets = new Set<Socket>()
  private readonly slow = new Set<Socket>()
  private readonly dripper = setInterval(() => this.drip(), SLOW_BYTE_MS)
  private isOver = false
  private opened = 0
  closedCount = 0
  /** Why a connection could not be opened, such as a limit of open files. */
  lastRefusal = ''

  constructor(private readonly url: string) {}

  get size(): number {
    return this.sockets.size
  }

  async fill(): Promise<void> {
    for (let count = 0; count < IDLE_CONNECTIONS + SLOW_CONNECTIONS; count += OPENED_AT_ONCE) {
      await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => this.open(count < SLOW_CONNECTIONS)))
    }
  }

  leave(): void {
    this.isOver = true
    clearInterval(this.dripper)
    for (const socket of this.sockets) socket.destroy()
  }

  private open(isSlow: boolean): Promise<void> {
    const { hostname, port } = new URL(this.url)
    return new Promise((resolve) => {
      const localAddress = addressFor(this.opened++ % (IDLE_CONNECTIONS + SLOW_CONNECTIONS), CROWD_ADDRESS)
      const socket = connect({ port: Number(port), host: hostname, localAddress })
      socket.on('connect', () => {
        this.sockets.add(socket)
        if (isSlow) {
          this.slow.add(socket)
          socket.write('POST /api/invoices HTTP/1.1\r\nHost: localhost\r\nX: ')
        }
        resolve()
      })
      socket.on('error', (error) => {
        this.lastRefusal = error.message
        resolve()
      })
      socket.on('close', () => {
        this.slow.delete(socket)
        if (!this.sockets.delete(socket) || this.isOver) return
        this.closedCount += 1
        void this.open(isSlow)
      })
      socket.resume()
    })
  }

  private drip(): void {
    for (const socket of this.slow) socket.write('x')
  }
}
