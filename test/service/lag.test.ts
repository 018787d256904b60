import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FollowerRecord } from '../../src/ledger/follower-state.js'
import { emptyRecord, stateOf, type WatcherState } from '../../src/networks/watcher-state.js'
import { Lag, type Watched } from '../../src/service/lag.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'

const LIMIT_MS = 60_000
const NONE_ASIDE = { missing: 0, failed: 0, undecided: 0, unasked: 0 }
/** The network makes a block every three minutes, perhaps. */
const QUIET = { network: 'QUIET', ms: 180_000 }
const AT_BLOCK_7 = { tip: { height: 7, hash: 'b7', parentHash: 'b6', timeMs: START_MS }, confirmed: 5, oldest: 1 }

function textsOf(lag: Lag): readonly string[] {
  return lag.complaints().map(({ text }) => text)
}

function lagOf(
  watched: Pick<Watched, 'watchers' | 'follower'>,
  depositsAside: ReadonlyMap<string, number> = new Map(),
): Lag {
  return new Lag({ ...watched, depositsAside: () => depositsAside }, LIMIT_MS, (network) =>
    network === QUIET.network ? QUIET.ms : 0,
  )
}

function watcher(state: Partial<WatcherState>) {
  const clock = new ManualClock()
  const fresh = { ...stateOf(emptyRecord('SEP', clock.now()), clock), position: AT_BLOCK_7 }
  return { state: () => ({ ...fresh, ...state }), endpoints: () => [] }
}

