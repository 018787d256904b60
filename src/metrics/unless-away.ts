import type { Gauge } from 'prom-client'
import { type Scheduler, systemScheduler } from '../scheduler.js'
import { isUnreadable, StorageUnavailable } from '../store/refusals.js'

/** How long a scrape waits for the store, of the ten seconds that a collector waits by default. */
export const STORE_READ_MAX_MS = 2000

/**
 * Reads a gauge from the store. While that is away, is damaged or does not answer the gauge has no value, so that the others can still be
 * collected.
 */
export async function unlessAway(
  gauge: Pick<Gauge, 'reset' | 'remove'>,
  read: () => Promise<void>,
  scheduler: Scheduler = systemScheduler,
): Promise<void> {
  const reading = read()
  let cancel = () => {}
  const tooLate = new Promise<never>((_, reject) => {
    const reason = new StorageUnavailable(new Error(`it has not answered for ${STORE_READ_MAX_MS} ms`))
    cancel = scheduler.after(STORE_READ_MAX_MS, () => reject(reason))
  })
  try {
    await Promise.race([reading, tooLate])
  } catch (error) {
    if (!isUnreadable(error)) throw error
    gauge.reset()
    // Resetting one without labels makes it 0, which would be a value.
    gauge.remove({})
  } finally {
    cancel()
  }
}
