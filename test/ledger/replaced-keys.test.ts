import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SPANS_MAX } from '../../src/domain/key-history.js'
import { WALKED_OF_ONE_MAX } from '../../src/ledger/past-authorities.js'
import { ASK_AGAIN_MAX_MS } from '../../src/ledger/transaction-intake.js'
import {
  assignTx,
  FOLLOWED,
  FollowerFixture,
  followOnce,
  idOf,
  keyOf,
  onboardTx,
  POLL_MS,
  replaceTx,
  ScriptedLedger,
  ScriptedService,
  signatureOf,
} from './follower-fixture.js'

const T = 1_700_000_000_000
const KNOWING = {
  ...FOLLOWED,
  contracts: [...FOLLOWED.contracts, { role: 'replace', namespace: 'shop', contract: 'c3' } as const],
}

/** The wallets that alice has got, in order of their names. */
function wallets(service: ScriptedService): readonly string[] {
  return [...service.owners()]
    .filter(([, owner]) => owner === 'alice')
    .map(([wallet]) => wallet)
    .sort()
}

function world() {
  return { ledger: new ScriptedLedger(), service: new ScriptedService() }
}

/** A thief's assignment for alice: nodes commit it, because they do not verify an object in `$sigs`. */
function stolenTx(wallet: string, signer: string) {
  const { $tx } = assignTx(wallet, 'alice')
  return { $tx, $sigs: { [idOf('alice')]: { any: signatureOf(signer, $tx) } } }
}

