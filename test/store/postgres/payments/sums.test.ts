import assert from 'node:assert/strict'
import { after, test as always, before } from 'node:test'
import fc from 'fast-check'
import type { Database } from '../../../../src/store/postgres/connection/database.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import type { Work } from '../../../../src/store/postgres/connection/work.js'
import { type Account, addToSums, confirmedAfter, RECEIVED } from '../../../../src/store/postgres/payments/sums.js'
import { answeredLater } from '../../../../src/store/rules/asking.js'
import { lastToReceive } from '../../../../src/store/rules/last-to-receive.js'
import { openDatabase } from '../../../support/postgres-database.js'
import { createDatabase } from '../../../support/postgres-harness.js'
import type { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'
import { receivedSince } from '../../../support/received-since.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

let database: Database
if (server !== null) {
  before(async () => {
    database = await openDatabase(await createDatabase(present()))
    await database.write(async (work) => {
      work.write(sql`
      INSERT INTO wallets (id, address_id, leased_until) VALUES ('wallet-1', 1, 0), ('wallet-2', 2, 0), ('without', NULL, 0)`)
    })
  })
  after(() => database.close())
}

const TIME_MAX = 2 ** 48 - 1
const CURRENCIES = ['native', 'USDT'] as const

/** Ends a unit of work of which nothing is kept. */
const UNDONE = new Error('undone')

async function undone(unit: (work: Work) => Promise<void>): Promise<void> {
  const undoing = database.write(async (work) => {
    await unit(work)
    throw UNDONE
  })
  await assert.rejects(undoing, UNDONE)
}

interface Counted {
  readonly account: Account
  readonly kind: 'pending' | 'confirmed'
  readonly receivedAt: number
  readonly amount: bigint
}

const NOTHING = { seen: 0n, confirmed: 0n, unmatchedSeen: 0n, unmatchedConfirmed: 0n }

function add(work: Work, { account, kind, receivedAt, amount }: Counted, sign: 1n | -1n = 1n): void {
  const seen = sign * amount
  addToSums(work, { ...account, receivedAt, ...NOTHING, seen, confirmed: kind === 'confirmed' ? seen : 0n })
}

/** The moments around which spans of 256ⁿ ms begin, and any others. */
const border = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 255 }), fc.integer({ min: -1, max: 1 }))
  .map(([n, spans, offset]) => 256 ** n * spans + offset)
const moment = fc.oneof(
  border,
  fc.integer({ min: 1, max: 12 }),
  fc.constantFrom(1, TIME_MAX - 1, TIME_MAX),
  fc.integer({ min: 1, max: TIME_MAX }),
)
const account = fc.record({ addressId: fc.constantFrom(1, 2), currency: fc.constantFrom(...CURRENCIES) })
const deposit: fc.Arbitrary<Counted> = fc.record({
  account,
  kind: fc.constantFrom('pending', 'confirmed'),
  receivedAt: moment,
  amount: fc.bigInt({ min: 1n, max: 2n ** 256n }),
})
/** A deposit, and whether and where it is taken out again. */
const step = fc.record({ deposit, isKept: fc.boolean(), pick: fc.nat() })

/** The moments that are worth a look: around each deposit and the ends of time. */
function momentsAround(deposits: readonly Counted[], others: readonly number[]): readonly number[] {
  const around = deposits.flatMap(({ receivedAt }) => [receivedAt - 1, receivedAt, receivedAt + 1])
  const all = new Set([0, TIME_MAX - 1, TIME_MAX, ...around, ...others])
  return [...all].filter((time) => time >= 0 && time <= TIME_MAX)
}

/** What invoices on some wallets received, of each creation time. */
async function receivedOn(work: Work, walletIds: readonly string[], currency: string, moments: readonly number[]) {
  return work.rows<{ at: number; confirmed: bigint; pending: bigint }>(sql`
    SELECT i.created_at AS at, received.confirmed, received.pending FROM (
      SELECT m.created_at, ${walletIds}::text[] AS wallet_ids, ${currency}::text AS currency
      FROM unnest(${moments}::bigint[]) AS m (created_at)
    ) AS i ${RECEIVED} ORDER BY i.created_at`)
}

/** Compares what is summed up with the definition. */
async function assertSums(work: Work, deposits: readonly Counted[], moments: readonly number[]): Promise<void> {
  for (const currency of CURRENCIES) {
    const ofCurrency = deposits.filter((one) => one.account.currency === currency)
    for (const addressId of [1, 2]) {
      const own = ofCurrency.filter((one) => one.account.addressId === addressId)
      const sums = await Promise.all(moments.map((time) => confirmedAfter(work, { addressId, currency }, time)))
      assert.deepEqual(
        sums,
        moments.map((time) => receivedSince(time, own).confirmed),
      )
    }
    const sorted = [...moments].sort((one, other) => one - other)
    for (const [walletIds, addressIds] of [
      [
        ['wallet-1', 'wallet-2', 'without', 'unknown'],
        [1, 2],
      ],
      [['wallet-2'], [2]],
    ] as const) {
      const paying = ofCurrency.filter((one) => (addressIds as readonly number[]).includes(one.account.addressId))
      assert.deepEqual(
        await receivedOn(work, walletIds, currency, sorted),
        sorted.map((at) => ({ at, ...receivedSince(at, paying) })),
      )
    }
  }
}

