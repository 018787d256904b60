import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { DepositReport } from '../../src/domain/deposit.js'
import type { DepositCommand, WalletCommand, WalletResult } from '../../src/store/commands.js'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.js'
import type { Store } from '../../src/store/store.js'
import { addressOf, depositFact, walletAssigned, walletCreated } from './fixtures.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from './postgres-harness.js'
import type { PostgresServer } from './postgres-server.js'

/*
 * Two processes on one database, and an operator whose locks hold their transactions at a moment.
 */

const LOOK_AGAIN_MS = 5
/** Deposits are that far behind all creations, whatever the time of the database is. */
const LATER_MS = 60_000
/** Looks at who waits, until one of them counts as missing. */
const LOOKS_MAX = 2000

export interface TwoProcesses {
  readonly one: Store
  readonly other: Store
  readonly operator: pg.Client
}

/** Runs a test in a database of its own, in which alice owns some wallets. Behind it a check finds nothing. */
export async function withTwoProcesses(
  server: PostgresServer | null,
  walletIds: readonly string[],
  run: (processes: TwoProcesses) => Promise<void>,
): Promise<void> {
  if (server === null) throw new Error('a skipped test asks for its server')
  const url = await createDatabase(server)
  const [one, other] = await Promise.all([
    openPostgresStore(postgresStoreOptions(url)),
    openPostgresStore(postgresStoreOptions(url)),
  ])
  const operator = new pg.Client({ connectionString: url })
  await operator.connect()
  try {
    for (const id of walletIds) {
      for (const fact of [walletCreated(id), walletAssigned(id, 'alice')]) {
        await one.ledger.applyFacts([{ eventId: null, fact }])
      }
    }
    await run({ one, other, operator })
  } finally {
    await operator.end()
    for (const store of [one, other]) await store.close()
  }
  await assertSoundDatabase(url)
}

/** Performs commands in one call. Throws what one of them threw. */
export async function performAll(store: Store, commands: readonly WalletCommand[]): Promise<readonly WalletResult[]> {
  const fates = await store.commands.perform(commands)
  return fates.map((fate) => {
    if (fate.status !== 'fulfilled') throw fate.reason
    return fate.value
  })
}

export async function perform(store: Store, command: WalletCommand): Promise<WalletResult> {
  const [result] = await performAll(store, [command])
  return result ?? assert.fail('a command was not answered')
}

/** A report of a deposit to a wallet. Without a currency it is the coin of the network. */
export function reported(
  report: DepositReport,
  txHash: string,
  walletId: string,
  amount: string,
  currency = '#native',
): DepositCommand {
  const seen = { txHash, toAddress: addressOf(walletId), amount, currency, receivedAt: Date.now() + LATER_MS }
  return { type: 'deposit', eventId: null, fact: depositFact(report, seen) }
}

/** Until so many connections wait for a lock. */
export async function waiting(operator: pg.Client, count: number): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const { rows } = await operator.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (Number(rows[0]?.count) >= count) return
    await setTimeout(LOOK_AGAIN_MS)
  }
  assert.fail(`${count} connections do not wait`)
}
