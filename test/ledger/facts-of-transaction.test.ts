import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { ledgerEventId, recognise } from '../../src/ledger/facts-of-transaction.js'
import { assignTx, FOLLOWED, onboardTx } from './follower-fixture.js'

const KEY = `0x02${'AB'.repeat(32)}`
const identityOf = (keyText: string) => createHash('sha256').update(keyText).update('shop.onboarding').digest('hex')

const assigned = (id: string, owner: string) => ({
  kind: 'fact',
  fact: { type: 'wallet.assigned', id, address: null, network: null, owner },
})

/** A transaction with some fields of `$tx` in place of the usual ones. */
function withTx(transaction: { readonly $tx: object }, fields: Readonly<Record<string, unknown>>) {
  return { ...transaction, $tx: { ...transaction.$tx, ...fields } }
}

describe('the facts of a committed transaction', () => {
  test('an onboarding names the identity of the key, spelled as in the transaction', () => {
    for (const key of [KEY, KEY.toLowerCase(), KEY.slice(2)]) {
      const fact = { type: 'identity.onboarded', identity: identityOf(key) }
      assert.deepEqual(recognise(onboardTx(key), FOLLOWED), { kind: 'fact', fact })
    }
  })

  test('an assignment names the wallet and its owner', () => {
    assert.deepEqual(recognise(assignTx('w1', 'alice'), FOLLOWED), assigned('w1', 'alice'))
  })

  test('what a node adds to a transaction does not matter', () => {
    const told = { $umid: 'u', $revs: {}, $sigs: { a: 'b' }, $datetime: '2026', ...assignTx('w1', 'alice') }
    assert.deepEqual(recognise(told, FOLLOWED), assigned('w1', 'alice'))
  })

  test('a label stands for the stream where $stream is left out', () => {
    const $i = { owner: { personal: true } }
    assert.deepEqual(recognise(withTx(assignTx('w1', ''), { $i }), FOLLOWED), assigned('w1', 'owner'))
  })

  test('a version of a followed contract is followed', () => {
    const versioned = withTx(assignTx('w1', 'alice'), { $contract: 'c2@3' })
    assert.deepEqual(recognise(versioned, FOLLOWED), assigned('w1', 'alice'))
  })

  const others: readonly [what: string, fields: Readonly<Record<string, unknown>>][] = [
    ['another contract', { $contract: 'c3' }],
    ['a contract whose id begins alike', { $contract: 'c22' }],
    ['another namespace', { $namespace: 'Shop' }],
    ['no namespace', { $namespace: undefined }],
    ['no contract', { $contract: undefined }],
    ['a number as contract', { $contract: 2 }],
  ]
  for (const [what, fields] of others) {
    test(`${what} is none of ours`, () => {
      assert.deepEqual(recognise(withTx(assignTx('w1', 'alice'), fields), FOLLOWED), { kind: 'other' })
    })
  }

  const onboarding = onboardTx(KEY)
  const assignment = assignTx('w1', 'alice')
  const malformed: readonly [what: string, flaw: RegExp, transaction: Readonly<Record<string, unknown>>][] = [
    ['no $tx', /no \$tx/, {}],
    ['a text as $tx', /no \$tx/, { $tx: 'x' }],
    ['no inputs', /\$i or \$o/, withTx(assignment, { $i: undefined })],
    ['a list as outputs', /\$i or \$o/, withTx(assignment, { $o: [] })],
    ['an entry point', /entry point/, withTx(assignment, { $entry: 'release' })],
    ['an onboarding that is not self-signed', /^onboarding takes/, { ...onboarding, $selfsign: false }],
    ['an onboarding without a key', /^onboarding takes/, withTx(onboarding, { $i: { otk: {} } })],
    ['an onboarding with a number as key', /^onboarding takes/, withTx(onboarding, { $i: { otk: { publicKey: 1 } } })],
    ['an onboarding under another label', /^onboarding takes/, withTx(onboarding, { $i: { key: { publicKey: KEY } } })],
    ['a self-signed assignment', /^assigning takes/, { ...assignment, $selfsign: true }],
    ['an assignment without a wallet', /^assigning takes/, withTx(assignment, { $o: {} })],
    ['an assignment of two wallets', /^assigning takes/, withTx(assignment, { $o: { wallet: {}, other: {} } })],
    ['an assignment without an owner', /^assigning takes/, withTx(assignment, { $i: { who: { personal: true } } })],
    ['an assignment to what is not personal', /personal/, withTx(assignment, { $i: { owner: { $stream: 'alice' } } })],
    ['null as owner', /personal/, withTx(assignment, { $i: { owner: null } })],
  ]
  for (const [what, flaw, transaction] of malformed) {
    test(`${what} is malformed`, () => {
      const recognition = recognise(transaction, FOLLOWED)
      assert.ok(recognition.kind === 'malformed', recognition.kind)
      assert.match(recognition.flaw, flaw)
    })
  }

  test('names of Object.prototype are labels and contracts like others', () => {
    const text = '{"$tx":{"$contract":"__proto__","$namespace":"constructor","$i":{"__proto__":{}}}}'
    assert.deepEqual(recognise(JSON.parse(text), FOLLOWED), { kind: 'other' })
  })

  test('the event is named after the transaction', () => {
    assert.equal(ledgerEventId('ab'), 'ledger:ab')
  })
})
