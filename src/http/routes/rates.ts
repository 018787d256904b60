import type { Clock } from '../../clock.js'
import { refuseField } from '../../domain/failure.js'
import type { RateRefusal, RateRefusalReason } from '../../domain/rate-set.js'
import { type RateOrigin, type RateTable, type RateTerms, type RateVerdict, rateFor } from '../../domain/rates.js'
import { percentText } from '../../domain/spread.js'
import type { RatePort } from '../../store/rates.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer, readJsonObject } from '../json.js'
import type { Answer } from '../server.js'

const MS_PER_SECOND = 1000

/** By what rates are used. */
export interface RatesInUse extends Pick<RateTerms, 'maxAgeMs'> {
  /** Null where there are none. */
  readonly origin: RateOrigin | null
  /** What is charged on top, in hundredths of a percent. */
  readonly spread: number
}

/** Why a coin has no rate: it jumped, the present set leaves it out, or the present set is too old. */
type WhyWithheld = 'held' | 'left_out' | 'old'

/** What is in force, as the API answers it (decisions 15). */
export interface RatesRecord {
  readonly source: RateOrigin | 'off'
  /** The date of the present set, Unix ms; null before the first one. */
  readonly at: number | null
  readonly age_seconds: number | null
  readonly max_age_seconds: number
  /** In percent. */
  readonly spread: string
  /** By currency and coin. */
  readonly rates: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly withheld: readonly WithheldRate[]
}

export interface WithheldRate {
  readonly currency: string
  readonly coin: string
  readonly why: WhyWithheld
  /** The last rate that was accepted, and the date of its set, Unix ms. */
  readonly rate: string
  readonly at: number
  /** What it has jumped to, and the date of the set that said so first, Unix ms; null if it has not. */
  readonly held: { readonly rate: string; readonly since: number } | null
}

export function ratesRecord(table: RateTable, { origin, maxAgeMs, spread }: RatesInUse, nowMs: number): RatesRecord {
  const inForce = new Map<string, [coin: string, rate: string][]>()
  const withheld: WithheldRate[] = []
  for (const known of table.known) {
    const { currency, coin, rate, at, held } = known
    const now = rateFor(table, known, maxAgeMs, nowMs)
    if (now.ok) {
      const others = inForce.get(currency)
      if (others === undefined) inForce.set(currency, [[coin, rate]])
      else others.push([coin, rate])
    } else if (now.why !== 'unknown') {
      const waiting = held === null ? null : { rate: held.last, since: held.since }
      withheld.push({ currency, coin, why: now.why, rate, at, held: waiting })
    }
  }
  return {
    source: origin ?? 'off',
    at: table.at,
    age_seconds: table.at === null ? null : Math.max(0, Math.floor((nowMs - table.at) / MS_PER_SECOND)),
    max_age_seconds: maxAgeMs / MS_PER_SECOND,
    spread: percentText(spread),
    rates: Object.fromEntries([...inForce].map(([currency, coins]) => [currency, Object.fromEntries(coins)])),
    withheld,
  }
}

export interface RateHandlerParts extends RatesInUse {
  readonly rates: Pick<RatePort, 'current'>
  readonly clock: Clock
}

export function rateHandlers({ rates, clock, ...inUse }: RateHandlerParts) {
  return handlers({
    'GET /api/rates': async () => jsonAnswer(200, ratesRecord(await rates.current(), inUse, clock.now())),
  })
}

/** Takes what is pushed. */
export type TakePushed = (body: Buffer) => Promise<{ readonly at: number | null; readonly verdict: RateVerdict }>

export function pushedRateHandlers(take: TakePushed) {
  return handlers({
    'POST /internal/rates': async ({ body }) => {
      // What is no JSON is kept among what the source gave, too.
      const taken = await take(body)
      const object = readJsonObject(body)
      return object.ok ? takenAnswer(taken) : failureAnswer(object.failure)
    },
  })
}

/** What became of a set that was sent to an endpoint. */
export function takenAnswer({ at, verdict }: Awaited<ReturnType<TakePushed>>): Answer {
  if (verdict.kind === 'refused') return refusedAnswer(verdict.refusal)
  const { held, leftOut } = verdict.kind === 'accepted' ? verdict : { held: [], leftOut: [] }
  return jsonAnswer(200, { status: verdict.kind, at, held: held.map(pairOf), left_out: leftOut.map(pairOf) })
}

function pairOf({ currency, coin }: { readonly currency: string; readonly coin: string }) {
  return { currency, coin }
}

/** Refusals that are about the date of a set. */
const OF_DATE: ReadonlySet<RateRefusalReason> = new Set(['future', 'older', 'outdated', 'contradiction'])

function refusedAnswer({ reason, detail }: RateRefusal): Answer {
  return failureAnswer(refuseField('invalid_rates', OF_DATE.has(reason) ? 'at' : 'rates', { reason: detail }).failure)
}
