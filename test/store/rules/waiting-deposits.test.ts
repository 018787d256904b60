import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DepositAside, WAITS } from '../../../src/domain/aside.js'
import type { Sighting } from '../../../src/domain/deposit.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { WAITING_MAX, waitingIn } from '../../../src/store/rules/waiting-deposits.js'
import { sighting } from '../../support/fixtures.js'

/** A deposit by the name of its transaction, and its address behind a blank. */
function deposit(text: string): Sighting {
  const [txHash = '', toAddress = ''] = text.split(' ')
  return sighting({ txHash, toAddress })
}

function aside(text: string, error: string): DepositAside {
  return { sighting: deposit(text), report: 'confirmed', height: 1, error, since: 1 }
}

interface Case {
  readonly brought: readonly string[]
  /** Transactions whose choices meet too much. */
  readonly unsettled?: readonly string[]
  /** Transactions of which it is known why they are aside. */
  readonly told?: Readonly<Record<string, string | null>>
  readonly known?: readonly DepositAside[]
}

/** The transactions that wait, and those that were settled for. */
function waiting({ brought, unsettled = [], told = {}, known = [] }: Case) {
  const asked: string[][] = []
  const work = {
    settle: (some: readonly Sighting[]) => {
      asked.push(some.map(({ txHash }) => txHash))
      return new Set(some.filter(({ txHash }) => unsettled.includes(txHash)))
    },
  }
  const names = new Map(Object.entries(told).map(([txHash, error]) => [`0:${txHash}`, error]))
  const found = answeredNow(waitingIn(work, brought.map(deposit), names, known))
  return { waits: found === null ? null : [...found.keys()].map((name) => name.slice(2)), asked }
}

describe('of the deposits that a step brings', () => {
  const cases: readonly (readonly [string, Case, readonly string[]])[] = [
    ['none waits where nothing is left to settle', { brought: ['a 0xA', 'b 0xB'] }, []],
    ['one waits whose choice meets too much', { brought: ['a 0xA', 'b 0xB'], unsettled: ['a'] }, ['a']],
    [
      'one waits behind another at its address, however that is written',
      { brought: ['a 0xA', 'b 0xB', 'c 0xa'], unsettled: ['a'] },
      ['a', 'c'],
    ],
    ['none waits for a later one', { brought: ['a 0xA', 'b 0xA'], unsettled: ['b'] }, ['b']],
    ['one waits behind one of an earlier step', { brought: ['a 0xA', 'b 0xB'], known: [aside('x 0xA', WAITS)] }, ['a']],
    ['none waits behind one whose recording failed', { brought: ['a 0xA'], known: [aside('x 0xA', 'a fault')] }, []],
    ['one waits behind one that is told to wait', { brought: ['a 0xA', 'b 0xA'], told: { a: WAITS } }, ['b']],
    ['none waits behind one that is left out', { brought: ['a 0xA', 'b 0xA'], told: { a: null } }, []],
    [
      'what a block lists twice waits once, and where it goes',
      { brought: ['a 0xA', 'b 0xA', 'a 0xB'], known: [aside('x 0xB', WAITS)] },
      ['b', 'a'],
    ],
  ]
  for (const [what, one, expected] of cases) {
    test(what, () => assert.deepEqual(new Set(waiting(one).waits), new Set(expected)))
  }

  test('nothing is settled for those that wait anyway', () => {
    assert.deepEqual(waiting({ brought: ['a 0xA', 'b 0xB'], known: [aside('x 0xA', WAITS)] }).asked, [['b']])
  })

  test('none waits where too many do already: then the step does, until all is settled', () => {
    const known = Array.from({ length: WAITING_MAX }, (_, n) => aside(`x${n} 0xA`, WAITS))
    assert.deepEqual(waiting({ brought: ['a 0xA'], unsettled: ['a'], known }), { waits: null, asked: [[], ['a']] })
    assert.deepEqual(waiting({ brought: ['a 0xA'], known }), { waits: [], asked: [[], ['a']] })
    assert.deepEqual(waiting({ brought: ['a 0xA'], known: known.slice(1) }).waits, ['a'])
  })
})
