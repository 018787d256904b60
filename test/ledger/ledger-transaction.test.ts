import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { ledgerEventId, recognise } from '../../src/ledger/ledger-transaction.js'
import { assignTx, FOLLOWED, idOf, onboardTx } from './follower-fixture.js'

const KEY = `0x02${'AB'.repeat(32)}`
const identityOf = (keyText: string) => createHash('sha256').update(keyText).update('shop.onboarding').digest('hex')

const assigned = (id: string, owner: string) => ({
  kind: 'fact',
  fact: { type: 'wallet.assigned', id: idOf(id), address: null, network: null, owner: idOf(owner) },
  signer: idOf(owner),
  publicKey: null,
})

/** A transaction with some fields of `$tx` in place of the usual ones. */
function withTx(transaction: { readonly $tx: object }, fields: Readonly<Record<string, unknown>>) {
  return { ...transaction, $tx: { ...transaction.$tx, ...fields } }
}

describe('the facts of a committed transaction', () => {
  test('an onboarding names the identity of the key, spelled as in the transaction', () => {
    for (const publicKey of [KEY, KEY.toLowerCase(), KEY.slice(2)]) {
      const fact = { type: 'identity.onboarded', identity: identityOf(publicKey) }
      const spelled = withTx(onboardTx('alice'), { $i: { otk: { publicKey, type: 'secp256k1' } } })
      assert.deepEqual(recognise(spelled, FOLLOWED), { kind: 'fact', fact, signer: 'otk', publicKey })
    }
  })

  test('an assignment names the wallet and its owner', () => {
    assert.deepEqual(recognise(assignTx('w1', 'alice'), FOLLOWED), assigned('w1', 'alice'))
  })

  test('what a node adds to a transaction does not matter', () => {
    const told = { $umid: 'u', $revs: {}, $datetime: '2026', ...assignTx('w1', 'alice') }
    assert.deepEqual(recognise(told, FOLLOWED), assigned('w1', 'alice'))
  })

  const WALLET = idOf('w1')
  const OWNER = idOf('alice')

  for (const text of [`xx${WALLET}`, `${WALLET}:`, `${WALLET}:volatile`, `a longer prefix ${WALLET}:x:y`]) {
    test(`a wallet spelled ${text.replace(WALLET, '<id>')} is the one that a node finds`, () => {
      const spelled = withTx(assignTx('', 'alice'), { $o: { wallet: { $stream: text } } })
      assert.deepEqual(recognise(spelled, FOLLOWED), assigned('w1', 'alice'))
    })
  }

  test('an owner is the one that a node finds, too', () => {
    const $i = { owner: { $stream: `xx${OWNER}:`, personal: true } }
    assert.deepEqual(recognise(withTx(assignTx('w1', ''), { $i }), FOLLOWED), assigned('w1', 'alice'))
  })

  for (const text of [
    WALLET.slice(1),
    WALLET.toUpperCase().replace('0', 'A'),
    `${WALLET.slice(1)}g`,
    ':',
    `x:${WALLET}`,
  ]) {
    test(`${text} names no wallet`, () => {
      const recognition = recognise(withTx(assignTx('', 'alice'), { $o: { wallet: { $stream: text } } }), FOLLOWED)
      assert.deepEqual(recognition, { kind: 'malformed', flaw: 'owner and wallet must be 64 hex digits' })
    })
  }

  test('a label stands for the stream where $stream is left out, and is an id of none', () => {
    const $i = { owner: { personal: true } }
    const recognition = recognise(withTx(assignTx('w1', ''), { $i }), FOLLOWED)
    assert.deepEqual(recognition, { kind: 'malformed', flaw: 'owner and wallet must be 64 hex digits' })
  })

  for (const $selfsign of [1, 'true', {}]) {
    test(`a transaction with ${JSON.stringify($selfsign)} as $selfsign is self-signed, as it is to a node`, () => {
      assert.equal(recognise({ ...onboardTx('alice'), $selfsign }, FOLLOWED).kind, 'fact')
      assert.equal(recognise({ ...assignTx('w1', 'alice'), $selfsign }, FOLLOWED).kind, 'malformed')
    })
  }

  for (const version of ['@3', '@0.0.1', '@1.0.0-beta_2', '@latest']) {
    test(`the version ${version} of a followed contract is followed`, () => {
      const versioned = withTx(assignTx('w1', 'alice'), { $contract: `c2${version}` })
      assert.deepEqual(recognise(versioned, FOLLOWED), assigned('w1', 'alice'))
    })
  }

  const alike: readonly [contract: string, namespace: string][] = [
    ['c2@/../../evil/9be1@0.0.1', 'shop'],
    ['c2@/../c1', 'shop'],
    ['c2@..', 'shop'],
    ['c2@1..2', 'shop'],
    ['c2@', 'shop'],
    ['c2@.1', 'shop'],
    ['c2@1@2', 'shop'],
    ['c2@1\\..', 'shop'],
    ['c2@1 ', 'shop'],
    ['c2 ', 'shop'],
    ['c22', 'shop'],
    ['./c2', 'shop'],
    ['c2', './shop'],
    ['c2', 'shop/'],
    ['c2', 'evil/../shop'],
    ['../shop/c2', 'evil'],
  ]
  for (const [$contract, $namespace] of alike) {
    test(`${$namespace}/${$contract} is not followed, and is told`, () => {
      const { kind } = recognise(withTx(assignTx('w1', 'mallory'), { $contract, $namespace }), FOLLOWED)
      assert.equal(kind, 'malformed')
    })
  }

  for (const contract of ['assignowner', 'c3', `c3@/../../evil/c4`]) {
    test(`${contract} of a followed namespace is told as a neighbour`, () => {
      const recognition = recognise(withTx(assignTx('w1', 'alice'), { $contract: contract }), FOLLOWED)
      assert.ok(recognition.kind === 'neighbour' || recognition.kind === 'other', recognition.kind)
    })
  }

  const others: readonly [what: string, fields: Readonly<Record<string, unknown>>][] = [
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

  const onboarding = onboardTx('alice')
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