describe('a follower of an identity whose key is replaced', () => {
  test('believes each key for the time that it was an authority, also when it slept through two replacements', async () => {
    const { ledger, service } = world()
    ledger.commit(T + 1, assignTx('w1', 'alice', 'alice'))
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, assignTx('w2', 'alice', 'second'))
    ledger.replace(T + 4, 'alice', ['third'], 'second')
    ledger.commit(T + 5, assignTx('w3', 'alice', 'third'))
    const { follower } = await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1', 'w2', 'w3'])
    assert.equal(follower.state().malformed, 0)
  })

  test('believes no key after it was replaced, whatever a node commits', async () => {
    const { ledger, service } = world()
    ledger.commit(T + 1, assignTx('w1', 'alice'))
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, stolenTx('w2', 'alice'))
    ledger.commit(T + 4, assignTx('w3', 'alice', 'second'))
    // The clock of the entry node of a thief may be as slow as the thief likes.
    ledger.commit(T, stolenTx('w4', 'alice'))
    const fixture = await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1', 'w3'])
    assert.equal(fixture.follower.state().malformed, 2)
    assert.equal(service.memory?.setAside.length, 0)
  })

  test('believes the new key at once, and the old one no more, while it follows', async () => {
    const { ledger, service } = world()
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.commit(T + 1, assignTx('w1', 'alice'))
    await fixture.pass(POLL_MS)
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, stolenTx('w2', 'alice'))
    ledger.commit(T + 4, assignTx('w3', 'alice', 'second'))
    await fixture.pass(POLL_MS)
    assert.deepEqual(wallets(service), ['w1', 'w3'])
    await fixture.follower.stop()
  })

  test('does not believe a stranger who names a key of his own in a transaction of the identity', async () => {
    const { ledger, service } = world()
    const { $tx } = assignTx('w1', 'alice')
    const named = { ...$tx, $i: { owner: { ...$tx.$i.owner, newKey: keyOf('mallory') } } }
    for (const tx of [named, replaceTx('alice', ['mallory']).$tx]) {
      for (const $sigs of [{ [idOf('alice')]: {} }, { [idOf('alice')]: { any: signatureOf('mallory', tx) } }]) {
        ledger.commit(T + 1, { $tx: tx, $sigs })
      }
    }
    ledger.commit(T + 2, stolenTx('w2', 'mallory'))
    ledger.commit(T + 3, assignTx('w3', 'alice'))
    await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w3'])
  })

  test('sets aside what is signed by a key that may have been replaced, says why, and asks again', async () => {
    const { ledger, service } = world()
    ledger.commit(T + 1, assignTx('w1', 'alice'))
    // Nothing that the keys have signed leads to the present ones.
    ledger.replace(T + 2, 'alice', ['third'], 'nobody')
    ledger.commit(T + 3, stolenTx('w2', 'alice'))
    ledger.replace(T + 4, 'alice', ['third'], 'nobody')
    ledger.commit(T + 5, assignTx('w3', 'alice', 'third'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.deepEqual(wallets(service), ['w1', 'w3'])
    assert.equal(service.memory?.setAside.length, 1)
    for (let tries = 0; tries < 4; tries += 1) await fixture.pass(ASK_AGAIN_MAX_MS)
    const [why] = fixture.complaints.filter(({ msg }) => msg === 'a transaction of the ledger cannot be decided')
    assert.match(String(why?.['why']), /replaced/)
    assert.equal(service.memory?.setAside.length, 1)
    assert.ok((service.memory?.setAside[0]?.attempts ?? 0) > 2)
    await fixture.follower.stop()
  })

  test('waits for a node that lags behind, and decides then', async () => {
    const { ledger, service } = world()
    ledger.toldMax = 1
    ledger.commit(T + 1, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.deepEqual(wallets(service), [])
    assert.equal(service.memory?.setAside.length, 1)
    ledger.toldMax = 10
    await fixture.pass(POLL_MS)
    assert.deepEqual(wallets(service), ['w1'])
    assert.equal(service.memory?.setAside.length, 0)
    await fixture.follower.stop()
  })

  test('believes nothing of a node that lags behind: the key may have been replaced meanwhile', async () => {
    const { ledger, service } = world()
    ledger.identity('alice').txs[0] = ledger.unlisted(onboardTx('alice'))
    ledger.toldMax = 1
    ledger.commit(T + 1, replaceTx('alice', ['second']))
    ledger.commit(T + 2, stolenTx('w1', 'alice'))
    await followOnce(ledger, service)
    assert.deepEqual(wallets(service), [])
    assert.equal(service.memory?.setAside.length, 1)
  })

  test('is not confused by strangers who name many keys', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 4; i += 1) {
      const names = Array.from({ length: 16 }, (_, n) => `stranger ${i} ${n}`)
      ledger.commit(T + 1, { ...replaceTx('alice', names), $sigs: { [idOf('alice')]: {} } })
    }
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, assignTx('w1', 'alice', 'second'))
    ledger.replace(T + 4, 'alice', ['third'], 'second')
    await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1'])
  })

  test('keeps what it saw: a node that tells an older history later decides nothing', async () => {
    const { ledger, service } = world()
    ledger.replace(T + 1, 'alice', ['second'])
    ledger.commit(T + 2, assignTx('w1', 'alice', 'second'))
    await followOnce(ledger, service)
    assert.equal(service.keyHistories.size, 1)
    // As before the replacement, but with a later transaction of the old key.
    const alice = ledger.identity('alice')
    alice.authorities = ['alice']
    alice.txs.splice(1)
    ledger.commit(T + 3, stolenTx('w2', 'alice'))
    const { follower } = await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1'])
    assert.equal(service.memory?.setAside.length, 1)
    assert.equal(follower.state().malformed, 0)
  })

  test('keeps on disk only what the ledger does not tell at any time', async () => {
    const { ledger, service } = world()
    for (const wallet of ['w1', 'w2', 'w3']) ledger.commit(T, assignTx(wallet, 'alice'))
    await followOnce(ledger, service)
    assert.equal(service.keyHistories.size, 0)
  })

  test('decides by what was seen, where no transaction shows a replacement', async () => {
    const { ledger, service } = world()
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.replace(T + 1, 'alice', ['second'], 'nobody')
    ledger.commit(T + 2, assignTx('w1', 'alice', 'second'))
    await fixture.pass(POLL_MS)
    assert.deepEqual(wallets(service), ['w1'])
    await fixture.follower.stop()
    ledger.replace(T + 3, 'alice', ['third'], 'nobody')
    ledger.commit(T + 4, stolenTx('w2', 'alice'))
    ledger.commit(T + 5, assignTx('w3', 'alice', 'third'))
    const { follower } = await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1', 'w3'])
    // It was replaced before, which was seen.
    assert.deepEqual([follower.state().malformed, service.memory?.setAside.length], [1, 0])
  })

  test('needs no order where nothing was replaced, and decides nothing without one otherwise', async () => {
    const { ledger, service } = world()
    ledger.toldMax = null
    ledger.commit(T + 1, assignTx('w1', 'alice'))
    await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1'])
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, stolenTx('w2', 'alice'))
    ledger.commit(T + 4, stolenTx('w3', 'mallory'))
    ledger.commit(T + 5, assignTx('w4', 'alice', 'second'))
    const { follower } = await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w1', 'w4'])
    assert.deepEqual([follower.state().malformed, service.memory?.setAside.length], [1, 1])
  })

  test('reads a long history in pieces, and keeps no other identity waiting', async () => {
    const { ledger, service } = world()
    const count = WALKED_OF_ONE_MAX * 3
    const first = ledger.commit(T, assignTx('w0', 'alice'))
    for (let i = 1; i < count; i += 1) ledger.identity('alice').txs.push(ledger.unlisted({ $tx: {}, $sigs: {} }))
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, assignTx('w1', 'alice', 'second'))
    ledger.commit(T + 4, assignTx('w2', 'bob'))
    ledger.commit(T + 5, stolenTx('w3', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    // w0 is at the first place, which is known. The others are at the end.
    ledger.commit(T + 6, replaceTx('alice', ['third'], 'second'))
    ledger.identity('alice').authorities = ['third']
    await fixture.start()
    assert.equal(service.owners().get('w2'), 'bob')
    const walked = () => ledger.lookedUp.length
    assert.ok(walked() <= WALKED_OF_ONE_MAX * 2 + 20, `${walked()} were looked up at once`)
    for (let polls = 0; polls < 8; polls += 1) await fixture.pass(POLL_MS)
    assert.deepEqual(wallets(service), ['w0', 'w1'])
    assert.ok(first !== '' && fixture.follower.state().malformed === 1)
    assert.equal(service.memory?.setAside.length, 0)
    assert.ok(walked() < count * 2, `${walked()} were looked up in all`)
    await fixture.follower.stop()
  })

  test('decides what lies before the keys that are kept, and holds up nobody', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w0', 'alice'))
    const late = ledger.unlisted(assignTx('late', 'alice'))
    const fixture = new FollowerFixture(ledger, service, { followed: KNOWING })
    await fixture.start()
    let signer = 'alice'
    for (let i = 1; i < SPANS_MAX + 10; i += 1) {
      ledger.replace(T + i, 'alice', [`key ${i}`], signer)
      signer = `key ${i}`
      ledger.commit(T + i, assignTx(`w${i}`, 'alice', signer))
      await fixture.pass(POLL_MS)
    }
    ledger.list(T + 1000, late)
    ledger.commit(T + 1001, assignTx('w', 'bob'))
    await fixture.pass(POLL_MS)
    assert.equal(fixture.follower.state().failure, null)
    assert.equal(service.owners().get('w'), 'bob')
    assert.equal(service.owners().get('late'), 'alice')
    assert.equal(service.keyHistories.get(idOf('alice'))?.spans.length, SPANS_MAX)
    await fixture.follower.stop()
  })

  test('goes on reading a history although its end was decided meanwhile', async () => {
    const { ledger, service } = world()
    ledger.unlisted(assignTx('w', 'alice'))
    ledger.commit(T, assignTx('first', 'alice'))
    for (let i = 0; i < 2 * WALKED_OF_ONE_MAX - 5; i += 1) {
      // Nobody knows what this contract does.
      ledger.unlisted({ ...replaceTx('alice', []), $sigs: {} })
    }
    for (let i = 0; i < 12; i += 1) ledger.unlisted(assignTx(`w${i}`, 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    for (const umid of ledger.identity('alice').txs.slice(-12)) ledger.list(T + 1, umid)
    for (let steps = 0; steps < 5; steps += 1) await fixture.pass(ASK_AGAIN_MAX_MS)
    assert.equal(fixture.follower.state().failure, null)
    assert.ok(service.owners().has('first'))
    await fixture.follower.stop()
  })

  test('rejects nothing that one of more keys than are tried may have signed', async () => {
    const { ledger, service } = world()
    const many = (from: number) => Array.from({ length: 16 }, (_, i) => `planted ${from + i}`)
    // A thief has the first key, and names keys of his own until the owner replaces it.
    for (const from of [0, 16, 32, 48]) ledger.commit(T + 1, replaceTx('alice', many(from)))
    ledger.replace(T + 2, 'alice', ['second'])
    ledger.commit(T + 3, assignTx('w1', 'alice', 'second'))
    ledger.replace(T + 4, 'alice', ['third'], 'second')
    ledger.commit(T + 5, assignTx('w2', 'alice', 'third'))
    const { follower } = await followOnce(ledger, service)
    assert.equal(follower.state().malformed, 0)
    assert.deepEqual(wallets(service).at(-1), 'w2')
  })

  test('takes an entry point of a followed contract for one that may replace keys', async () => {
    const { ledger, service } = world()
    ledger.commit(T + 1, assignTx('w0', 'alice'))
    ledger.commit(T + 2, assignTx('w1', 'alice'))
    const { $tx } = replaceTx('alice', ['second'])
    const entered = { ...$tx, $contract: 'c2', $entry: 'replace' }
    ledger.commit(T + 3, { $tx: entered, $sigs: { [idOf('alice')]: signatureOf('alice', entered) } })
    ledger.identity('alice').authorities = ['second']
    await followOnce(ledger, service)
    assert.deepEqual(wallets(service), ['w0', 'w1'])
  })

  for (const [untold, isBehindAnother] of [
    ['hidden', false],
    ['hidden', true],
    ['broken', false],
    ['broken', true],
  ] as const) {
    const where = isBehindAnother ? ', behind a replacement' : ''
    test(`sets aside what a ${untold} transaction of its owner may decide${where}, and holds up nobody`, async () => {
      const { ledger, service } = world()
      ledger.commit(T + 1, assignTx('w0', 'alice'))
      ledger.commit(T + 2, assignTx('w1', 'alice'))
      if (isBehindAnother) ledger.commit(T + 2, replaceTx('alice', ['between']))
      const unread = ledger.unlisted(replaceTx('alice', ['second'], isBehindAnother ? 'between' : 'alice'))
      ledger.identity('alice').authorities = ['second']
      ledger[untold].add(unread)
      const fixture = new FollowerFixture(ledger, service)
      await fixture.start()
      assert.deepEqual(wallets(service), ['w0'])
      assert.equal(fixture.follower.state().failure, null)
      assert.equal(service.memory?.setAside.length, 1)
      ledger[untold].delete(unread)
      await fixture.pass(POLL_MS)
      assert.deepEqual(wallets(service), ['w0', 'w1'])
      assert.equal(service.memory?.setAside.length, 0)
      await fixture.follower.stop()
    })
  }

  test('knows from the settings which contract replaces keys, if they say so', async () => {
    const contracts = [...FOLLOWED.contracts, { role: 'replace', namespace: 'shop', contract: 'c3' } as const]
    const followed = { ...FOLLOWED, contracts }
    const { ledger, service } = world()
    ledger.replace(T + 1, 'alice', ['second'])
    ledger.commit(T + 2, assignTx('w1', 'alice', 'second'))
    ledger.commit(T + 3, stolenTx('w2', 'alice'))
    ledger.replace(T + 4, 'alice', ['alice'], 'second')
    ledger.commit(T + 5, assignTx('w3', 'alice'))
    const { follower, complaints } = await followOnce(ledger, service, { followed })
    assert.deepEqual(wallets(service), ['w1', 'w3'])
    assert.equal(follower.state().malformed, 1)
    assert.deepEqual(
      complaints.map(({ msg }) => msg),
      ['a transaction of the ledger was skipped'],
    )
    // Without, the key may also have been there all the time.
    const other = new ScriptedService()
    await followOnce(ledger, other)
    assert.deepEqual([wallets(other), other.memory?.setAside.length], [['w3'], 2])
  })
})
