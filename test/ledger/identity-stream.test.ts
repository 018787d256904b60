import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSameSet } from '../../src/domain/key-history.js'
import { agreedStream, type IdentityStream } from '../../src/ledger/identity-stream.js'

/** What nodes tell: the authority, then the transactions, of which `B` is one that A has signed and that names B. */
function stream(text: string): IdentityStream {
  const [authority = '', txs] = text.split(' ')
  return { authorities: [authority], onboarding: 'A', txs: txs === undefined ? null : [...txs] }
}

/** Transactions lead from A to B by one called B or Z, and from B to C by one called C. Nobody signs an X or can read a `?`. */
async function isTailExplained(before: readonly string[], from: number, { txs, authorities }: IdentityStream) {
  if (txs?.includes('?')) return null
  let keys = before
  for (const tx of txs?.slice(from) ?? []) {
    if (tx === 'B' && isSameSet(keys, ['A'])) keys = ['B']
    if (tx === 'Z' && isSameSet(keys, ['A'])) keys = ['Z']
    if (tx === 'C' && isSameSet(keys, ['B'])) keys = ['C']
  }
  return isSameSet(keys, authorities)
}

describe('what several nodes tell of an identity', () => {
  const table: readonly (readonly [what: string, streams: readonly string[], agreed: string | null])[] = [
    ['nothing', [], null],
    ['by one node', ['X o'], 'X o'],
    ['the same: the longest history, since one lags behind', ['A oa', 'A oab', 'A o'], 'A oab'],
    ['a replacement that one does not have yet', ['A oa', 'B oaB'], 'B oaB'],
    ['a replacement that most do not have yet: the old key may be stolen', ['A oa', 'A o', 'B oaB'], 'B oaB'],
    ['two replacements, and each node has another part of them', ['C oBC', 'A o', 'B oB'], 'C oBC'],
    ['a replacement that nobody has signed, by one of three', ['A oa', 'A oa', 'X oaX'], 'A oa'],
    [
      'a replacement that nobody has signed, by two of three: the ledger is like that',
      ['A oa', 'X oaX', 'X oaX'],
      'X oaX',
    ],
    ['a key that is made up without a transaction', ['A oa', 'X oa'], 'A oa'],
    ['a key that is made up, in another history', ['X ox', 'A oa'], 'A oa'],
    ['a shorter history of a node that makes up a key', ['X o', 'B oB', 'B oB'], 'B oB'],
    ['no transactions, and other keys: most of them', ['A', 'B', 'B'], 'B'],
    ['no transactions, and no majority', ['A', 'B'], null],
    ['a longer history that cannot be read: the other may lag behind', ['A o', 'B o?B'], null],
    ['a longer history that cannot be read, and a majority', ['A o', 'A o', 'B o?B'], 'A o'],
    ['nothing that is signed, and no majority', ['X oX', 'Y oY'], null],
    ['another history that a stolen key has signed, against two nodes', ['Z oZaa', 'B oB', 'B oB'], 'B oB'],
    ['another history that a stolen key has signed, while a node lags behind', ['Z oZaa', 'B oB', 'A o'], null],
    ['a shorter one of that kind', ['Z oZ', 'B oBa', 'A o'], null],
    ['the old key in another history, while a node lags behind', ['A oaa', 'B oaB', 'A oa'], null],
    ['a made-up key in the history of a node that lags behind', ['X o', 'B oB', 'A o'], 'B oB'],
    ['a node that lags behind, against one that cannot be read', ['A o', 'A oa', 'B oa?B', 'B oa?B'], null],
  ]
  for (const [what, streams, agreed] of table) {
    test(what, async () => {
      for (const some of [streams, streams.toReversed()]) {
        const found = await agreedStream(some.map(stream), isTailExplained)
        assert.deepEqual(found, agreed === null ? null : stream(agreed))
      }
    })
  }
})
