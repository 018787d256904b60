import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { CommandPort, WalletCommand } from '../../../../src/store/commands.js'
import { PostgresCommands } from '../../../../src/store/postgres/commands/command-port.js'
import { crowdedPlaces, readRivals } from '../../../../src/store/postgres/commands/rivals.js'
import type { Database } from '../../../../src/store/postgres/connection/database.js'
import type { Effect } from '../../../../src/store/postgres/connection/effects.js'
import { compile, type Fragment } from '../../../../src/store/postgres/connection/sql.js'
import type { Work } from '../../../../src/store/postgres/connection/work.js'
import type { Fence } from '../../../../src/store/postgres/fence.js'
import type { NewInvoice } from '../../../../src/store/postgres/invoices/invoice-rows.js'
import { enterOpen } from '../../../../src/store/postgres/invoices/places.js'
import type { DepositJudge } from '../../../../src/store/rules/judge-report.js'
import { type Deferred, deferred } from '../../../support/deferred.js'
import { invoiceRequest } from '../../../support/fixtures.js'
import { TEST_NETWORKS } from '../../../support/networks.js'
import { orderCommand } from '../../../support/orders.js'

/*
 * Creations of orders on hundreds of wallets each, and what they leave to others. The database is the test's.
 */

const TERMS = { areWalletsShared: true, areCoinsMixed: true, networks: TEST_NETWORKS }
const WIDEST = 500
/** Wallets of an option. */
const EACH = 50

/** Begins as many units of work as it is asked for, and ends them when the test says so. */
class Asked {
  /** The creations of each transaction that has begun. */
  readonly begun: number[] = []
  readonly reads: Fragment[] = []
  readonly commands: CommandPort
  private readonly ends: Deferred<readonly unknown[]>[] = []
  private readonly answers: Deferred<readonly unknown[]>[] = []

  constructor() {
    const write = (_: unknown, creations: number) => {
      this.begun.push(creations)
      return this.next(this.ends)
    }
    const read = (fragment: Fragment) => {
      this.reads.push(fragment)
      return this.next(this.answers)
    }
    const database = { write, read } as unknown as Database
    this.commands = new PostgresCommands(database, {} as DepositJudge, TERMS, {} as Fence)
  }

  /** Ends a transaction. */
  async end(no: number): Promise<void> {
    this.ends[no]?.resolve(Array.from({ length: this.begun[no] ?? 0 }, () => no))
    await turn()
  }

  async answer(no: number, rows: readonly unknown[] = []): Promise<void> {
    this.answers[no]?.resolve(rows)
    await turn()
  }

