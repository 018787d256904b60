import { type AuditTrail, UNDER_WAY } from '../audit/trail.js'
import { BoundedMap } from '../base/bounded-map.js'
import { type AuditedAction, DONE, type Operator } from '../domain/audit.js'
import type { ImportPart } from '../http/routes/admin.js'
import type { ImportOutcome } from '../store/imports.js'

/** Imports whose counts are remembered between their requests; a command has one. */
const IMPORTS_MAX = 64

interface UnderWay {
  /** The id of its record. */
  readonly trace: string
  readonly counts: Record<ImportOutcome['status'], number>
}

/** Leaves one trace of each import, however many requests it comes in. */
export class AuditedImports {
  private readonly underWay = new BoundedMap<string, UnderWay>(IMPORTS_MAX)

  constructor(private readonly trail: AuditTrail) {}

  /** Adds the records of one request. Before its last one the record of the import has no outcome, and counts what was added so far. */
  async add(
    operator: Operator,
    { id, file, isLast, unreadable }: ImportPart,
    work: () => Promise<readonly ImportOutcome[]>,
  ): Promise<readonly ImportOutcome[]> {
    const action = { ...operator, action: 'import', owner: null, subject: file }
    const one = this.underWay.get(id) ?? (await this.begin(id, action, isLast))
    if (isLast) this.underWay.delete(id)
    const counted = async () => {
      const outcomes = await work()
      one.counts.refused += unreadable
      for (const { status } of outcomes) one.counts[status] += 1
      return outcomes
    }
    const endOf = () => ({ ...(isLast ? DONE : UNDER_WAY), detail: textOf(one.counts) })
    return await this.trail.goOn(one.trace, action, counted, endOf, { goesOn: !isLast })
  }

  private async begin(id: string, action: AuditedAction, isLast: boolean): Promise<UnderWay> {
    const one = { trace: await this.trail.begin(action), counts: { added: 0, known: 0, refused: 0 } }
    if (isLast) return one
    // Its command may be killed before the last request.
    this.trail.line(one.trace, action, UNDER_WAY)
    this.underWay.set(id, one)
    return one
  }
}

function textOf({ added, known, refused }: UnderWay['counts']): string {
  return `${added} added, ${known} known already, ${refused} refused`
}
