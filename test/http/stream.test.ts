import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { discardStream, pumpStream, type StreamSink } from '../../src/http/stream.js'

/** More than any test needs, so that a broken loop ends. */
const CHUNK_LIMIT = 100_000

class Sink implements StreamSink {
  aborted = false
  readonly chunks: string[] = []
  takes = true
  onGone: (() => void) | undefined
  private wake: (() => void) | undefined

  write(chunk: string | Uint8Array): boolean {
    this.chunks.push(String(chunk))
    return this.takes
  }

  writable(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  take(): void {
    this.wake?.()
  }

  leave(): void {
    this.aborted = true
    this.onGone?.()
    this.wake?.()
  }
}

const noError = (error: unknown): void => assert.fail(String(error))

describe('pumping a stream', () => {
  test('gives the event loop its turns, however willingly the sink takes', async () => {
    let turned = false
    let chunks = 0
    async function* always(): AsyncGenerator<string> {
      const chunk = 'x'.repeat(1_000)
      while (!turned && chunks < CHUNK_LIMIT) {
        chunks += 1
        yield chunk
      }
    }
    setImmediate(() => {
      turned = true
    })
    assert.equal(await pumpStream(always(), new Sink(), noError), true)
    assert.ok(turned)
    assert.ok(chunks < CHUNK_LIMIT, `${chunks} chunks of 1000 bytes without a turn`)
  })

  test('pulls no further chunk while the sink is full', async () => {
    let pulled = 0
    async function* three(): AsyncGenerator<string> {
      for (const chunk of ['a', 'b', 'c']) {
        pulled += 1
        yield chunk
      }
    }
    const sink = new Sink()
    sink.takes = false
    const pumped = pumpStream(three(), sink, noError)
    for (const expected of [1, 2, 3]) {
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(pulled, expected)
      sink.take()
    }
    assert.equal(await pumped, true)
    assert.deepEqual(sink.chunks, ['a', 'b', 'c'])
  })

  test('returns the source and writes nothing more when the client goes', async () => {
    let isReturned = false
    async function* two(): AsyncGenerator<string> {
      try {
        yield 'a'
        yield 'b'
      } finally {
        isReturned = true
      }
    }
    const sink = new Sink()
    sink.takes = false
    const pumped = pumpStream(two(), sink, noError)
    await new Promise((resolve) => setImmediate(resolve))
    sink.leave()
    assert.equal(await pumped, false)
    assert.ok(isReturned)
    assert.deepEqual(sink.chunks, ['a'])
  })

  test('reports a source that cannot be returned', async () => {
    const errors: unknown[] = []
    for (const fail of [() => Promise.reject(new Error('rejects')), () => assert.fail('throws')]) {
      const source = { next: () => Promise.resolve({ done: true as const, value: undefined }), return: fail }
      discardStream({ [Symbol.asyncIterator]: () => source }, (error) => errors.push(error))
    }
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      errors.map((error) => (error instanceof Error ? error.message : error)),
      ['throws', 'rejects'],
    )
  })
})
