import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Answer, BodyStream } from './server.js'

/** A stream gives the other requests a turn after this much, however fast its client reads. */
const STREAM_SLICE_BYTES = 262_144

export function isStream(body: Answer['body']): body is BodyStream {
  return typeof body !== 'string' && !(body instanceof Uint8Array)
}

/** Where a streamed answer goes: one response of one engine. */
export interface StreamSink {
  /** True once the client has gone; nothing may be written any more. */
  readonly gone: boolean
  /** Writes a chunk, the head before the first; false when `writable` must be awaited before the next one. */
  write(chunk: string | Uint8Array): boolean
  /** Resolves when the client has taken what was written, or has gone. */
  writable(): Promise<void>
  /** Calls back at most once, when the client goes before the answer is complete. */
  onGone(callback: () => void): void
}

/**
 * Pulls `stream` into `sink` with no more than one chunk waiting. True when all of it was taken, false when the client
 * went first; then the iterator has been returned. Rejects with the source's own error.
 */
export async function pumpStream(
  stream: BodyStream,
  sink: StreamSink,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const iterator = stream[Symbol.asyncIterator]()
  // The source is told at once, not after its next chunk: it may be waiting for an event that never comes.
  sink.onGone(() => closeIterator(iterator, onError))
  let sliceBytes = 0
  while (true) {
    if (sink.gone) return false
    const next = await iterator.next()
    if (sink.gone) return false
    if (next.done === true) return true
    const chunk = next.value
    if (chunk.length === 0) continue
    sliceBytes += chunk.length
    if (!sink.write(chunk)) {
      await sink.writable()
      sliceBytes = 0
    } else if (sliceBytes >= STREAM_SLICE_BYTES) {
      // A source that always has a chunk ready would otherwise live in microtasks and hold the event loop.
      await nextTurn()
      sliceBytes = 0
    }
  }
}

/** Releases a stream that will not be read: its iterator is returned, so that its source can let go of what it holds. */
export function discardStream(stream: BodyStream, onError: (error: unknown) => void): void {
  closeIterator(stream[Symbol.asyncIterator](), onError)
}

function closeIterator(iterator: AsyncIterator<unknown>, onError: (error: unknown) => void): void {
  if (iterator.return === undefined) return
  // `return` of a foreign iterator may throw as well as reject.
  new Promise((resolve) => resolve(iterator.return?.())).catch(onError)
}
