import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BodyStream } from './server.js'

/** Bytes after which a stream yields to other requests, however fast its client reads. */
const STREAM_SLICE_BYTES = 262_144

/** The destination of a streamed answer: one response of one engine. */
export interface StreamSink {
  /** True once the client has disconnected. Nothing may be written from then on. */
  readonly aborted: boolean
  /** Writes a chunk, the head before the first. Returns false if `writable` must be awaited before the next. */
  write(chunk: string | Uint8Array): boolean
  /** Resolves when the client has taken what was written, or has disconnected. */
  writable(): Promise<void>
  /** Called if the client disconnects before the answer is complete. */
  onGone: (() => void) | undefined
}

/**
 * Pulls `stream` into `sink` with at most one chunk waiting. Resolves to true if all of it was taken, and to false if
 * the client disconnected first, in which case the iterator was returned. Rejects with the source's own error.
 */
export async function pumpStream(
  stream: BodyStream,
  sink: StreamSink,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const iterator = stream[Symbol.asyncIterator]()
  // The iterator is returned at once, not after its next chunk: the source may wait for an event that never comes.
  sink.onGone = () => closeIterator(iterator, onError)
  let sliceBytes = 0
  while (true) {
    if (sink.aborted) return false
    const next = await iterator.next()
    if (sink.aborted) return false
    if (next.done === true) return true
    const chunk = next.value
    if (chunk.length === 0) continue
    sliceBytes += chunk.length
    if (!sink.write(chunk)) {
      await sink.writable()
      sliceBytes = 0
    } else if (sliceBytes >= STREAM_SLICE_BYTES) {
      // Otherwise a source that always has a chunk ready would stay in microtasks and block the event loop.
      await nextTurn()
      sliceBytes = 0
    }
  }
}

/** Returns the iterator of a stream that will not be read, so that its source can release what it holds. */
export function discardStream(stream: BodyStream, onError: (error: unknown) => void): void {
  closeIterator(stream[Symbol.asyncIterator](), onError)
}

function closeIterator(iterator: AsyncIterator<unknown>, onError: (error: unknown) => void): void {
  if (iterator.return === undefined) return
  // `return` of a foreign iterator may throw as well as reject.
  new Promise((resolve) => resolve(iterator.return?.())).catch(onError)
}
