import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventOutcome, LedgerFact, PushedKeys, UnreadableFact } from '../../../src/domain/ledger-fact.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import { type EarlierAnswer, rejectionOfId, repetitionOf } from '../../../src/store/rules/answered-events.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { applyEvent, type FactWork, type KnownOfWallet } from '../../../src/store/rules/ledger-facts.js'
import { Pool, wallet } from './pool.js'

/** What a ledger has told, in memory. */
class Facts extends Pool implements FactWork<Wallet> {
  readonly answers = new Map<string, EventOutcome>()
  readonly identities = new Set<string>()
  readonly keys = new Map<string, readonly string[]>()
  about: KnownOfWallet<Wallet> = { wallet: null, ledgerAt: null, holder: null }

  earlierAnswer(eventId: string): EarlierAnswer | null {
    const first = this.answers.get(eventId)
    return rejectionOfId(eventId) ?? (first === undefined ? null : repetitionOf(first))
  }

  rememberAnswer(eventId: string, outcome: EventOutcome): void {
    this.answers.set(eventId, outcome)
  }

  markKnown(identity: string): boolean {
    const isNew = !this.identities.has(identity)
    this.identities.add(identity)
    return isNew
  }

  pushedKeys(identity: string): readonly string[] | null {
    return this.keys.get(identity) ?? null
  }

  putPushedKeys({ identity, keys }: PushedKeys): void {
    this.keys.set(identity, keys)
  }

  known(): KnownOfWallet<Wallet> {
    return this.about
  }

  putWallet({ id, owner }: Wallet, _known: Wallet | null, hasNewOwner: boolean): void {
    this.changes.push(`put ${id} of ${owner}${hasNewOwner ? ', who is new' : ''}`)
  }

  keepDate(id: string, owner: string, ledgerMs: number): void {
    this.changes.push(`date of ${id} for ${owner}: ${ledgerMs}`)
  }
}

function apply(facts: Facts, fact: LedgerFact | UnreadableFact, eventId: string | null = null): EventOutcome {
  const flawOfAddress = (_: string, address: string) => (address === 'flawed' ? 'the address is flawed' : null)
  return answeredNow(applyEvent(facts, { eventId, fact }, flawOfAddress))
}

const assigned = { type: 'wallet.assigned', id: 'w', address: 'at w', network: 'SEP', owner: 'alice' } as const
const created = { type: 'wallet.created', id: 'w', address: 'at w', network: 'SEP' } as const

describe('an event', () => {
  test('is applied once for its id, and answered as it was then', () => {
    const facts = new Facts()
    const fact = { type: 'identity.onboarded', identity: 'alice' } as const
    assert.deepEqual(apply(facts, fact, 'one'), { status: 'applied' })
    assert.deepEqual(apply(facts, { ...fact, identity: 'bob' }, 'one'), { status: 'duplicate' })
    assert.deepEqual([...facts.identities], ['alice'])
  })

  test('that cannot be read uses up its id', () => {
    const facts = new Facts()
    const rejected = { status: 'rejected', error: 'no JSON' }
    assert.deepEqual(apply(facts, { type: 'unreadable', error: 'no JSON' }, 'one'), rejected)
    assert.deepEqual(apply(facts, assigned, 'one'), rejected)
    assert.deepEqual(facts.changes, [])
  })

  for (const { of, eventId } of [
    { of: 'no characters', eventId: '' },
    { of: '513 bytes', eventId: 'x'.repeat(513) },
    { of: '257 letters of two bytes', eventId: 'ä'.repeat(257) },
  ]) {
    test(`is rejected with an id of ${of}, and nothing is remembered of it`, () => {
      const facts = new Facts()
      const error = 'an event id must have 1 to 512 bytes'
      assert.deepEqual(apply(facts, assigned, eventId), { status: 'rejected', error })
      assert.equal(facts.answers.size, 0)
      assert.deepEqual(facts.changes, [])
    })
  }

  test('without an id leaves nothing by which it would be known', () => {
    const facts = new Facts()
    apply(facts, assigned)
    assert.equal(facts.answers.size, 0)
  })
})

