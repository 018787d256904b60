import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faultyParts } from '../../src/actors/faulty-deposits.js'
import { Intake } from '../../src/actors/intake.js'
import { MailboxFull, type WalletDirectory } from '../../src/actors/wallet-directory.js'
import { Replaced, StorageUnavailable } from '../../src/store/refusals.js'

/** Finds the faulty ones of 0 to n − 1 in a whole that fails when it has one, and counts the attempts. */
async function found(n: number, isFailing: (some: readonly number[]) => number | null) {
  let attempts = 0
  const parts = Array.from({ length: n }, (_, i) => i)
  const faulty = await faultyParts(parts, async (some) => {
    attempts += 1
    assert.deepEqual(
      some,
      [...some].sort((a, b) => a - b),
      'parts are tried in order',
    )
    const failing = isFailing(some)
    return failing === null ? null : new Error(`fault ${failing}`)
  })
  return { faulty: faulty === null ? null : [...faulty].map(([part, { message }]) => [part, message]), attempts }
}

const has =
  (...bad: readonly number[]) =>
  (some: readonly number[]) =>
    some.find((part) => bad.includes(part)) ?? null

describe('what makes a whole fail', () => {
  test('is nothing where it does not fail', async () => {
    assert.deepEqual(await found(8, () => null), { faulty: [], attempts: 2 })
    assert.deepEqual(await found(0, () => null), { faulty: [], attempts: 1 })
  })

  test('is none of its parts where it fails without them', async () => {
    assert.deepEqual(await found(8, () => 0), { faulty: null, attempts: 1 })
  })

  for (const bad of [[0], [99], [42], [0, 99], [3, 4, 5, 50], Array.from({ length: 100 }, (_, i) => i)]) {
    test(`is ${bad.length} of 100, from ${bad[0]} on, each with its own error`, async () => {
      const { faulty, attempts } = await found(100, has(...bad))
      assert.deepEqual(
        faulty,
        bad.map((part) => [part, `fault ${part}`]),
      )
      assert.ok(attempts <= 2 + 2 * bad.length * Math.ceil(Math.log2(100)), `${attempts} attempts`)
    })
  }

  test('may be one that fails only behind another', async () => {
    const { faulty } = await found(16, (some) => (some.includes(2) && some.includes(11) ? 11 : null))
    assert.deepEqual(faulty, [[11, 'fault 11']])
  })

  test('is not looked for further when an attempt says nothing', async () => {
    await assert.rejects(
      faultyParts([1, 2], async () => {
        throw new Error('the disk is full')
      }),
      { message: 'the disk is full' },
    )
  })
})

describe('a step that the store cannot take now', () => {
  const failures = [new StorageUnavailable(new Error('the disk is full')), new Replaced(), new MailboxFull()]
  for (const failure of failures) {
    test(`is not tried in parts: ${failure.name}`, async () => {
      let taken = 0
      const directory = {
        takeChainStep: async () => {
          taken += 1
          throw failure
        },
      } as unknown as WalletDirectory
      const intake = new Intake({ applyFacts: async () => [] }, directory, () => {})
      await assert.rejects(intake.observe({ type: 'undo', network: 'SEP', above: 1 }), failure)
      assert.equal(taken, 1)
    })
  }
})
