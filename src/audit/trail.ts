import { type AuditEnd, type AuditedAction, boundedAction, boundedEnd, type Operator } from '../domain/audit.js'
import type { Logger } from '../log.js'
import type { AuditPort } from '../store/audit.js'
import type { Awaitable } from '../store/reading.js'

/** What the trail needs: where records are kept, and a log that takes every line of it. */
export interface TrailParts {
  readonly audit: Pick<AuditPort, 'begin' | 'note'>
  readonly log: Pick<Logger, 'info' | 'error'>
}

/** How the end of an action is told, where that is not the usual way. */
interface Telling {
  /** The store notes in the transaction of the action that it is done. */
  readonly isNoted?: boolean
  /** It goes on in another request: its line is not due yet. */
  readonly goesOn?: boolean
}

/** What is known of an action while it is under way. */
export const UNDER_WAY: AuditEnd = { outcome: null, detail: null }

/** Leaves a trace of what operators do: a record that is durable before an action begins, and a line in the log when it is over. */
export class AuditTrail {
  constructor(private readonly parts: TrailParts) {}

  /** Has an action done, and notes what came of it. `work` is given the id of the record. */
  async follow<T>(
    action: AuditedAction,
    work: (trace: string) => Awaitable<T>,
    endOf: (value: T) => AuditEnd,
    telling: Telling = {},
  ): Promise<T> {
    return await this.goOn(await this.begin(action), action, work, endOf, telling)
  }

  /** The same for work that takes long: its begin has a line, too. */
  async followLong<T>(action: AuditedAction, work: () => Awaitable<T>, endOf: (value: T) => AuditEnd): Promise<T> {
    const id = await this.begin(action)
    this.line(id, action, UNDER_WAY)
    return await this.goOn(id, action, work, endOf)
  }

  /** Makes the record of an action; answers its id. Without it nothing is to be done: what the store refuses here rejects. */
  async begin(action: AuditedAction): Promise<string> {
    return (await this.parts.audit.begin(boundedAction(action))).id
  }

  /** Does what an action is whose record has been made. */
  async goOn<T>(
    id: string,
    action: AuditedAction,
    work: (trace: string) => Awaitable<T>,
    endOf: (value: T) => AuditEnd,
    telling: Telling = {},
  ): Promise<T> {
    let value: T
    try {
      value = await work(id)
    } catch (error) {
      await this.finish(id, action, { outcome: 'failed', detail: nameOf(error) }, {})
      throw error
    }
    await this.finish(id, action, endOf(value), telling)
    return value
  }

  async note(id: string, end: AuditEnd): Promise<void> {
    await this.parts.audit.note(id, boundedEnd(end))
  }

  /** Writes the line of something that changes nothing and so has no record: strangers could fill the store with it. */
  tell(operator: Operator, action: string, end: AuditEnd): void {
    this.line(null, { ...operator, action, owner: null, subject: null }, end)
  }

  line(id: string | null, action: AuditedAction, end: AuditEnd): void {
    this.parts.log.info({ id, ...boundedAction(action), ...boundedEnd(end) }, 'audit')
  }

  private async finish(id: string, action: AuditedAction, end: AuditEnd, { isNoted, goesOn }: Telling): Promise<void> {
    if (goesOn !== true) this.line(id, action, end)
    if (isNoted === true && end.outcome === 'done') return
    try {
      await this.note(id, end)
    } catch (err) {
      // The action is over, and its answer must not depend on this. The record says that its end is not known.
      this.parts.log.error({ err, id }, 'what came of an audited action cannot be recorded')
    }
  }
}

/** The message of an error may quote what nobody else is to read. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error'
}
