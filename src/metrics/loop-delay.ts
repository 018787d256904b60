import type { Registry } from 'prom-client'
import { metricsCatalogue } from './catalogue.js'
import { histogram } from './series.js'

const MS_PER_SECOND = 1000

/** Time between two looks. A turn of the event loop that takes longer delays the next one, and is seen by that. */
const LOOK_MS = 5

/** A turn of the main thread is to take no more than 10 ms. */
const BOUNDS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/**
 * Measures how late the event loop is: how long after its time a timer fires. There is one loop for the process, and it is measured until
 * the process ends. `now`: milliseconds on a clock that does not jump.
 */
export function observeLoop(registry: Registry, now: () => number = () => performance.now()): void {
  const delay = histogram(registry, metricsCatalogue.loopDelay, BOUNDS_SECONDS)
  let dueAt = now() + LOOK_MS
  const look = () => {
    const nowMs = now()
    delay.observe(Math.max(0, nowMs - dueAt) / MS_PER_SECOND)
    dueAt = nowMs + LOOK_MS
  }
  setInterval(look, LOOK_MS).unref()
}
