/*
 * Loaded before the service (`node --import`): its clock and its timers run `CHAOS_TIME_SPEED` times as fast as the
 * machine's from `CHAOS_CLOCK_START` (Unix milliseconds) on, so that whatever it waits for passes as fast as the time of
 * its networks.
 */

const startMs = Number(process.env['CHAOS_CLOCK_START'])
const speed = Number(process.env['CHAOS_TIME_SPEED'])
const machineNow = Date.now
const performanceNow = performance.now.bind(performance)
const [timeout, interval] = [globalThis.setTimeout, globalThis.setInterval]

Date.now = () => Math.floor(startMs + (machineNow() - startMs) * speed)
performance.now = () => performanceNow() * speed
globalThis.setTimeout = Object.assign(
  (task: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => timeout(task, delayMs / speed, ...args),
  timeout,
) as typeof setTimeout
globalThis.setInterval = Object.assign(
  (task: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => interval(task, delayMs / speed, ...args),
  interval,
) as typeof setInterval
