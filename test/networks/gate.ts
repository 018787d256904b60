import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { NoticedScheduler } from './noticed-scheduler.js'

/** Methods that answer at once. */
const AT_ONCE = ['watched', 'endpoints', 'problem', 'distrust', 'callsPerSecond']

/**
 * Stands at every point where a watcher waits for something outside of it. The test opens it once at a time, and may close it
 * for ever, as a crash does: what was asked is then never answered.
 */
export class Gate {
  private waiting: (() => void)[] = []
  private wakers: (() => void)[] = []
  private readonly underWay = new Set<Promise<unknown>>()
  private isShut = false

  /** An object whose methods all pass the gate, before they are called and before they answer. */
  around<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        // What answers at once is not waited for.
        if (AT_ONCE.includes(String(name))) return member.bind(target)
        return async (...args: unknown[]) => {
          await this.pass()
          const answer: Promise<unknown> = Promise.resolve(Reflect.apply(member, target, args))
          this.underWay.add(answer)
          await answer.then(
            () => this.pass(),
            () => this.pass(),
          )
          return answer
        }
      },
    })
  }

  /** Nothing passes any more. What had passed comes to its end first, because a store is not opened twice at a time. */
  async shut(): Promise<void> {
    this.isShut = true
    this.waiting = []
    await Promise.allSettled(this.underWay)
  }

  /** Lets one thing pass, when it has come. False when the watcher waits for time to pass instead. */
  async open(scheduler: NoticedScheduler): Promise<boolean> {
    if (this.waiting.length === 0) {
      const came = new Promise<void>((resolve) => this.wakers.push(resolve))
      await Promise.race([came, scheduler.waited()])
    }
    return this.openNow()
  }

  /** False when nothing has come. */
  async openNow(): Promise<boolean> {
    const first = this.waiting.shift()
    first?.()
    // What it leads to in memory happens before the next decision of the test.
    await nextTurnOfLoop()
    return first !== undefined
  }

  private pass(): Promise<void> {
    if (this.isShut) return new Promise(() => {})
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      for (const wake of this.wakers.splice(0)) wake()
    })
  }
}
