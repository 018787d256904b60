import { setImmediate as otherWork } from 'node:timers/promises'

/** Does something for each item, the first `atOnce` of them at once, and so many more in each further turn of the event loop. */
export async function inPieces<T>(items: Iterable<T>, atOnce: number, each: (item: T) => void): Promise<void> {
  let done = 0
  for (const item of items) {
    if (done > 0 && done % atOnce === 0) await otherWork()
    each(item)
    done += 1
  }
}
