/** A span of milliseconds in which something lies. Either end may be infinite. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A clock that is further off than this counts as wrong (decisions 10). */
export const OFFSET_MAX_MS = 2000
/** One that was wrong counts as right again when nobody shows that it is further off than this. */
export const OFFSET_BACK_MS = 1000

/** What one witness says of this machine's clock. Offsets are above 0 while the clock is fast, below 0 while it is slow. */
export interface Testimony {
  /** Who says it, for people. */
  readonly witness: string
  /** Where the offset lies if the witness is right. */
  readonly offset: Span
  /** The offset that is most likely by this witness. */
  readonly likelyMs: number
}

/** How this machine's clock is. */
export type ClockVerdict =
  /** Nobody tells the time. */
  | { readonly kind: 'unknown' }
  /** As many witnesses say one thing as say another. */
  | { readonly kind: 'disputed'; readonly witnesses: readonly string[] }
  | {
      /** `off`: by more than the limit, as most of them say. */
      readonly kind: 'right' | 'off'
      /** 0 while nobody shows that it is off at all. */
      readonly offsetMs: number
      /** Those who say so. */
      readonly witnesses: readonly string[]
    }

/** The part that two spans have in common; null when there is none. */
export function commonSpan(one: Span, other: Span): Span | null {
  const from = Math.max(one.from, other.from)
  const to = Math.min(one.to, other.to)
  return from <= to ? { from, to } : null
}

export function isInside({ from, to }: Span, value: number): boolean {
  return from <= value && value <= to
}

/** A span in which most witnesses agree. */
interface Agreement {
  readonly span: Span
  readonly among: readonly Testimony[]
}

/**
 * The spans in which the most witnesses agree, in order (Marzullo's algorithm). There are several when as many witnesses say one
 * thing as say another.
 */
export function agreements(testimonies: readonly Testimony[]): readonly Agreement[] {
  let found: Agreement[] = []
  // A span of agreement begins where the span of one of them does.
  for (const from of new Set(testimonies.map(({ offset }) => offset.from))) {
    const among = testimonies.filter(({ offset }) => isInside(offset, from))
    const [{ among: most = [] } = {}] = found
    if (among.length < most.length) continue
    if (among.length > most.length) found = []
    found.push({ span: { from, to: Math.min(...among.map(({ offset }) => offset.to)) }, among })
  }
  return found.toSorted((a, b) => a.span.from - b.span.from)
}

/**
 * Judges the clock by what most witnesses say. `merchants` is the span of the offset by those who sign requests: it never speaks
 * alone, and decides only between witnesses who contradict each other. Null: too few of them say anything.
 */
export function judgeClock(
  testimonies: readonly Testimony[],
  merchants: Span | null,
  limitMs: number = OFFSET_MAX_MS,
): ClockVerdict {
  const all = agreements(testimonies)
  const confirmed = merchants === null ? [] : all.filter(({ span }) => commonSpan(span, merchants) !== null)
  const [agreement, ...others] = confirmed.length === 1 ? confirmed : all
  if (agreement === undefined) return { kind: 'unknown' }
  const told = [agreement, ...others]
  const witnesses = told.flatMap(({ among }) => among.map(({ witness }) => witness))
  if (told.every(({ span }) => span.from > limitMs)) return off(agreement, witnesses)
  if (told.every(({ span }) => span.to < -limitMs)) return off(told.at(-1) ?? agreement, witnesses)
  if (others.length > 0) return { kind: 'disputed', witnesses }
  return { kind: 'right', offsetMs: likelyOffset(agreement), witnesses }
}

function off(agreement: Agreement, witnesses: readonly string[]): ClockVerdict {
  return { kind: 'off', offsetMs: likelyOffset(agreement), witnesses }
}

function likelyOffset({ span, among }: Agreement): number {
  if (isInside(span, 0)) return 0
  return Math.min(span.to, Math.max(span.from, median(among.map(({ likelyMs }) => likelyMs))))
}

/** The one in the middle, or halfway between the two in the middle. Of at least one value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

const MS_PER_SECOND = 1000

/** How far a clock is off and who says so, or null while nobody can tell. */
export interface ClockReading {
  readonly offsetMs: number
  readonly witnesses: readonly string[]
}

export function readingOf(verdict: ClockVerdict): ClockReading | null {
  if (!('offsetMs' in verdict)) return null
  return { offsetMs: Math.round(verdict.offsetMs), witnesses: [...new Set(verdict.witnesses)] }
}

/** `right, by SEP, the gateway`. */
export function readingText(reading: ClockReading | null): string {
  if (reading === null) return 'not known, because there is no witness or they contradict each other'
  return `${offsetText(reading.offsetMs)}, by ${reading.witnesses.join(', ')}`
}

/** `3600 s fast`, `0.5 s slow`; `right` below a tenth of a second. */
export function offsetText(offsetMs: number): string {
  const shown = secondsText(offsetMs)
  return shown === '0' ? 'right' : `${shown} s ${offsetMs > 0 ? 'fast' : 'slow'}`
}

/** How far one clock is ahead of another: `3600 s ahead of`, `0.5 s behind`. */
export function differenceText(aheadMs: number): string {
  return `${secondsText(aheadMs)} s ${aheadMs < 0 ? 'behind' : 'ahead of'}`
}

function secondsText(ms: number): string {
  const tenths = Math.round(Math.abs(ms) / (MS_PER_SECOND / 10)) / 10
  return tenths >= 100 ? String(Math.round(tenths)) : tenths.toFixed(1).replace(/\.0$/, '')
}
