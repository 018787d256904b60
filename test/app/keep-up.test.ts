import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keepUp } from '../../packages/app/src/desk/keep-up.js'
import { NotSent } from '../../packages/app/src/invoices/not-sent.js'
import { isUndecided, Outbox } from '../../packages/app/src/invoices/outbox.js'
import { asFarAsKept } from '../../packages/app/src/storage/as-far-as-kept.js'
import { StorageError } from '../../packages/app/src/storage/storage-error.js'
import { Till } from '../../packages/app/src/till/till.js'
import { FIRST_STATE } from '../../packages/app/src/till/till-state.js'

const full = new StorageError(new Error('QuotaExceededError'))

/** A place that keeps nothing. */
const broken = { read: () => Promise.reject(full), write: () => Promise.reject(full) }

describe('what is done again and again', () => {
  /** Runs the works one after the other, and answers what was said of each. */
  async function saidOf(works: readonly (() => Promise<void>)[]): Promise<readonly unknown[]> {
    const end = new AbortController()
    const said: unknown[] = []
    let turn = 0
    await keepUp({
      work: async () => {
        turn += 1
        if (turn === works.length) end.abort()
        await works[turn - 1]?.()
      },
      pause: async () => {},
      onFailure: (error) => said.push(error),
      ended: end.signal,
    })
    assert.equal(turn, works.length)
    return said
  }
  const works = async () => {}
  const fails = () => Promise.reject(full)

  test('goes on after a failure, says it, and takes it back', async () => {
    assert.deepEqual(await saidOf([works, fails, fails, works, works]), [null, full, full, null, null])
  })

  test('says nothing of what fails because it ended', async () => {
    assert.deepEqual(await saidOf([works, fails]), [null])
  })
})

describe('where the browser keeps nothing', () => {
  test('what can be found out anew is done without', async () => {
    const place = asFarAsKept<string>(broken)
    assert.equal(await place.read(), null)
    await place.write('a cursor')
  })

  test('another failure of a place is told', async () => {
    const defect = new TypeError('x')
    const place = asFarAsKept<string>({ read: () => Promise.reject(defect), write: () => Promise.reject(defect) })
    await assert.rejects(place.read(), defect)
    await assert.rejects(place.write(''), defect)
  })

  const outboxPlace = { all: () => Promise.reject(full), put: () => Promise.reject(full), delete: async () => {} }

  test('an invoice is not sent, and that is decided', async () => {
    const outbox = new Outbox(outboxPlace, Date.now, () => 'key')
    const sender = { owner: 'o', signedBy: null, send: () => assert.fail('it was sent') }
    const draft = { walletIds: ['w'], name: 'Tea', amount: '1' }
    const error = await outbox.create({ kind: 'invoice', draft }, sender).catch((reason: unknown) => reason)
    assert.ok(error instanceof NotSent)
    assert.equal(error.cause, full)
    assert.equal(isUndecided(error), false)
  })

  test('an invoice that was created and then could not be noted stays undecided', () => {
    assert.equal(isUndecided(full), true)
  })

  test('the till says so, and takes the amount again', async () => {
    let created = 0
    const statePlace = { read: async () => FIRST_STATE, write: broken.write }
    const unitPlace = { read: async () => 'EUR', write: broken.write }
    const create = async () => {
      created += 1
      return 'order'
    }
    const till = new Till({ statePlace, unitPlace, newKey: () => 'key', create })
    await till.load()
    const chosen = { step: 'order', order: 'order', invoice: null }
    for (const [step, state] of [
      [() => till.chooseUnit('USDT'), FIRST_STATE],
      [() => till.charge('5'), FIRST_STATE],
      [() => till.choose('order', null), chosen],
    ] as const) {
      await step()
      assert.equal(till.failure.value, full)
      assert.deepEqual(till.state.value, state)
      till.failure.value = null
      assert.equal(created, 0)
    }
    assert.equal(till.unit.value, 'USDT')
  })
})
