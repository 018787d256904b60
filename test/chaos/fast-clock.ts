/*
 * Loaded before the service (`node --import`): its clock runs `CHAOS_CLOCK_SPEED` times as fast as the machine's from
 * `CHAOS_CLOCK_START` (Unix milliseconds) on, so that an hour of block times passes in minutes. Timers stay as they are.
 */

const startMs = Number(process.env['CHAOS_CLOCK_START'])
const speed = Number(process.env['CHAOS_CLOCK_SPEED'])
const machineNow = Date.now

Date.now = () => Math.floor(startMs + (machineNow() - startMs) * speed)
