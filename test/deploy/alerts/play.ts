import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Watched } from './watched.js'

export const SECOND_MS = 1000
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const ADDRESS = '0xabcd000000000000000000000000000000000001'
const TOLD_BY_TIME = 2000

/** A state in which alerts fire: it leaves behind what a collector has scraped of a real service, the last time in that state. */
type Play = (t: TestContext) => Promise<{ firing(): readonly string[] }>

/** States by name, and the alerts that fire in each. */
export type Plays = Readonly<
  Record<string, { readonly alerts: readonly string[]; readonly skip?: string | false; readonly play: Play }>
>

/** Tests that play them. */
export function playAll(title: string, plays: Plays): void {
  describe(`alerts on what a real service exposes: ${title}`, { timeout: 300_000 }, () => {
    for (const [name, { alerts, skip = false, play }] of Object.entries(plays)) {
      test(`${name}: ${alerts.join(', ')}`, { skip }, async (t) => {
        const fired = (await play(t)).firing()
        for (const alert of alerts) assert.ok(fired.includes(alert), `${alert} does not fire, but ${fired.join(', ')}`)
      })
    }
  })
}

/** Scrapes a service in a state in which nothing fires. */
export async function silentAtFirst(watched: Watched): Promise<void> {
  await watched.scrape()
  assert.deepEqual(quiet(watched), [])
  watched.pass(SECOND_MS)
}

/** What fires beside the one about this process's thread, which has just been busy with the start. */
export function quiet(watched: Pick<Watched, 'firing'>): readonly string[] {
  return watched.firing().filter((name) => name !== 'BillhookBusyThread')
}

export async function scrapeUntil(
  watched: Watched,
  name: string,
  labels: Readonly<Record<string, string>>,
  value: number,
): Promise<void> {
  const isMeant = (one: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([label, text]) => one[label] === text)
  await watched.scrapeUntil((samples) =>
    samples.some((sample) => sample.name === name && isMeant(sample.labels) && sample.value === value),
  )
}

export async function ownWallet({ fixture }: Watched): Promise<void> {
  await fixture.assign('alice', { id: 'wallet-1', address: ADDRESS, network: 'SEP' })
}

/** Answers the status. */
export async function invoice({ fixture }: Watched, n: number, callbackUrl?: string): Promise<number> {
  const body = { owner: 'alice', walletIds: ['wallet-1'], name: 'Order', amount: `${n + 1}`, currency: 'USDT' }
  const more = callbackUrl === undefined ? {} : { callbackUrl, reference: `order ${n}` }
  return (await fixture.post('/api/invoices', { ...body, ...more })).status
}

export function depositEvent(txHash: string, amount: string) {
  const receivedAt = Date.now() + TOLD_BY_TIME
  const sighting = { network: 'SEP', txHash, toAddress: ADDRESS, currency: 'Tether', amount, receivedAt }
  return { id: txHash, type: 'deposit.confirmed', deposit: sighting }
}

export function deposit({ fixture }: Watched, txHash: string, amount: string) {
  return fixture.push(depositEvent(txHash, amount))
}

export function deposits({ fixture }: Watched, from: number, count: number) {
  return fixture.push(...Array.from({ length: count }, (_, n) => depositEvent(`tx ${from + n}`, '1')))
}