  private next(all: Deferred<readonly unknown[]>[]): Promise<readonly unknown[]> {
    const one = deferred<readonly unknown[]>()
    all.push(one)
    return one.promise
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Looks for a transaction behind a rest. */
const LOOKS_MAX = 2000

/** Resolves when a transaction has begun. */
async function untilBegun({ begun }: Asked, count: number): Promise<void> {
  for (let looks = 0; begun.length < count; looks += 1) {
    assert.ok(looks < LOOKS_MAX, `of ${count} transactions ${begun.length} have begun`)
    await pause(1)
  }
}

/** An order on so many wallets, in options of `EACH`. */
function orderOn(wallets: number, owner = 'alice') {
  const ids = Array.from({ length: wallets }, (_, n) => `${owner}-${n}`)
  const options = Array.from({ length: Math.ceil(wallets / EACH) }, (_, n) => ({
    walletIds: ids.slice(n * EACH, (n + 1) * EACH),
    currency: 'USDT',
    amount: '5',
  }))
  return orderCommand({ owner, options })
}

const invoice = (): WalletCommand => ({ type: 'invoice', request: invoiceRequest() })

describe('orders on more wallets than an invoice may name', () => {
  test('have one transaction at a time, whoever asks, and others go on beside it', async () => {
    const asked = new Asked()
    const wide = ['alice', 'bob', 'carol'].map((owner) => asked.commands.perform([orderOn(WIDEST, owner)]))
    await turn()
    assert.deepEqual(asked.begun, [1])
    const others = Array.from({ length: 5 }, () => asked.commands.perform([invoice()]))
    await turn()
    assert.deepEqual(asked.begun, [1, 5])
    await asked.end(1)
    for (const fates of await Promise.all(others)) assert.deepEqual(fates, [{ status: 'fulfilled', value: 1 }])
    await asked.end(0)
    await untilBegun(asked, 3)
    assert.deepEqual(asked.begun, [1, 5, 1])
    await asked.end(2)
    await untilBegun(asked, 4)
    await asked.end(3)
    assert.deepEqual(
      (await Promise.all(wide)).map(([fate]) => fate),
      [0, 2, 3].map((value) => ({ status: 'fulfilled', value })),
    )
  })

  test('share it as long as they touch no more than one may, and not with what is ordinary', async () => {
    const asked = new Asked()
    const commands = [
      orderOn(60),
      orderOn(60),
      orderOn(60),
      orderOn(60),
      orderOn(60),
      invoice(),
      orderOn(50),
      orderOn(51),
    ]
    const fates = asked.commands.perform(commands)
    for (const no of [0, 1, 2, 3]) {
      await untilBegun(asked, no + 1)
      await asked.end(no)
    }
    assert.equal((await fates).length, commands.length)
    assert.deepEqual(asked.begun, [4, 1, 2, 1])
  })

  test('have their wallets looked at one after the other, beside those of others', async () => {
    const asked = new Asked()
    const looked = ['alice', 'bob'].map((owner) => asked.commands.answerOrderWithoutTurn(orderOn(WIDEST, owner)))
    const others = ['w1', 'w2', 'w3'].map((id) => {
      const request = invoiceRequest({ walletIds: [id, 'a,b'] })
      return asked.commands.answerWithoutTurn({ type: 'invoice', request })
    })
    await turn()
    // Of each claim that a statement looks at, how many wallets.
    assert.deepEqual(asked.reads.map(walletsAsked), [[WIDEST], [1, 1, 1]])
    await asked.answer(1, [{ no: 1, wallet_id: 'w2' }])
    // The second one is another's, and no wallet has a comma.
    assert.deepEqual(
      (await Promise.all(others)).map((result) => result !== null && detailsOf(result)),
      ['a,b', 'w2', 'a,b'],
    )
    await asked.answer(0)
    assert.equal(await looked[0], null)
    await asked.answer(2, [{ no: 0, wallet_id: 'bob-7' }])
    const refused = await looked[1]
    assert.equal(refused === null || refused === undefined ? null : detailsOf(refused), 'bob-7')
  })
})

function walletsAsked(read: Fragment): readonly number[] {
  const { values } = compile(read)
  return (values[2] as readonly string[]).map((text) => text.split(',').length)
}

/** The wallet of a refusal. */
function detailsOf({ outcome }: { readonly outcome: unknown }): unknown {
  const { failure } = outcome as { readonly failure: { readonly details: { readonly wallet: string } } }
  return failure.details.wallet
}

describe('what a statement about invoices on many wallets is given', () => {
  const requests = [
    invoiceRequest({ walletIds: ['a', 'b', 'c'], amount: '1' }),
    invoiceRequest({ walletIds: ['c', 'a', 'b'], amount: '2' }),
  ]

  /** How many elements each of its arrays has. */
  const lengthsOf = (fragment: Fragment) =>
    new Set(compile(fragment).values.flatMap((value) => (Array.isArray(value) ? [value.length] : [])))

  test('is an element for an invoice, whatever the wallets', async () => {
    const sent: Fragment[] = []
    const work = {
      rows: (fragment: Fragment) => {
        sent.push(fragment)
        return Promise.resolve([])
      },
      effect: (kind: Effect<unknown>, effect: unknown) => sent.push(kind.statement([effect, effect])),
    } as unknown as Work
    await readRivals(work, requests, true)
    const [request] = requests
    enterOpen(work, [{ ...rowOf, walletIds: request?.walletIds ?? [] } as NewInvoice])
    assert.deepEqual(sent.map(lengthsOf), [new Set([2]), new Set([2])])
    // A set is one, in whatever order its wallets are named.
    await crowdedPlaces(work, requests)
    assert.deepEqual(lengthsOf(sent[2] ?? assert.fail()), new Set([1]))
  })
})

const rowOf = { id: '0'.repeat(32), atoms: 1n, invoice: { owner: 'alice', currency: 'USDT', callback_url: null } }