describe('lag', () => {
  const cases: readonly (readonly [string, Partial<WatcherState>, string | null])[] = [
    ['was read just now', { lagMs: 0 }, null],
    ['was read just in time', { lagMs: LIMIT_MS }, null],
    ['is behind', { lagMs: LIMIT_MS + 1000 }, 'SEP was last read 61 s behind.'],
    ['is quiet', { network: QUIET.network, lagMs: QUIET.ms }, null],
    ['is quiet for too long', { network: QUIET.network, lagMs: QUIET.ms + 1000 }, 'QUIET was last read 181 s behind.'],
    ['was not asked yet', { position: null }, 'SEP has not been read yet.'],
    [
      'cannot be read',
      { position: null, refusal: { question: 'eth_chainId', answer: 'HTTP status 404', isEarlier: false } },
      'SEP has not been read yet (eth_chainId: HTTP status 404).',
    ],
    [
      'waits for its first block',
      { position: null, head: { latest: 3, confirmed: -1, ageMs: 0 } },
      'SEP has not been read yet: the block with which to begin is not confirmed yet.',
    ],
    [
      'stands',
      {
        lagMs: 90_000,
        standing: { block: 8, ms: 75_000 },
        refusal: {
          question: 'eth_getBlockReceipts',
          answer: 'error -32000: https://node.example/v2/0123456789abcdef01 is away',
          isEarlier: false,
        },
      },
      'SEP has not got past block 8 for 75 s (eth_getBlockReceipts: error -32000: … is away).',
    ],
    [
      'repeats what it was asked',
      {
        standing: { block: 8, ms: 75_000 },
        refusal: { question: '/wallet/x', answer: '/wallet/x: no', isEarlier: true },
      },
      'SEP has not got past block 8 for 75 s (/wallet/x: no).',
    ],
    ['stands without a word', { standing: { block: 8, ms: 75_000 } }, 'SEP has not got past block 8 for 75 s.'],
    ['failed for less than a minute', { unreadMs: 59_999, failures: 3 }, null],
    [
      'fails for a minute',
      { unreadMs: 60_000, refusal: { question: 'eth_chainId', answer: 'ECONNREFUSED', isEarlier: true } },
      'SEP could not be read for 60 s (eth_chainId: ECONNREFUSED).',
    ],
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
    [
      'cannot be watched, in the words of its node',
      {
        lagMs: 0,
        problem: { reason: 'pruned', message: 'https://node.example: set vm.supportConstant = true' },
        refusal: { question: null, answer: 'https://node.example: set vm.supportConstant = true', isEarlier: false },
      },
      'SEP cannot be watched: its nodes have dropped blocks that are needed (… set vm.supportConstant = true); see the log.',
    ],
    [
      'cannot be watched, of whose node nobody needs to know',
      {
        lagMs: 0,
        problem: { reason: 'wrong_node', message: 'its first block is 1' },
        refusal: { question: null, answer: 'its first block is 1', isEarlier: false },
      },
      'SEP cannot be watched: no node of it is left, only those of other networks or tokens; see the log.',
    ],
    [
      'waits for a block',
      {
        lagMs: 0,
        problem: { reason: 'unreadable', message: 'https://node.example: malformed', block: 8 },
        refusal: { question: 'eth_getBlockReceipts', answer: 'https://node.example: malformed', isEarlier: true },
      },
      'SEP waits for block 8, which no node can give (eth_getBlockReceipts: … malformed); see the log.',
    ],
    [
      'stands before a block that no node can give',
      {
        standing: { block: 8, ms: 75_000 },
        problem: { reason: 'unreadable', message: 'https://node.example: malformed', block: 8 },
        refusal: { question: 'eth_getBlockReceipts', answer: 'malformed', isEarlier: true },
      },
      'SEP has not got past block 8 for 75 s (eth_getBlockReceipts: malformed).',
    ],
    [
      'goes on without a block',
      { lagMs: 0, blocksSetAside: 1 },
      'SEP goes on without 1 block that no node can give in full: deposits in it may be missing; see the log.',
    ],
    [
      'goes on without blocks',
      { lagMs: 0, blocksSetAside: 2 },
      'SEP goes on without 2 blocks that no node can give in full: deposits in them may be missing; see the log.',
    ],
  ]
  for (const [what, state, complaint] of cases) {
    test(`of a network that ${what} ${complaint === null ? 'is no complaint' : 'is one'}`, () => {
      const lag = lagOf({ watchers: [watcher(state)], follower: null })
      assert.deepEqual(textsOf(lag), complaint === null ? [] : [complaint])
    })
  }

  test('names a problem of one of the nodes, without the node, and only once where all of them have it', () => {
    const problem = { reason: 'stalled', message: 'https://node.example: old' } as const
    const one = { ...watcher({ lagMs: 0 }), endpoints: () => [{ problem: null }, { problem }] }
    const all = { ...watcher({ lagMs: 0, problem }), endpoints: () => [{ problem }, { problem }] }
    const of = (only: typeof one) => textsOf(lagOf({ watchers: [only], follower: null }))
    assert.deepEqual(of(one), ['A node of SEP has had no new block for long; see the log.'])
    assert.deepEqual(of(all), ['SEP has had no new block for long; see the log.'])
  })

  test('of everything is complained about at once, in the order of the networks', () => {
    const clock = new ManualClock()
    const follower = new FollowerRecord(clock)
    const ofLedger = {
      state: () => follower.state({ setAside: NONE_ASIDE, stores: 2, readApis: 2, comparedAtMs: null }),
    }
    const watchers = [watcher({ lagMs: 90_000 }), watcher({ network: 'TRX-NILE', position: null })]
    const lag = lagOf({ watchers, follower: ofLedger })
    const ofNetworks = ['SEP was last read 90 s behind.', 'TRX-NILE has not been read yet.']
    assert.deepEqual(textsOf(lag), [...ofNetworks, 'The ledger has not been read yet.'])
    clock.advance(300)
    assert.equal(ofLedger.state().lagMs, 300, 'it counts while nothing was read, too')
    follower.caughtUp(clock.now())
    assert.deepEqual(textsOf(lag), ofNetworks)
    clock.advance(2 * LIMIT_MS)
    assert.deepEqual(textsOf(lag), [...ofNetworks, 'The ledger was last read 120 s behind.'])
    follower.caughtUp(clock.now())
    follower.recorded.silentStores = 1
    assert.deepEqual(textsOf(lag), [...ofNetworks, '1 of 2 stores of the ledger does not answer.'])
    assert.deepEqual(lag.notes(), [])
  })

  test('of a network that goes on without a block has a reason of its own beside that of the network', () => {
    const lag = lagOf({ watchers: [watcher({ lagMs: 90_000, blocksSetAside: 1 })], follower: null })
    assert.deepEqual(
      lag.complaints().map(({ reason }) => reason),
      ['network_behind', 'blocks_set_aside'],
    )
  })

  test('complains about deposits that are set aside, also where no network is watched', () => {
    const lag = lagOf(
      { watchers: [], follower: null },
      new Map([
        ['SEP', 1],
        ['TRX-NILE', 2],
      ]),
    )
    assert.deepEqual(lag.complaints(), [
      {
        reason: 'deposits_set_aside',
        text: 'Recording 1 deposit of SEP failed: set aside, and tried again; see the log.',
      },
      {
        reason: 'deposits_set_aside',
        text: 'Recording 2 deposits of TRX-NILE failed: set aside, and tried again; see the log.',
      },
    ])
  })

  test('notes what a single store cannot tell', () => {
    const record = new FollowerRecord(new ManualClock())
    const follower = { state: () => record.state({ setAside: NONE_ASIDE, stores: 1, readApis: 1, comparedAtMs: null }) }
    assert.match(lagOf({ watchers: [], follower }).notes().join(), /at one store/)
    assert.deepEqual(lagOf({ watchers: [], follower: null }).notes(), [])
  })
})
