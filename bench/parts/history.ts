import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { COMMANDS_AT_ONCE, cursorAt, Histories } from '../histories.js'
import { CREATION, DEPOSIT, PAID_STATUS } from '../names.js'
import { median } from '../results.js'
import { SerialClient } from '../serial-client.js'
import { say, withService } from '../service-process.js'
import { timeCreationsUnderLoad, type WalletWithHistory } from './creations-under-load.js'

const DURABLE = `in the store, durable, ${COMMANDS_AT_ONCE} at once`
const OVER_HTTP = 'over HTTP, one request at a time'

/**
 * Measures the cost of history: the same operations on wallets with many and with few invoices and deposits, in turn,
 * in the store itself and over HTTP.
 */
export async function history(bench: Bench): Promise<void> {
  const directory = join(bench.directory, 'history')
  const wallets = new WalletsOfSizes(bench, await Histories.open(directory, commandsOf(bench)))
  await wallets.fill()
  await wallets.timePaidStatus()
  await wallets.timeCreation()
  await wallets.histories.close()
  await withService(directory, {}, async ({ url }) => {
    await wallets.timeRequests(new SerialClient(url))
    await timeCreationsUnderLoad(bench, url, wallets.longest)
  })
  await wallets.histories.reopen()
  await wallets.timeDeposits()
  await wallets.histories.close()
  rmSync(directory, { recursive: true })
}

class WalletsOfSizes {
  private readonly sizes: readonly number[]
  private readonly operations: number
  /** Batches of commands of a sample. */
  private readonly batches: number
  private readonly ids = new Map<number, readonly string[]>()
  private fresh = 0

  constructor(
    private readonly bench: Bench,
    readonly histories: Histories,
  ) {
    this.sizes = bench.parameters.historySizes
    this.operations = bench.parameters.historyOperations
    this.batches = batchesOf(bench)
  }

  /** The wallet with the longest history. */
  get longest(): WalletWithHistory {
    const size = Math.max(...this.sizes)
    return { name: nameOf(size), size }
  }

  async fill(): Promise<void> {
    for (const size of this.sizes) {
      await this.histories.addWallet(nameOf(size))
      this.ids.set(size, await this.histories.fill(nameOf(size), size))
      say(`  a wallet with ${size} invoices and deposits is there`)
    }
  }

  async timePaidStatus(): Promise<void> {
    const note = 'in the store, of invoices throughout the history, each as a page of one, which is computed each time'
    await this.rounds(PAID_STATUS, this.sizes, note, async (size) => {
      const wanted = Array.from({ length: this.operations }, () => this.anyId(size))
      return timed(wanted.length, async () => {
        for (const id of wanted) {
          if (this.histories.page(nameOf(size), id)?.invoice.id !== id) throw new Error('an invoice is lost')
        }
      })
    })
  }

  async timeCreation(): Promise<void> {
    const note = `${DURABLE}, amounts anywhere among those of the history; with none: a new wallet for each ${COMMANDS_AT_ONCE}`
    await this.rounds(CREATION, [0, ...this.sizes], note, (size) =>
      this.inBatches(async () => {
        if (size > 0) return this.histories.creations(nameOf(size), size, COMMANDS_AT_ONCE)
        this.fresh += 1
        const name = `fresh-${this.fresh}`
        await this.histories.addWallet(name)
        return this.histories.creations(name, 0, COMMANDS_AT_ONCE)
      }),
    )
  }

  async timeRequests(client: SerialClient): Promise<void> {
    const medianOf = async (request: () => Promise<number>) => {
      const times: number[] = []
      for (let n = 0; n < this.operations; n += 1) times.push(await request())
      return median(times)
    }
    const page = (size: number) =>
      `/api/users/${nameOf(size)}/invoices?limit=1&include=payment&cursor=${cursorAt(this.anyId(size))}`
    await this.rounds(`${PAID_STATUS} over HTTP`, this.sizes, OVER_HTTP, (size) =>
      medianOf(() => client.send('GET', page(size))),
    )
    let created = 0
    await this.rounds(`${CREATION} over HTTP`, this.sizes, `${OVER_HTTP}, durable`, (size) =>
      medianOf(() => {
        created += 1
        const amount = `5000.${String(created).padStart(8, '0')}1`
        const draft = { owner: nameOf(size), walletIds: [nameOf(size)], name: 'Order', amount, currency: 'USDT' }
        return client.send('POST', '/api/invoices', JSON.stringify(draft))
      }),
    )
    client.close()
  }

  /** Deposits are matched only to invoices with a callback. Nothing sends the deliveries here. */
  async timeDeposits(): Promise<void> {
    for (const size of this.sizes) await this.histories.store.webhooks.put(nameOf(size), 'http://127.0.0.1:9/')
    await this.rounds(DEPOSIT, this.sizes, `${DURABLE}, each matched with an invoice and its webhook queued`, (size) =>
      this.inBatches(() => this.histories.deposits(nameOf(size), COMMANDS_AT_ONCE)),
    )
  }

  /** Runs several batches of commands and returns the median of µs per command. */
  private async inBatches(
    commands: () => ReturnType<Histories['deposits']> | Promise<ReturnType<Histories['deposits']>>,
  ): Promise<number> {
    const times: number[] = []
    for (let n = 0; n < this.batches; n += 1) {
      const batch = await commands()
      times.push(await timed(batch.length, () => this.histories.perform(batch)))
    }
    return median(times)
  }

  /** Times something for every size in turn, once to warm up, and keeps one sample of each for every round. */
  private async rounds(
    name: string,
    sizes: readonly number[],
    note: string,
    time: (size: number) => Promise<number>,
  ): Promise<void> {
    const samples = new Map(sizes.map((size): [number, number[]] => [size, []]))
    for (const size of sizes) await time(size)
    for (let round = 0; round < this.bench.parameters.rounds; round += 1) {
      for (const [size, of] of samples) of.push(await time(size))
    }
    for (const [x, of] of samples) {
      this.bench.findings.add({ group: 'history', name, unit: 'µs', samples: of, x, note })
    }
  }

  private anyId(size: number): string {
    const ids = this.ids.get(size) ?? []
    return ids[randomInt(ids.length)] ?? ''
  }
}

/** Batches of commands for a sample. */
function batchesOf({ parameters }: Bench): number {
  return Math.ceil(parameters.historyOperations / COMMANDS_AT_ONCE)
}

/** Commands of all fillings, and of every sample of creations and deposits. */
function commandsOf(bench: Bench): number {
  const { historySizes, rounds } = bench.parameters
  const timed = (rounds + 1) * (2 * historySizes.length + 1) * batchesOf(bench) * COMMANDS_AT_ONCE
  return 2 * historySizes.reduce((a, b) => a + b) + timed
}

function nameOf(size: number): string {
  return `history-${size}`
}

/** Returns µs per operation. */
async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return ((performance.now() - startedAt) * 1000) / count
}
