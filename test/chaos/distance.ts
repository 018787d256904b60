import assert from 'node:assert/strict'
import { CuttingProxy } from '../support/cutting-proxy.js'
import { createDatabase } from '../support/postgres-harness.js'
import { PostgresServer } from '../support/postgres-server.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { ask, hashOf, pushEvents } from './http-client.js'

const LONE = 20
const AT_ONCE = 256
/** Wallets in one push. Each takes several round trips, one after the other, and a push is to be answered in time. */
const FACTS_AT_ONCE = 64
const WRITE_AGAIN_MS = 20
const WAIT_MS = 60_000

/** What a service does whose database is far away, ms. */
export interface DistanceReport {
  /** A creation while there is no other. */
  readonly loneCreation: number
  /** All of 256 creations on as many wallets at once. */
  readonly creationsAtOnce: number
  /** A deposit that pays an invoice, while there is no other. */
  readonly loneDeposit: number
  /** All of 256 deposits to as many wallets at once. */
  readonly depositsAtOnce: number
  readonly read: number
  /** From when the database was back after a restart until a write was answered. */
  readonly firstWriteBehindRestart: number
}

/** Every message between the service and its database takes half of `roundTripMs`. No request fails but while the database is away. */
export async function distance(roundTripMs: number): Promise<DistanceReport> {
  const server = await PostgresServer.start({ isDurable: true })
  const place = temporaryDirectory()
  const proxy = await CuttingProxy.start(server.port, { delayMs: roundTripMs / 2 })
  let service: ServiceProcess | null = null
  try {
    const name = new URL(await createDatabase(server)).pathname
    const store = `postgres://postgres@127.0.0.1:${proxy.port}${name}`
    service = await ServiceProcess.start(place.path, { BILLHOOK_STORE: store, BILLHOOK_LOG: 'fatal' })
    return await new Far(service.url, server).measure()
  } finally {
    if (service !== null) await service.end('SIGTERM')
    await proxy.stop()
    await server.stop()
    place.remove()
  }
}

class Far {
  private made = 0

  constructor(
    private readonly url: string,
    private readonly server: PostgresServer,
  ) {}

  async measure(): Promise<DistanceReport> {
    const wallets = Array.from({ length: AT_ONCE }, (_, n) => `wallet-${n}`)
    const assigned = wallets.map((id) => ({
      id: `assigned ${id}`,
      type: 'wallet.assigned',
      wallet: { id, address: addressOf(id), network: 'SEP' },
      owner: 'alice',
    }))
    for (let n = 0; n < assigned.length; n += FACTS_AT_ONCE) {
      assert.equal((await pushEvents(this.url, assigned.slice(n, n + FACTS_AT_ONCE)))?.status, 200)
    }
    const [first = ''] = wallets
    return {
      loneCreation: await medianOf(() => this.create(first)),
      creationsAtOnce: await lasting(() => Promise.all(wallets.map((id) => this.create(id)))),
      loneDeposit: await medianOf(() => this.pay(first)),
      depositsAtOnce: await lasting(() => Promise.all(wallets.map((id) => this.pay(id)))),
      read: await medianOf(() => this.read()),
      firstWriteBehindRestart: await this.restart(first),
    }
  }

  private async create(walletId: string): Promise<void> {
    this.made += 1
    const draft = { owner: 'alice', walletIds: [walletId], name: 'Order', amount: `${this.made}`, currency: 'USDT' }
    const answer = await ask('POST', `${this.url}/api/invoices`, JSON.stringify(draft))
    assert.equal(answer?.status, 201, JSON.stringify(answer?.json))
  }

  private async pay(walletId: string): Promise<void> {
    this.made += 1
    const deposit = {
      network: 'SEP',
      txHash: hashOf(`tx ${this.made}`),
      toAddress: addressOf(walletId),
      currency: 'Tether',
      amount: '1000000',
      receivedAt: Date.now(),
    }
    const answer = await pushEvents(this.url, [{ id: `deposit ${this.made}`, type: 'deposit.confirmed', deposit }])
    assert.equal(answer?.status, 200)
  }

  private async read(): Promise<void> {
    const answer = await ask('GET', `${this.url}/api/users/alice/invoices?limit=1&include=payment`)
    assert.equal(answer?.status, 200)
  }

  private async restart(walletId: string): Promise<number> {
    await this.server.kill()
    await assert.rejects(this.create(walletId), /storage_unavailable/)
    await this.server.launch()
    const startedAt = performance.now()
    for (;;) {
      const isDone = await this.create(walletId).then(
        () => true,
        () => false,
      )
      const tookMs = performance.now() - startedAt
      if (isDone) return Math.round(tookMs)
      assert.ok(tookMs < WAIT_MS, 'the service does not go on')
      await new Promise((resolve) => setTimeout(resolve, WRITE_AGAIN_MS))
    }
  }
}

function addressOf(walletId: string): string {
  return hashOf(walletId).slice(0, 42)
}

async function medianOf(work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < LONE; n += 1) times.push(await lasting(work))
  return times.sort((a, b) => a - b)[LONE / 2] ?? 0
}

async function lasting(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Math.round(performance.now() - startedAt)
}
