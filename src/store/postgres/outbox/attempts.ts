import { endAttempt, type Next } from '../../rules/deliveries.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { FateUnknown } from '../connection/errors.js'
import type { Work } from '../connection/work.js'
import type { Fence } from '../fence.js'
import { type AttemptOver, known, lockDeliveries, markAttempted, putNexts, takeBackMarks } from './deliveries.js'

/** What became of one of many. */
type Fate<T> = { readonly value: T } | { readonly error: Error }

/** One who asks for a mark. */
interface Mark {
  readonly id: string
}

/**
 * Marks attempts and ends them. What comes during a transaction has the next one together. Only the leader makes attempts, so the
 * fence keeps out those of a process that has been replaced.
 */
export class Attempts {
  private readonly marks = new Batcher<Mark, Fate<boolean>>((marks) => this.markAll(marks))
  private readonly ends = new Batcher<AttemptOver, Fate<number | null>>((ends) => this.endAll(ends))
  /** Deliveries whose marks may have been written, and whose senders were told that they were not. */
  private doubtfulMarks: readonly string[] = []
  /** Deliveries whose ends may have been written. */
  private readonly doubtfulEnds = new Set<string>()

  constructor(
    private readonly database: Database,
    private readonly fence: Fence,
  ) {}

  /** False when it is not queued any more, so that no attempt is made twice. */
  async mark(id: string): Promise<boolean> {
    return told(await this.marks.ask({ id }))
  }

  /** Answers when it is attempted again, null for never. */
  async end(over: AttemptOver): Promise<number | null> {
    return told(await this.ends.ask(over))
  }

  /** Before a queue is read: queues what was marked and not begun, because nobody knew that the mark was written. */
  async takeBack(): Promise<void> {
    const ids = this.doubtfulMarks
    if (ids.length === 0) return
    await this.database.write(async (work) => {
      await this.fence.hold(work)
      takeBackMarks(work, ids)
    })
    this.doubtfulMarks = this.doubtfulMarks.filter((id) => !ids.includes(id))
  }

  private async markAll(marks: readonly Mark[]): Promise<ReadonlyMap<Mark, Fate<boolean>>> {
    const ids = [...new Set(marks.map(({ id }) => id))]
    try {
      return await this.database.write((work) => this.markIn(work, marks, ids), marks.length)
    } catch (error) {
      if (error instanceof FateUnknown) this.doubtfulMarks = [...this.doubtfulMarks, ...ids]
      throw error
    }
  }

  private async markIn(work: Work, marks: readonly Mark[], ids: readonly string[]) {
    // All of it is on its way at once.
    const [, , marked] = await Promise.all([this.fence.hold(work), work.readClock(), markAttempted(work, ids)])
    const left = new Set(marked)
    const there = marked.size === ids.length ? marked : await known(work, ids)
    const fates = new Map<Mark, Fate<boolean>>()
    for (const mark of marks) {
      // Of several who ask at once, the first one has it.
      const isFirst = left.delete(mark.id)
      fates.set(mark, there.has(mark.id) || isFirst ? { value: isFirst } : UNKNOWN)
    }
    return fates
  }

  private async endAll(overs: readonly AttemptOver[]): Promise<ReadonlyMap<AttemptOver, Fate<number | null>>> {
    const ids = overs.map(({ id }) => id)
    try {
      const fates = await this.database.write((work) => this.endIn(work, overs), overs.length)
      for (const id of ids) this.doubtfulEnds.delete(id)
      return fates
    } catch (error) {
      if (error instanceof FateUnknown) for (const id of ids) this.doubtfulEnds.add(id)
      throw error
    }
  }

  private async endIn(work: Work, overs: readonly AttemptOver[]) {
    const ids = [...new Set(overs.map(({ id }) => id))]
    const [, , deliveries] = await Promise.all([this.fence.hold(work), work.readClock(), lockDeliveries(work, ids)])
    const fates = new Map<AttemptOver, Fate<number | null>>()
    const nexts = new Map<string, Next>()
    for (const over of overs) {
      const { id, result, retry } = over
      const delivery = nexts.get(id)?.delivery ?? deliveries.get(id)
      if (delivery === undefined) {
        fates.set(over, UNKNOWN)
      } else if (delivery.state !== 'attempted' && this.doubtfulEnds.has(id) && !nexts.has(id)) {
        fates.set(over, { value: delivery.nextAttemptAt })
      } else {
        const fate = fateOf(() => endAttempt(delivery, result, retry))
        if ('value' in fate) nexts.set(id, fate.value)
        fates.set(over, 'error' in fate ? fate : { value: fate.value.delivery.nextAttemptAt })
      }
    }
    await putNexts(work, [...nexts.values()])
    return fates
  }
}

function fateOf<T>(decide: () => T): Fate<T> {
  try {
    return { value: decide() }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

const UNKNOWN = { error: new Error('an attempt names a delivery that is not there') }

function told<T>(fate: Fate<T> | undefined): T {
  if (fate === undefined) throw new Error('an attempt was not answered')
  if ('error' in fate) throw fate.error
  return fate.value
}
