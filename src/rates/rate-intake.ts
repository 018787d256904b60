import type { RateRefusalReason, ReadSet } from '../domain/rate-set.js'
import type { RateOrigin, RateTerms, RateVerdict } from '../domain/rates.js'
import type { Logger } from '../log.js'
import type { RatePort } from '../store/rates.js'

/** Pairs that one line of the log names. */
const NAMED_MAX = 20

export interface RateIntakeParts {
  readonly rates: Pick<RatePort, 'take'>
  readonly terms: RateTerms
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Called for each set that is refused. */
  readonly onRefused?: (reason: RateRefusalReason) => void
}

/** The one way in for rates: what a source gave is judged and kept by the store, and what matters is said aloud once. */
export class RateIntake {
  /** What was complained of last; null while sets are accepted. */
  private complaint: string | null = null
  private heldBefore: ReadonlySet<string> = new Set()

  constructor(private readonly parts: RateIntakeParts) {}

  /** Resolves when it is durable. `terms`: others than those of the settings. Rejects as a write of the store does. */
  async take(origin: RateOrigin, read: ReadSet, terms: RateTerms = this.parts.terms): Promise<RateVerdict> {
    const verdict = await this.parts.rates.take(
      read.ok ? { origin, set: read.set } : { origin, refusal: read.refusal },
      terms,
    )
    this.tell(origin, verdict)
    return verdict
  }

  private tell(origin: RateOrigin, verdict: RateVerdict): void {
    const { log, onRefused } = this.parts
    switch (verdict.kind) {
      case 'repeated':
        break
      case 'refused': {
        const { reason, detail } = verdict.refusal
        onRefused?.(reason)
        // A detail may be another one each time, such as a date.
        const complaint = `${origin} ${reason}`
        if (complaint !== this.complaint)
          log.warn({ origin, reason, detail }, 'a set of rates is REFUSED, the last good one stays')
        this.complaint = complaint
        break
      }
      case 'accepted': {
        if (this.complaint !== null) log.info({ origin }, 'sets of rates are accepted again')
        this.complaint = null
        const held = verdict.held.map(pairOf)
        const begun = held.filter((pair) => !this.heldBefore.has(pair))
        if (begun.length > 0) {
          log.warn(
            { origin, rates: begun.slice(0, NAMED_MAX), count: begun.length },
            'rates are HELD BACK, because they jumped: until another set confirms them these coins have none',
          )
        }
        const ended = [...this.heldBefore].filter((pair) => !held.includes(pair))
        if (ended.length > 0) {
          log.info({ origin, rates: ended.slice(0, NAMED_MAX), count: ended.length }, 'rates are held back no longer')
        }
        this.heldBefore = new Set(held)
        const leftOut = verdict.leftOut.map(pairOf)
        if (leftOut.length > 0) {
          log.warn(
            { origin, rates: leftOut.slice(0, NAMED_MAX), count: leftOut.length },
            'a set of rates LEAVES OUT coins that had a rate: they have none from now on',
          )
        }
        break
      }
    }
  }
}

function pairOf({ currency, coin }: { readonly currency: string; readonly coin: string }): string {
  return `${coin} in ${currency}`
}
