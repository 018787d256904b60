/*
 * Loaded before the service (`node --import`): its clock is ahead of the machine's by `CHAOS_AHEAD_MS`, and leaps ahead when the run
 * says so on the socket `CHAOS_LEAPS`: a line with the new distance, answered with a line. Between two leaps time passes as it does
 * for the machine. A leap calls what is due by then once, as on a machine that was asleep.
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { isMainThread } from 'node:worker_threads'

type Task = (...args: unknown[]) => void

const machineNow = Date.now
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis
let aheadMs = Number(process.env['CHAOS_AHEAD_MS'])

Date.now = () => machineNow() + aheadMs

/** A timer that a leap can make due. It can do what those of Node can. */
class LeapingTimer {
  static readonly armed = new Set<LeapingTimer>()
  dueMs = 0
  private timer: NodeJS.Timeout | null = null
  private keepsRunning = true

  constructor(
    private readonly task: () => void,
    private readonly delayMs: number,
    private readonly isRepeated: boolean,
  ) {
    this.refresh()
  }

  refresh(): this {
    this.dueMs = Date.now() + this.delayMs
    LeapingTimer.armed.add(this)
    this.arm()
    return this
  }

  /** Waits for what is left by the clock. */
  arm(): void {
    if (this.timer !== null) stopTimer(this.timer)
    this.timer = startTimer(() => this.fire(), Math.max(0, this.dueMs - Date.now()))
    if (!this.keepsRunning) this.timer.unref()
  }

  private fire(): void {
    LeapingTimer.armed.delete(this)
    if (this.isRepeated) this.refresh()
    this.task()
  }

  close(): this {
    LeapingTimer.armed.delete(this)
    if (this.timer !== null) stopTimer(this.timer)
    return this
  }

  ref(): this {
    this.keepsRunning = true
    this.timer?.ref()
    return this
  }

  unref(): this {
    this.keepsRunning = false
    this.timer?.unref()
    return this
  }

  hasRef(): boolean {
    return this.keepsRunning
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function timers(isRepeated: boolean) {
  return (task: Task, delayMs = 0, ...args: unknown[]) => {
    const least = Number.isFinite(delayMs) ? Math.max(1, delayMs) : 1
    return new LeapingTimer(() => task(...args), least, isRepeated)
  }
}

function stop(timer: unknown): void {
  if (timer instanceof LeapingTimer) timer.close()
  else stopTimer(timer as NodeJS.Timeout)
}

// What callers use of Node's timers is there; the rest of their types is not.
Object.assign(globalThis, {
  setTimeout: Object.assign(timers(false), startTimer),
  setInterval: timers(true),
  clearTimeout: stop,
  clearInterval: stop,
})

function leapTo(distanceMs: number): void {
  aheadMs = distanceMs
  // Those that are due get no time to wait: Node calls them in the order in which they were due.
  const armed = [...LeapingTimer.armed].sort((one, other) => one.dueMs - other.dueMs)
  for (const timer of armed) timer.arm()
}

if (isMainThread) {
  const path = process.env['CHAOS_LEAPS'] ?? ''
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    createInterface({ input: socket }).on('line', (line) => {
      leapTo(Number(line))
      socket.write('\n')
    })
  })
  server.listen(path).unref()
  server.on('connection', (socket) => socket.unref())
}
