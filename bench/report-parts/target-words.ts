import type { TargetOutcome } from '../results.js'
import { figure } from './figure.js'

type Verdict = TargetOutcome['verdict']

/** From best to worst. */
const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  met: 'met',
  'floor holds': 'missed, floor holds',
  missed: 'missed, floor too',
  'not measured': 'not measured',
}

/** Maximum number of digits that a value is printed with. */
const DIGITS_MAX = 7

/** A target in words; the columns of its table. */
export interface TargetWords {
  readonly what: string
  readonly value: string
  readonly target: string
  readonly floor: string
  readonly verdict: string
}

export function targetWords(outcome: TargetOutcome): TargetWords {
  const { what, sense, target, floor, unit, verdict } = outcome
  return {
    what,
    value: valueText(outcome),
    target: `${sense} ${figure(target, unit)}`,
    floor: figure(floor, unit),
    verdict: VERDICT_WORDS[verdict],
  }
}

/** The value with enough digits to show on which side of its target and floor it is. */
function valueText({ value, target, floor, unit }: TargetOutcome): string {
  let digits = 3
  while (digits < DIGITS_MAX && [target, floor].some((bound) => hidesSide(value, bound, digits))) digits += 1
  return figure(value, unit, digits)
}

function hidesSide(value: number, bound: number, digits: number): boolean {
  const shown = Number(value.toPrecision(digits))
  return Math.sign(shown - bound) !== Math.sign(value - bound) && Number.isFinite(value)
}

/** Counts the verdicts: `12 targets: 10 met; 2 missed, floor holds.` */
export function targetSummary(targets: readonly TargetOutcome[]): string {
  if (targets.length === 0) return 'No targets were computed.'
  const parts = (Object.keys(VERDICT_WORDS) as Verdict[]).flatMap((verdict) => {
    const count = targets.filter((outcome) => outcome.verdict === verdict).length
    return count === 0 ? [] : [`${count} ${VERDICT_WORDS[verdict]}`]
  })
  return `${targets.length} ${targets.length === 1 ? 'target' : 'targets'}: ${parts.join('; ')}.`
}