test('sums are those of the deposits, whatever came out of order or left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30, size: 'max' }),
      fc.array(moment, { maxLength: 10 }),
      async (steps, others) => {
        await undone(async (work) => {
          const deposits: Counted[] = []
          for (const { deposit: added, isKept, pick } of steps) {
            add(work, added)
            deposits.push(added)
            const [gone] = isKept ? [] : deposits.splice(pick % deposits.length, 1)
            if (gone !== undefined) add(work, gone, -1n)
          }
          await assertSums(work, deposits, momentsAround(deposits, others))
        })
      },
    ),
    { numRuns: 30 },
  )
})

test('sums are right at every border of a span of each size, up to the last moment', async () => {
  await undone(async (work) => {
    const ours = { addressId: 1, currency: 'USDT' } as const
    const borders = [12, 18, 24, 30].flatMap((shift) => [1, 2, 31, 32, 63].map((spans) => 2 ** shift * spans))
    const times = [
      1,
      4094,
      ...borders.flatMap((at) => [at - 1, at, at + 1]),
      TIME_MAX - 2 ** 30,
      TIME_MAX - 1,
      TIME_MAX,
    ]
    // Powers of two: each sum says which deposits are in it.
    const deposits = times.map((receivedAt, i): Counted => {
      return { account: ours, kind: i % 3 === 0 ? 'pending' : 'confirmed', receivedAt, amount: 2n ** BigInt(i) }
    })
    for (const one of deposits) add(work, one)
    await assertSums(work, deposits, momentsAround(deposits, []))
  })
})

test('what was confirmed is no longer pending, and the sums say so', async () => {
  await undone(async (work) => {
    const ours = { addressId: 1, currency: 'USDT' } as const
    const pending: Counted = { account: ours, kind: 'pending', receivedAt: 500, amount: 7n }
    add(work, pending)
    addToSums(work, { ...ours, receivedAt: 500, ...NOTHING, confirmed: 7n })
    await assertSums(work, [{ ...pending, kind: 'confirmed' }], [499, 500])
  })
})

test('a span has one row, however many deposits are in it', async () => {
  await undone(async (work) => {
    const ours = { addressId: 1, currency: 'USDT' } as const
    for (let i = 0; i < 1000; i += 1)
      add(work, { account: ours, kind: 'confirmed', receivedAt: 65_536 + i, amount: 1n })
    assert.equal(await confirmedAfter(work, ours, 10), 1000n)
    const [spans] = await work.rows<{ count: number }>(
      sql`SELECT count(*) AS count FROM received_spans WHERE address_id = 1 AND shift = 12`,
    )
    assert.equal(spans?.count, 1)
  })
})

test('deposits are added up before they are counted only where an account has several of them', async () => {
  const fresh = await openDatabase(await createDatabase(present()))
  try {
    const counted = await fresh.write(async (work) => {
      const addUp = async (addressIds: readonly number[]) => {
        for (const addressId of addressIds) {
          add(work, { account: { addressId, currency: 'USDT' }, kind: 'confirmed', receivedAt: 500, amount: 1n })
        }
        // What the session has prepared says how it was asked to.
        const addingUp = '%INTO received_spans%sum(seen)%'
        const statements = await work.rows(sql`SELECT 1 FROM pg_prepared_statements WHERE statement LIKE ${addingUp}`)
        return statements.length
      }
      return [await addUp([1, 2, 3]), await addUp([1, 2, 1])]
    })
    assert.deepEqual(counted, [0, 1])
  } finally {
    await fresh.close()
  }
})

/** The latest time before `beforeMs`, from 0 on, after which enough came in: each deposit counts until it was received. */
function naiveLast(deposits: readonly Counted[], atoms: bigint, beforeMs: number): number | null {
  const moments = [beforeMs - 1, ...deposits.map(({ receivedAt }) => receivedAt - 1)]
  const enough = moments.filter(
    (time) => time >= 0 && time < beforeMs && receivedSince(time, deposits).confirmed >= atoms,
  )
  return enough.length === 0 ? null : Math.max(...enough)
}

test('the last moment after which enough came in is that of a naive search', async () => {
  const ours = { addressId: 2, currency: 'native' } as const
  const near = fc.integer({ min: 1, max: 12 })
  const small = fc.record({
    account: fc.constant(ours),
    kind: fc.constantFrom('confirmed' as const, 'confirmed' as const, 'pending' as const),
    receivedAt: fc.oneof(near, moment),
    amount: fc.bigInt({ min: 1n, max: 5n }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(small, { maxLength: 12 }),
      fc.bigInt({ min: 1n, max: 25n }),
      fc.array(fc.oneof(near, moment), { minLength: 1, maxLength: 3 }),
      async (deposits, atoms, times) => {
        await undone(async (work) => {
          for (const one of deposits) add(work, one)
          for (const beforeMs of [...times, ...deposits.slice(0, 2).map(({ receivedAt }) => receivedAt)]) {
            assert.equal(
              await answeredLater(lastToReceive((timeMs) => confirmedAfter(work, ours, timeMs), atoms, beforeMs)),
              naiveLast(deposits, atoms, beforeMs),
              `before ${beforeMs}`,
            )
          }
        })
      },
    ),
    { numRuns: 50 },
  )
})
