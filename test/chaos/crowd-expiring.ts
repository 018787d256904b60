import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from '../cli/child.js'
import type { CrowdOption } from './crowd-client.js'
import { ask } from './http-client.js'

/*
 * Invoices and orders that expire together. A request cannot ask for a life of less than a minute, so they are imported as what was
 * created a while ago: then nobody waits for that minute.
 */

const MAIN = new URL('../../src/main.js', import.meta.url)
const LIFE_MS = 60_000
const EVENTS_PER_PAGE = 1000
const ASK_AGAIN_MS = 100
const PATIENCE_MS = 60_000
const TIME_DIGITS = 12
const NUMBER_DIGITS = 20

/** What expires together, and what its owner is told of it. */
export interface Expiry {
  readonly what: string
  readonly owner: string
  /** The records, which expire at a moment, Unix ms. */
  readonly recordsAt: (at: number) => readonly object[]
  readonly told: { readonly type: string; readonly count: number }
}

/** Records of one owner that all expire at `at`, Unix ms. */
export class Expiring {
  private made = 0

  constructor(
    private readonly owner: string,
    private readonly at: number,
  ) {}

  invoices(count: number, walletIds: readonly string[]): readonly object[] {
    return Array.from({ length: count }, () => this.invoice({ walletIds, currency: 'USDT' }, null))
  }

  /** Each order stands behind its invoices. */
  orders(count: number, options: readonly CrowdOption[]): readonly object[] {
    return Array.from({ length: count }).flatMap(() => {
      const id = this.id()
      const invoices = options.map((option, i) => this.invoice(option, `${id}/${i + 1}`))
      const { owner, createdAt, at } = this
      const order = {
        ...{ id, owner, price: { amount: '100.00', currency: 'EUR' }, name: 'An order', reference: null },
        ...{ created_at: createdAt, expires_at: at, voided_at: null, accepted_at: null },
        options: invoices.map((invoice) => ({ invoice: { id: invoice.id }, decimals: 2, isVoidedByOrder: false })),
      }
      return [...invoices, order]
    })
  }

  private get createdAt(): number {
    return this.at - LIFE_MS
  }

  private invoice({ walletIds, currency }: CrowdOption, reference: string | null) {
    const id = this.id()
    const { owner, createdAt, at } = this
    return {
      ...{ id, owner, wallet_id: walletIds[0], wallet_ids: walletIds.join(','), name: 'An order', description: null },
      // No amount is asked twice.
      ...{ reference, amount: `${1000 + this.made}.5`, currency, callback_url: null },
      ...{ created_at: createdAt, expires_at: at, voided_at: null, accepted_at: null },
    }
  }

  /** Begins with the time, as the ids of the service do. */
  private id(): string {
    this.made += 1
    const time = this.createdAt.toString(16).padStart(TIME_DIGITS, '0')
    return `${time}${this.made.toString(16).padStart(NUMBER_DIGITS, '0')}`
  }
}

/** Imports records into a running service, by its data directory. All must be new to it. */
export async function importAll(directory: string, records: readonly object[]): Promise<void> {
  const file = join(directory, 'to-import')
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const { code, stdout, stderr } = await startChild(MAIN, ['import', file, '--json', '--data', directory]).ended
  assert.equal(code, 0, stderr)
  assert.equal(JSON.parse(stdout).added, records.length, stdout)
}

/** Resolves when an owner has been told of so many events of a type. */
export async function untilTold(url: string, owner: string, { type, count }: Expiry['told']): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  let after = ''
  for (let told = 0; told < count; ) {
    assert.ok(performance.now() < end, `${told} of ${count} events ${type}`)
    const answer = await ask('GET', `${url}/api/users/${owner}/events?limit=${EVENTS_PER_PAGE}${after}`)
    assert.equal(answer?.status, 200)
    const events = answer.json as readonly { readonly id: string; readonly type: string }[]
    told += events.filter((event) => event.type === type).length
    const last = events.at(-1)
    if (last === undefined) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    else after = `&after=${last.id}`
  }
}
