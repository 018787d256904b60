import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LazySender } from '../../src/service/lazy-sender.js'
import type { Sender } from '../../src/webhooks/sender.js'

const DELIVERY = { url: 'http://receiver.example/', headers: {}, body: Buffer.from('{}') }

/** A sender that notes what it is asked for. */
function noting(notes: string[]): Sender {
  return {
    async send({ url }) {
      notes.push(`send ${url}`)
      return { kind: 'answered', httpStatus: 200, durationMs: 0 }
    },
    close: () => notes.push('close'),
  }
}

describe('a late sender', () => {
  test('is made for the first delivery, once, however many come meanwhile', async () => {
    const notes: string[] = []
    const sender = new LazySender(async () => {
      notes.push('make')
      return noting(notes)
    })
    assert.deepEqual(notes, [])
    const results = await Promise.all([sender.send(DELIVERY), sender.send(DELIVERY)])
    await sender.send(DELIVERY)
    assert.deepEqual(
      results.map((result) => result.kind),
      ['answered', 'answered'],
    )
    const sent = `send ${DELIVERY.url}`
    assert.deepEqual(notes, ['make', sent, sent, sent])
  })

  test('that was never used has nothing to close', () => {
    const notes: string[] = []
    new LazySender(async () => noting(notes)).close()
    assert.deepEqual(notes, [])
  })

  test('closes what it has made, also when it was closed while it was made', async () => {
    for (const isEarly of [false, true]) {
      const notes: string[] = []
      const sender = new LazySender(async () => noting(notes))
      const sending = sender.send(DELIVERY)
      if (!isEarly) await sending
      sender.close()
      await sending
      assert.ok(notes.includes('close'), `closed early: ${isEarly}`)
    }
  })
})
