import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { askChild } from '../child.js'
import { WebhookReceiver } from '../load/receiver.js'
import type { SenderReport, SenderTask } from '../load/sender-report.js'
import { type BenchWallet, Merchants, pushEvents, pushHeaders } from '../merchants.js'
import { DELIVERIES, WEBHOOK_P50, WEBHOOK_P99 } from '../names.js'
import { quantile } from '../quantile.js'
import { registerMerchants } from '../registration.js'
import { plainNumber } from '../report-parts/figure.js'
import { httpRequest, writeRequestFile } from '../request-file.js'
import { withService } from '../service-process.js'

/** Deliveries of one invoice are sent one after another, so there are many invoices, one for each wallet. */
const INVOICES = 1000
const CREATED_AT_ONCE = 50
const EVENTS_PER_PUSH = 1000
const PUSH_CONNECTIONS = 32
const OK = 200

/**
 * Measures the time from an accepted deposit to the receiver, and how fast a queue of webhooks drains, with one
 * receiver.
 */
export async function webhooks(bench: Bench): Promise<void> {
  const data = join(bench.directory, 'webhooks')
  const receiver = await WebhookReceiver.open()
  try {
    await withService(data, {}, async ({ url }) => {
      const measured = new Webhooks(bench, url, receiver)
      await measured.setUp()
      await measured.latency()
      await measured.drain()
    })
  } finally {
    await receiver.close()
    rmSync(data, { recursive: true, force: true })
  }
}

class Webhooks {
  private readonly merchants = new Merchants(1, INVOICES)
  private deposits = 0

  constructor(
    private readonly bench: Bench,
    private readonly url: string,
    private readonly receiver: WebhookReceiver,
  ) {}

  /** Creates an invoice on each wallet, too large to be paid by the deposits. */
  async setUp(): Promise<void> {
    await registerMerchants(this.url, this.merchants.signers, this.merchants.wallets)
    const { wallets } = this.merchants
    for (let from = 0; from < wallets.length; from += CREATED_AT_ONCE) {
      await Promise.all(wallets.slice(from, from + CREATED_AT_ONCE).map((wallet) => this.create(wallet)))
    }
  }

  async latency(): Promise<void> {
    const { parameters, findings, directory } = this.bench
    const { depositsPerSecond, seconds, warmUpSeconds, rounds } = parameters
    const file = join(directory, 'pushes')
    const samples = { p50: [] as number[], p99: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      const hashes: string[] = []
      await writeRequestFile(file, depositsPerSecond * (seconds + warmUpSeconds), () => {
        const event = this.deposit()
        hashes.push(event.deposit.txHash)
        return pushRequest([event])
      })
      await this.receiver.expect(hashes.length, false)
      const task: SenderTask = {
        url: this.url,
        requests: file,
        connections: PUSH_CONNECTIONS,
        perSecond: depositsPerSecond,
        warmUpSeconds,
        status: OK,
        tellTimes: true,
      }
      const [{ answeredAt }, arrivals] = await Promise.all([
        askChild<SenderReport>('./load/sender-child.js', task),
        this.receiver.arrivals(),
      ])
      const delays = hashes
        .map((hash, n) => delayMs(hash, answeredAt[n], arrivals.get(hash)))
        .slice(depositsPerSecond * warmUpSeconds)
        .sort((a, b) => a - b)
      samples.p50.push(quantile(delays, 0.5))
      samples.p99.push(quantile(delays, 0.99))
    }
    rmSync(file)
    const note = `from the answer to the push until the webhook has arrived, ${plainNumber(depositsPerSecond)} deposits per second, a push each`
    findings.add({ group: 'webhooks', name: WEBHOOK_P50, unit: 'ms', samples: samples.p50, note })
    findings.add({ group: 'webhooks', name: WEBHOOK_P99, unit: 'ms', samples: samples.p99, note })
  }

  async drain(): Promise<void> {
    const { queuedDeliveries: count, rounds } = this.bench.parameters
    const samples: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await this.receiver.expect(count, true)
      for (let queued = 0; queued < count; queued += EVENTS_PER_PUSH) {
        const size = Math.min(EVENTS_PER_PUSH, count - queued)
        await pushEvents(
          this.url,
          Array.from({ length: size }, () => this.deposit()),
        )
      }
      const { atMs, arrived } = await this.receiver.release()
      const last = Math.max(...(await this.receiver.arrivals()).values())
      samples.push(((count - arrived) * 1000) / (last - atMs))
    }
    const note = `${plainNumber(count)} webhooks queued while the receiver answers nothing, then how fast it gets them; one owner, one receiver`
    this.bench.findings.add({ group: 'webhooks', name: DELIVERIES, unit: 'per second', samples, note })
  }

  private async create(wallet: BenchWallet): Promise<void> {
    const draft = {
      owner: wallet.owner,
      walletIds: [wallet.id],
      name: 'Order',
      amount: '1000000',
      currency: 'USDT',
      reference: wallet.id,
      callbackUrl: this.receiver.url,
    }
    const response = await fetch(`${this.url}/api/invoices`, { method: 'POST', body: JSON.stringify(draft) })
    if (response.status !== 201) throw new Error(await response.text())
  }

  /** Returns the event of the next deposit, on the wallets in turn. */
  private deposit() {
    const { wallets } = this.merchants
    const wallet = wallets[this.deposits % wallets.length]
    this.deposits += 1
    const name = `deposit-${this.deposits}`
    return {
      id: name,
      type: 'deposit.pending',
      deposit: {
        network: wallet?.network,
        txHash: name,
        toAddress: wallet?.address,
        currency: 'Tether',
        amount: '1',
        receivedAt: Date.now(),
      },
    }
  }
}

/** A webhook may arrive before the answer to the push: its latency is then 0. */
function delayMs(hash: string, answeredAt: number | undefined, arrivedAt: number | undefined): number {
  if (answeredAt === undefined || arrivedAt === undefined) throw new Error(`the webhook of ${hash} did not arrive`)
  return Math.max(0, arrivedAt - answeredAt)
}

function pushRequest(events: readonly unknown[]): string {
  const body = JSON.stringify({ events })
  const headers = Object.entries(pushHeaders(body)).map(([name, value]) => `${name}: ${value}`)
  return httpRequest('POST', '/internal/events', headers, body)
}
