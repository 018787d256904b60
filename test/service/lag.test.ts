import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FollowerRecord } from '../../src/ledger/follower-state.js'
import { emptyRecord, stateOf, type WatcherState } from '../../src/networks/watcher-state.js'
import { Lag, type Watched } from '../../src/service/lag.js'
import { ManualClock } from '../support/manual-clock.js'

const LIMIT_MS = 60_000
/** The network makes a block every three minutes, perhaps. */
const QUIET = { network: 'QUIET', ms: 180_000 }

function lagOf(watched: Watched): Lag {
  return new Lag(watched, LIMIT_MS, (network) => (network === QUIET.network ? QUIET.ms : 0))
}

function watcher(state: Partial<WatcherState>) {
  const fresh = stateOf(emptyRecord('SEP'), new ManualClock())
  return { state: () => ({ ...fresh, ...state }), endpoints: () => [] }
}

describe('lag', () => {
  const cases: readonly (readonly [string, Partial<WatcherState>, string | null])[] = [
    ['was read just now', { lagMs: 0 }, null],
    ['was read just in time', { lagMs: LIMIT_MS }, null],
    ['is behind', { lagMs: LIMIT_MS + 1000 }, 'SEP was last read 61 s behind.'],
    ['is quiet', { network: QUIET.network, lagMs: QUIET.ms }, null],
    ['is quiet for too long', { network: QUIET.network, lagMs: QUIET.ms + 1000 }, 'QUIET was last read 181 s behind.'],
    ['has not been read', {}, 'SEP has not been read yet.'],
    [
      'is limited',
      { problem: { reason: 'limited', message: 'the nodes of SEP allow 0.5 calls a second' } },
      'SEP is limited: its nodes allow fewer calls than reading takes, so payments are seen late; see the log.',
    ],
    [
      'cannot be watched',
      { lagMs: 0, problem: { reason: 'pruned', message: 'https://node.example: gone' } },
      'SEP cannot be watched: its nodes have dropped blocks that are needed; see the log.',
    ],
  ]
  for (const [what, state, complaint] of cases) {
    test(`of a network that ${what} ${complaint === null ? 'is no complaint' : 'is one'}`, () => {
      const lag = lagOf({ watchers: [watcher(state)], follower: null })
      assert.deepEqual(lag.complaints(), complaint === null ? [] : [complaint])
    })
  }

  test('names a problem of one of the nodes, without the node, and only once where all of them have it', () => {
    const problem = { reason: 'stalled', message: 'https://node.example: old' } as const
    const one = { ...watcher({ lagMs: 0 }), endpoints: () => [{ problem: null }, { problem }] }
    const all = { ...watcher({ lagMs: 0, problem }), endpoints: () => [{ problem }, { problem }] }
    const of = (only: typeof one) => lagOf({ watchers: [only], follower: null }).complaints()
    assert.deepEqual(of(one), ['A node of SEP has had no new block for long; see the log.'])
    assert.deepEqual(of(all), ['SEP has had no new block for long; see the log.'])
  })

  test('of everything is complained about at once, in the order of the networks', () => {
    const clock = new ManualClock()
    const follower = new FollowerRecord(clock)
    const ofLedger = { state: () => follower.state({ setAside: 0, stores: 2, comparedAtMs: null }) }
    const watchers = [watcher({ lagMs: 90_000 }), watcher({ network: 'TRX-NILE' })]
    const lag = lagOf({ watchers, follower: ofLedger })
    const ofNetworks = ['SEP was last read 90 s behind.', 'TRX-NILE has not been read yet.']
    assert.deepEqual(lag.complaints(), [...ofNetworks, 'The ledger has not been read yet.'])
    follower.caughtUp(clock.now())
    assert.deepEqual(lag.complaints(), ofNetworks)
    clock.advance(2 * LIMIT_MS)
    assert.deepEqual(lag.complaints(), [...ofNetworks, 'The ledger was last read 120 s behind.'])
    follower.caughtUp(clock.now())
    follower.recorded.silentStores = 1
    assert.deepEqual(lag.complaints(), [...ofNetworks, '1 of 2 stores of the ledger do not answer.'])
    assert.deepEqual(lag.notes(), [])
  })

  test('notes what a single store cannot tell', () => {
    const record = new FollowerRecord(new ManualClock())
    const follower = { state: () => record.state({ setAside: 0, stores: 1, comparedAtMs: null }) }
    assert.match(lagOf({ watchers: [], follower }).notes().join(), /at one store/)
    assert.deepEqual(lagOf({ watchers: [], follower: null }).notes(), [])
  })
})
