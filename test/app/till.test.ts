import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BillhookError } from '@billhook/client'
import type { Pending } from '../../packages/app/src/invoices/outbox.js'
import { Till } from '../../packages/app/src/till/till.js'
import { answered, FIRST_STATE, pressed, type TillState } from '../../packages/app/src/till/till-state.js'

describe('the keypad', () => {
  for (const [keys, separator, shown] of [
    [['1', '2', '.', '5'], '.', '12.5'],
    [['0', '0', '7'], '.', '7'],
    [[',', '5'], ',', '0,5'],
    [['1', '.', '.', '2', '.'], '.', '1.2'],
    [['1', '2', 'back'], '.', '1'],
    [['back'], '.', ''],
    [['1', 'clear', '3'], '.', '3'],
    [['1', 'Shift', 'a', '٣', '2'], '.', '12'],
    [[...'1234567890123'], '.', '123456789012'],
    [[...'123456789012', '.'], '.', '123456789012'],
  ] as const) {
    test(`shows ${shown} behind ${keys.join(' ')}`, () => {
      assert.equal(
        keys.reduce((typed, key) => pressed(typed, key, separator), ''),
        shown,
      )
    })
  }
})

/** A place of a browser. */
function placeOf<T>(first: T) {
  const kept = { value: first }
  return {
    kept,
    read: async () => kept.value,
    write: async (value: T) => {
      kept.value = value
    },
  }
}

function tillThat(create: (key: string) => Promise<string>, statePlace = placeOf<TillState>(FIRST_STATE)) {
  const parts = { statePlace, unitPlace: placeOf('EUR'), newKey: () => 'key' }
  return { till: new Till({ ...parts, create: (_price, key) => create(key) }), kept: statePlace.kept }
}

const PENDING = { key: 'key' } as Pending
const OTHER = { key: 'another' } as Pending

describe('the till', () => {
  test('shows a choice when it is kept, so that a reload finds it, and not once the next customer is there', async () => {
    const place = placeOf<TillState>(FIRST_STATE)
    const { till } = tillThat(async () => 'order', place)
    await till.load()
    await till.charge('5')
    const before = till.state.value
    const choice = till.choose('order', 'invoice')
    assert.equal(till.state.value, before)
    await choice
    assert.deepEqual(till.state.value, { step: 'order', order: 'order', invoice: 'invoice' })
    assert.deepEqual(place.kept.value, till.state.value)
    const late = till.choose('order', 'another')
    await till.next()
    await late
    assert.deepEqual(till.state.value, FIRST_STATE)
    assert.deepEqual(place.kept.value, FIRST_STATE)
  })

  test('keeps what it sends before it is sent, and shows the order behind the answer', async () => {
    let during: TillState | null = null
    const { till, kept } = tillThat(async () => {
      during = kept.value
      return 'order'
    })
    await till.load()
    await till.charge('5')
    assert.deepEqual(during, { step: 'sent', key: 'key' })
    assert.deepEqual(kept.value, { step: 'order', order: 'order', invoice: null })
    await till.choose('order', 'invoice')
    const again = tillThat(async () => assert.fail('nothing is sent again'), placeOf<TillState>(kept.value)).till
    await again.load()
    assert.deepEqual(again.state.value, { step: 'order', order: 'order', invoice: 'invoice' })
    await again.next()
    assert.deepEqual(again.state.value, FIRST_STATE)
  })

  test('waits for the outbox without an answer, and takes the order that it gets', async () => {
    const { till } = tillThat(async () => {
      throw new BillhookError('no answer', 'unreachable')
    })
    await till.charge('5')
    assert.deepEqual([till.state.value.step, till.failure.value], ['sent', null])
    await till.onCreated(OTHER, 'of another')
    assert.equal(till.state.value.step, 'sent')
    await till.onCreated(PENDING, 'order')
    assert.deepEqual(till.state.value, { step: 'order', order: 'order', invoice: null })
  })

  test('asks once, however often somebody taps', async () => {
    let asked = 0
    const { till } = tillThat(async () => {
      asked += 1
      return `order ${asked}`
    })
    await Promise.all([till.charge('5'), till.charge('5')])
    await till.charge('5')
    assert.deepEqual([asked, till.state.value], [1, { step: 'order', order: 'order 1', invoice: null }])
  })

  test('begins again, and says why, when it is refused at once or later', async () => {
    const refused = new BillhookError('no rate', 'invalid_options', { status: 400 })
    const { till } = tillThat(async () => {
      throw refused
    })
    await till.charge('5')
    assert.deepEqual([till.state.value, till.failure.value], [FIRST_STATE, refused])
    const later = tillThat(async () => {
      throw new BillhookError('no answer', 'unreachable')
    }).till
    await later.charge('5')
    await later.onRefused(OTHER, refused)
    assert.deepEqual([later.state.value.step, later.failure.value], ['sent', null])
    await later.onRefused(PENDING, refused)
    assert.deepEqual([later.state.value, later.failure.value], [FIRST_STATE, refused])
  })

  test('is not changed by an answer to something else', () => {
    const shown: TillState = { step: 'order', order: 'order', invoice: null }
    assert.equal(answered(shown, 'key', 'another'), shown)
    assert.equal(answered(FIRST_STATE, 'key', 'another'), FIRST_STATE)
  })
})
