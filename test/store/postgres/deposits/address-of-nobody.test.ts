import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { DepositCommand } from '../../../../src/store/commands.js'
import type { LedgerEvent } from '../../../../src/store/ledger.js'
import { addressOf, unwrap } from '../../../support/fixtures.js'
import { perform, reported, type TwoProcesses, waiting, withTwoProcesses } from '../../../support/postgres-processes.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

/*
 * An address to which something was paid becomes a wallet of alice in one process, while another records a deposit to it. The operator
 * keeps the first of both before its commit.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const deposit = (): DepositCommand => reported('confirmed', 'beside', 'later', '1')
const becomesWallet: LedgerEvent = {
  eventId: null,
  fact: { type: 'wallet.assigned', id: 'later', address: addressOf('later'), network: 'SEP', owner: 'alice' },
}

/** Answers for what both wait, and what alice hears. */
async function played(
  { one, operator }: TwoProcesses,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<{ readonly waits: readonly string[]; readonly heard: readonly string[] }> {
  await perform(one, reported('confirmed', 'before', 'later', '1'))
  await operator.query('BEGIN')
  await operator.query('LOCK TABLE committed IN SHARE MODE')
  const before = first()
  await waiting(operator, 1)
  const behind = second()
  await waiting(operator, 2)
  const { rows } = await operator.query<{ wait_event: string }>(
    `SELECT wait_event FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY 1`,
  )
  await operator.query('COMMIT')
  await Promise.all([before, behind])
  const { items } = unwrap(await one.events.page('alice', { after: null, limit: 10 }))
  return { waits: rows.map((row) => row.wait_event), heard: items.map(({ type }) => type) }
}

/** One waits for the table of the operator, one for the transaction of the other. */
const IN_TURN = ['relation', 'transactionid']

test('a deposit to an address that becomes a wallet waits for that, and its owner hears of it', async () => {
  await withTwoProcesses(server, [], async (processes) => {
    const { waits, heard } = await played(
      processes,
      () => processes.one.ledger.applyFacts([becomesWallet]),
      () => perform(processes.other, deposit()),
    )
    assert.deepEqual(waits, IN_TURN)
    assert.deepEqual(heard, ['deposit.pending', 'deposit.confirmed'])
  })
})

test('an address becomes a wallet behind a deposit that is being recorded, of which its owner does not hear', async () => {
  await withTwoProcesses(server, [], async (processes) => {
    const { waits, heard } = await played(
      processes,
      () => perform(processes.other, deposit()),
      () => processes.one.ledger.applyFacts([becomesWallet]),
    )
    assert.deepEqual(waits, IN_TURN)
    assert.deepEqual(heard, [])
  })
})