describe('a fact about an identity', () => {
  const keys = ['02aa', '03bb']
  const rows = [
    { of: 'that is new', known: false, before: null, fact: {}, status: 'applied', after: keys },
    { of: 'whose keys are the first', known: true, before: null, fact: {}, status: 'applied', after: keys },
    { of: 'whose keys are others', known: true, before: ['02aa'], fact: {}, status: 'applied', after: keys },
    { of: 'whose keys are the same', known: true, before: keys, fact: {}, status: 'duplicate', after: keys },
    {
      of: 'whose keys are the same, but it was not known',
      known: false,
      before: keys,
      fact: {},
      status: 'applied',
      after: keys,
    },
    {
      of: 'that keeps its keys',
      known: true,
      before: ['02aa'],
      fact: { keepsKeys: true },
      status: 'duplicate',
      after: ['02aa'],
    },
    {
      of: 'whose name is none',
      known: false,
      before: null,
      fact: { identity: ' ' },
      status: 'rejected',
      after: undefined,
    },
  ] as const
  for (const { of, known, before, fact, status, after } of rows) {
    test(`${of} is ${status}`, () => {
      const facts = new Facts()
      if (known) facts.identities.add('alice')
      if (before !== null) facts.keys.set('alice', before)
      assert.equal(apply(facts, { type: 'identity.keys', identity: 'alice', keys, ...fact }).status, status)
      assert.deepEqual(facts.keys.get('alice'), after)
    })
  }

  test('is rejected where no identity has such a name', () => {
    const facts = new Facts()
    assert.equal(apply(facts, { type: 'identity.onboarded', identity: '' }).status, 'rejected')
    assert.equal(facts.identities.size, 0)
  })
})

describe('a fact about a wallet', () => {
  const dated = { ...assigned, ledgerMs: 100 }
  const own = wallet('w', { owner: 'alice' })
  const rows = [
    { of: 'an unknown wallet', fact: created, about: {}, status: 'applied', changes: ['put w of null'] },
    {
      of: 'its first owner',
      fact: assigned,
      about: { wallet: wallet('w') },
      status: 'applied',
      changes: ['put w of alice, who is new'],
    },
    {
      of: 'another owner',
      fact: assigned,
      about: { wallet: wallet('w', { owner: 'bob' }) },
      status: 'applied',
      changes: ['put w of alice, who is new'],
    },
    {
      of: 'an address that was missing',
      fact: assigned,
      about: { wallet: wallet('w', { owner: 'alice', network: null, address: null }) },
      status: 'applied',
      changes: ['put w of alice'],
    },
    { of: 'what is known', fact: assigned, about: { wallet: own }, status: 'duplicate', changes: [] },
    { of: 'the address of another wallet', fact: created, about: { holder: 'v' }, status: 'rejected', changes: [] },
    {
      of: 'an address that is none',
      fact: { ...created, address: 'flawed' },
      about: {},
      status: 'rejected',
      changes: [],
    },
    {
      of: 'a date',
      fact: dated,
      about: {},
      status: 'applied',
      changes: ['put w of alice, who is new', 'date of w for alice: 100'],
    },
    {
      of: 'the date of what is known',
      fact: dated,
      about: { wallet: own },
      status: 'duplicate',
      changes: ['date of w for alice: 100'],
    },
    {
      of: 'an owner who came before the present one',
      fact: dated,
      about: { wallet: wallet('w', { owner: 'bob' }), ledgerAt: 101 },
      status: 'duplicate',
      changes: ['date of w for alice: 100'],
    },
    {
      of: 'an owner of the same time',
      fact: dated,
      about: { wallet: wallet('w', { owner: 'bob' }), ledgerAt: 100 },
      status: 'applied',
      changes: ['put w of alice, who is new', 'date of w for alice: 100'],
    },
    { of: 'a date, where it is rejected', fact: { ...dated, id: 'a,b' }, about: {}, status: 'rejected', changes: [] },
  ] as const
  for (const { of, fact, about, status, changes } of rows) {
    test(`that tells of ${of} is ${status}`, () => {
      const facts = new Facts()
      facts.about = { ...facts.about, ...about }
      assert.equal(apply(facts, fact).status, status)
      assert.deepEqual(facts.changes, changes)
    })
  }

  test('makes its owner known', () => {
    const facts = new Facts()
    apply(facts, assigned)
    assert.deepEqual([...facts.identities], ['alice'])
  })

  test('tells no date of a wallet that cannot be, though its event was answered before', () => {
    const facts = new Facts()
    facts.answers.set('one', { status: 'applied' })
    assert.deepEqual(apply(facts, { ...dated, id: 'a,b' }, 'one'), { status: 'duplicate' })
    assert.deepEqual(facts.changes, [])
  })

  test('that withdraws one goes to the pool', () => {
    const facts = new Facts()
    const fact = { type: 'wallet.withdrawn', id: 'w', umid: 'u', ledgerMs: 1, mayBeUnknown: true } as const
    assert.deepEqual(apply(facts, fact), { status: 'applied' })
    assert.deepEqual(facts.changes, ['withdraw unknown w by u at 0'])
  })
})
