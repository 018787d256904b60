import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ask } from '../chaos/http-client.js'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'
import type { Fault } from '../support/faulty-proxy.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { CONFIRMATIONS, OWNER, paymentOf, unreadable, WatchedChain } from './watched-chain.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
const LOST = 25n
const LATER = 3n
/** Far longer than anything here takes. */
const WAIT_MS = 90_000
const LOOK_PAUSE_MS = 50

const server = await postgresForTests({ isDurable: true })

/** Ends of a service that may come at any moment. */
const SIGNALS = ['SIGTERM', 'SIGKILL'] as const
const STORES: Readonly<Record<string, { readonly skip: string | false; address(): Promise<string> }>> = {
  'a data directory': { skip: false, address: async () => 'lmdb' },
  PostgreSQL: {
    skip: server === null ? 'there is no PostgreSQL' : false,
    address: () => createDatabase(server ?? assert.fail()),
  },
}

async function sentences({ url }: ServiceProcess): Promise<readonly string[]> {
  const answer = (await ask('GET', `${url}/readyz`)) ?? assert.fail('the service does not say how it is')
  return answer.json.degraded ?? []
}

/** A service that is ended again and again, and started anew with what it has stored. */
class Restarted {
  service: ServiceProcess
  private isOver = false

  private constructor(
    first: ServiceProcess,
    private readonly data: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {
    this.service = first
  }

  static async start(t: TestContext, environment: Readonly<Record<string, string>>): Promise<Restarted> {
    const place = temporaryDirectory()
    const restarted = new Restarted(await ServiceProcess.start(place.path, environment), place.path, environment)
    t.after(async () => {
      restarted.isOver = true
      await restarted.service.end('SIGKILL')
      place.remove()
    })
    return restarted
  }

  /** Lets the world change in between. */
  async end(signal: NodeJS.Signals, change: () => void = () => {}): Promise<void> {
    await this.service.end(signal)
    change()
    const service = await ServiceProcess.start(this.data, this.environment)
    // The test may be over, and failed.
    if (this.isOver) await service.end('SIGKILL')
    this.service = service
  }

  /** Looks until it is so. */
  async until(what: string, isSo: () => Promise<boolean>, seen: () => string = () => ''): Promise<void> {
    const end = performance.now() + WAIT_MS
    while (!(await isSo())) {
      if (performance.now() > end) {
        assert.fail(`${what} has not come; it says ${await sentences(this.service)} ${seen()}`)
      }
      await setTimeout(LOOK_PAUSE_MS)
    }
  }

  says(part: string): Promise<void> {
    return this.until(part, async () => (await sentences(this.service)).some((sentence) => sentence.includes(part)))
  }

  saysNoMore(part: string): Promise<void> {
    return this.until(
      `an end of "${part}"`,
      async () => !(await sentences(this.service)).some((sentence) => sentence.includes(part)),
    )
  }

  async receives(invoiceId: string, sum: bigint): Promise<void> {
    let received: string | undefined
    const isReceived = async () => {
      received = await this.received(invoiceId)
      return received === String(sum)
    }
    await this.until(`a sum of ${sum}`, isReceived, () => `received: ${received}`)
  }

  async received(invoiceId: string): Promise<string | undefined> {
    return (await paymentOf(this.service.url, invoiceId))['received']
  }

  /** Each status of each deposit that a webhook is owed for. */
  async owed(): Promise<readonly { readonly name: string; readonly state: string; readonly failure: string }[]> {
    const answer = await ask('GET', `${this.service.url}/api/users/${OWNER}/webhook/deliveries`)
    const list: readonly Readonly<Record<'status' | 'txHash' | 'state' | 'failure', string>>[] = answer?.json
    return list.map(({ status, txHash, state, failure }) => ({ name: `${status} ${txHash}`, state, failure }))
  }

  /** What a check of the data says when the service has stopped. */
  async check(): Promise<string> {
    await this.service.end('SIGTERM')
    const { BILLHOOK_STORE = '' } = this.environment
    return (await startChild(MAIN, ['check', '--data', this.data], { BILLHOOK_STORE }).ended).stdout
  }
}

// They wait most of the time.
describe('a block that is set aside', { skip: anvilAbsence, timeout: 300_000, concurrency: true }, () => {
  for (const [name, { skip, address }] of Object.entries(STORES)) {
    for (const signal of SIGNALS) {
      test(`is read, once, on ${name}, although ${signal} ends the service while it waits, goes on, and reads the block`, {
        skip,
      }, async (t) => {
        const world = await WatchedChain.start(t)
        const environment = world.environment({ BILLHOOK_SKIP_AFTER: '1', BILLHOOK_STORE: await address() })
        const one = await Restarted.start(t, environment)
        const invoiceId = await world.openInvoice(one.service.url, '1000')
        await one.saysNoMore('not been read')

        // Before the block is there, so that nobody reads it in time.
        const height = (await world.chain.height()) + 1
        world.proxy.fault = { answer: (response) => !!response.destroy() }
        const lostTx = await world.pay(LOST)
        await world.chain.mine()
        const hash = String((await world.chain.block(height))?.hash)
        world.proxy.fault = unreadable(height, hash)
        await one.says(`waits for block ${height}`)
        await one.end(signal)
        await one.says(`waits for block ${height}`)

        const laterTx = await world.pay(LATER)
        await world.chain.mine(CONFIRMATIONS + 1)
        await one.says('goes on without 1 block')
        await one.receives(invoiceId, LATER)

        let isAsked = false
        await one.end(signal, () => {
          world.proxy.fault = keptWaiting(height, hash, () => {
            isAsked = true
          })
        })
        await one.says('goes on without 1 block')
        assert.equal(await one.received(invoiceId), String(LATER))
        await one.until('a request for the block', async () => isAsked)
        await one.end(signal, () => {
          world.proxy.fault = {}
        })

        await one.receives(invoiceId, LOST + LATER)
        await one.saysNoMore('goes on without')
        await one.until('an end of all webhooks', async () =>
          (await one.owed()).every(({ state }) => state === 'delivered' || state === 'failed'),
        )
        const owed = await one.owed()
        assert.deepEqual(owed.map((each) => each.name).sort(), [lostTx, laterTx].flatMap(statuses).sort())
        const told = world.told()
        assert.equal(new Set(told).size, told.length, 'nothing arrived twice')
        for (const each of owed) assert.ok(told.includes(each.name) || each.failure === 'interrupted', each.name)
        assert.match(await one.check(), /nothing is wrong/)
      })
    }
  }
})

/** Who asks for the block waits for ever. */
function keptWaiting(height: number, hash: string, onAsked: () => void): Fault {
  const number = `"0x${height.toString(16)}"`
  return {
    answer: (_response, _text, calls) => {
      const asked = JSON.stringify(calls)
      if (!asked.includes(number) && !asked.includes(hash)) return false
      onAsked()
      return true
    },
  }
}

function statuses(txHash: string): readonly string[] {
  return [`pending ${txHash}`, `confirmed ${txHash}`]
}
