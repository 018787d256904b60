import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { ask, hashOf, pushEvents } from './http-client.js'
import { quantile } from './load-client.js'
import { addressOf, type LoadedService, signerOf, startLoaded, walletOf } from './loaded-service.js'
import type { ScenarioOptions } from './overload.js'

const OWNERS = 64
const RECEIVERS_EACH = 16
/** Between two webhooks of the owner whose time is taken. */
const PAUSE_MS = 10
/** Between two looks of a hostile owner for what can be sent again. */
const LOOK_MS = 250
const WEBHOOKS_WITHOUT = 200
const DELAY_MAX_MS = 100

/**
 * From the push of a deposit until its webhook has arrived, beside 64 owners whose 16 receivers each accept and never
 * answer, and who have everything sent again as often as they are let.
 */
export async function hangingReceivers({ seconds, verdicts, say }: ScenarioOptions): Promise<void> {
  say(`${OWNERS} owners with ${RECEIVERS_EACH} hanging receivers each: time from deposit to webhook of another owner`)
  const hostile = Array.from({ length: OWNERS }, (_, n) => signerOf(`hostile ${n}`))
  const service = await startLoaded([signerOf('prompt'), ...hostile], 1, {})
  const good = await openReceiver()
  const hanging = await Promise.all(Array.from({ length: RECEIVERS_EACH }, () => openReceiver(() => {})))
  await create(service.url, 'prompt', 1, good.url)

  const time = async (name: string, isOver: (count: number) => boolean): Promise<number> => {
    const times: number[] = []
    while (!isOver(times.length)) {
      const wanted = good.requests.length + 1
      const startedAt = performance.now()
      await deposit(service.url, 'prompt', [[`${name} ${times.length}`, 1]])
      await good.received(wanted)
      times.push(performance.now() - startedAt)
      await sleep(PAUSE_MS)
    }
    times.sort((a, b) => a - b)
    const [median, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
    say(`  ${name}: ${times.length} webhooks, median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    return p99
  }

  const without = await time('without them', (count) => count >= WEBHOOKS_WITHOUT)
  await attack(service, hanging)
  const attackers = new AbortController()
  const redelivering = hostile.map(({ owner }) => sendAgain(service.url, owner, attackers.signal))
  const endsAt = Date.now() + seconds * 1000
  const delayMs = (await time('with them', () => Date.now() >= endsAt)) - without
  const promise = `hanging receivers delay nobody else by ${DELAY_MAX_MS} ms at p99 (${delayMs.toFixed(1)} ms)`
  verdicts.judge(promise, delayMs < DELAY_MAX_MS)
  attackers.abort()
  const accepted = (await Promise.all(redelivering)).reduce((sum, one) => sum + one, 0)
  say(
    `  redeliveries that were accepted: ${accepted}; connections to each hanging receiver: ${hanging.map(({ peak }) => peak)}`,
  )
  for (const receiver of [good, ...hanging]) await receiver.close()
  await service.stop()
}

/** One invoice for each receiver of each hostile owner, and a deposit for each. */
async function attack({ url }: LoadedService, hanging: readonly Receiver[]): Promise<void> {
  for (let n = 0; n < OWNERS; n += 1) {
    const owner = `hostile ${n}`
    await Promise.all(hanging.map((receiver, i) => create(url, owner, i + 2, receiver.url)))
    await deposit(
      url,
      owner,
      hanging.map((_, i) => [`${owner} ${i}`, i + 2]),
    )
  }
}

/**
 * Asks for a redelivery of everything that has failed, until it is stopped; answers how many were accepted. The owners are one client
 * to the service, which refuses some of their lists.
 */
async function sendAgain(url: string, owner: string, stopped: AbortSignal): Promise<number> {
  const list = `${url}/api/users/${encodeURIComponent(owner)}/webhook/deliveries`
  let accepted = 0
  while (!stopped.aborted) {
    const answer = await ask('GET', list)
    const deliveries: { readonly id: string; readonly state: string }[] = answer?.status === 200 ? answer.json : []
    for (const { id, state } of deliveries) {
      if (state !== 'failed' || stopped.aborted) continue
      if ((await ask('POST', `${list}/${id}/redeliver`))?.status === 200) accepted += 1
    }
    await sleep(LOOK_MS)
  }
  return accepted
}

async function create(url: string, owner: string, amount: number, callbackUrl: string): Promise<void> {
  const body = {
    owner,
    walletIds: [walletOf(owner, 0)],
    name: 'Order',
    amount: String(amount),
    currency: 'USDT',
    reference: `${owner} ${amount}`,
    callbackUrl,
  }
  assert.equal((await ask('POST', `${url}/api/invoices`, JSON.stringify(body)))?.status, 201)
}

async function deposit(
  url: string,
  owner: string,
  named: readonly (readonly [name: string, amount: number])[],
): Promise<void> {
  const events = named.map(([name, amount]) => ({
    id: name,
    type: 'deposit.pending',
    deposit: {
      network: 'SEP',
      txHash: hashOf(name),
      toAddress: addressOf(walletOf(owner, 0)),
      currency: 'Tether',
      amount: String(amount * 1_000_000),
      receivedAt: Date.now() + 1_000,
    },
  }))
  assert.equal((await pushEvents(url, events))?.status, 200)
}
