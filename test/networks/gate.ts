import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { ManualScheduler } from '../support/manual-scheduler.js'

/** Turns of the loop after which something must have come to the gate or to rest. */
const TURNS_MAX = 100_000

/**
 * Stands at every point where a watcher waits for something outside of it. The test opens it once at a time, and may close it
 * for ever, as a crash does: what was asked is then never answered.
 */
export class Gate {
  private waiting: (() => void)[] = []
  private readonly underWay = new Set<Promise<unknown>>()
  private isShut = false

  /** An object whose methods all pass the gate, before they are called and before they answer. */
  around<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        // What answers at once is not waited for.
        if (name === 'watched' || name === 'endpoints') return member.bind(target)
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

  /** Lets one thing pass. False when nothing came, because the watcher waits for time to pass. */
  async open(scheduler: ManualScheduler): Promise<boolean> {
    for (let turn = 0; turn < TURNS_MAX; turn += 1) {
      const first = this.waiting.shift()
      if (first !== undefined) {
        first()
        // What it leads to in memory happens before the next decision of the test.
        await nextTurnOfLoop()
        return true
      }
      if (scheduler.pending > 0) return false
      await nextTurnOfLoop()
    }
    throw new Error('the watcher neither asks nor waits')
  }

  private pass(): Promise<void> {
    if (this.isShut) return new Promise(() => {})
    return new Promise((resolve) => this.waiting.push(resolve))
  }
}
