import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FollowerRecord, type FollowerState } from '../../src/ledger/follower-state.js'
import { ledgerComplaints, ledgerNotes } from '../../src/service/ledger-health.js'
import { ManualClock } from '../support/manual-clock.js'

const NONE_ASIDE = { missing: 0, failed: 0, undecided: 0, unasked: 0 }

function stateOf(changes: Partial<FollowerState>): FollowerState {
  const fine = new FollowerRecord(new ManualClock()).state({
    setAside: NONE_ASIDE,
    stores: 3,
    readApis: 3,
    comparedAtMs: null,
  })
  return { ...fine, ...changes }
}

const setAside = (counts: Partial<FollowerState['setAside']>) => ({ setAside: { ...NONE_ASIDE, ...counts } })
const UNKNOWN = 'what they say is not known here; see the log.'

const rows: readonly (readonly [string, Partial<FollowerState>, readonly string[]])[] = [
  ['nothing', {}, []],
  ['a store that is away', { silentStores: 1 }, ['ledger_store_silent: 1 of 3 stores of the ledger does not answer.']],
  [
    'all stores and polls that fail therefore',
    { silentStores: 3, failuresInARow: 5 },
    ['ledger_store_silent: 3 of 3 stores of the ledger do not answer.'],
  ],
  [
    'a read API that is away',
    { silentReadApis: 1 },
    ['ledger_read_api_silent: 1 of 3 read APIs of the ledger does not answer.'],
  ],
  [
    'all read APIs and polls that fail therefore',
    { silentReadApis: 3, failuresInARow: 5 },
    ['ledger_read_api_silent: 3 of 3 read APIs of the ledger do not answer.'],
  ],
  ['a poll that failed', { failuresInARow: 1 }, []],
  [
    'two polls that failed',
    { failuresInARow: 2 },
    ['ledger_failing: The last 2 polls of the ledger failed; see the log.'],
  ],
  ['a few transactions that nobody has', setAside({ missing: 10 }), []],
  [
    'many transactions that nobody has',
    setAside({ missing: 11 }),
    [`ledger_set_aside: 11 transactions of the ledger are set aside (no read API has 11): ${UNKNOWN}`],
  ],
  ['a few whose signers cannot be decided', setAside({ undecided: 4, missing: 6 }), []],
  [
    'many whose signers cannot be decided, or that nobody has',
    setAside({ undecided: 10, missing: 1 }),
    [
      `ledger_set_aside: 11 transactions of the ledger are set aside (no read API has 1, the signers of 10 cannot be decided): ${UNKNOWN}`,
    ],
  ],
  [
    'one that read APIs fail to tell',
    setAside({ failed: 1 }),
    [`ledger_set_aside: 1 transaction of the ledger is set aside (read APIs fail to answer for 1): ${UNKNOWN}`],
  ],
]

describe('the health of following a ledger', () => {
  for (const [what, changes, expected] of rows) {
    test(`is complained about for ${what}: ${expected.length}`, () => {
      const complaints = ledgerComplaints(stateOf(changes))
      assert.deepEqual(
        complaints.map(({ reason, text }) => `${reason}: ${text}`),
        expected,
      )
    })
  }

  test('has notes on a single store and on few transactions that nobody has', () => {
    assert.deepEqual(ledgerNotes(stateOf({})), [])
    assert.deepEqual(ledgerNotes(stateOf({ stores: 1, ...setAside({ missing: 3, unasked: 1 }) })), [
      'The ledger is followed at one store: what its node misses is not seen.',
      '4 transactions of the ledger are set aside (no read API has 3, 1 were not asked for since the start).',
    ])
    assert.deepEqual(ledgerNotes(stateOf({ withdrawn: 2 })), [
      'The ledger has given 2 wallets of the pool away since the start: withdrawn, and not handed out.',
    ])
    assert.deepEqual(ledgerNotes(stateOf(setAside({ missing: 11 }))), [])
    assert.deepEqual(ledgerNotes(stateOf(setAside({ missing: 1, failed: 1 }))), [])
  })
})
