/*
 * Days as people count them in a time zone. A day is a text like `2026-11-30`: days in this form sort as they follow each other.
 */

/** From 1970 to 2199. */
const DAY = /^(19[7-9]\d|2[01]\d\d)-(\d\d)-(\d\d)$/
/** Everything between the local times of the earth and UTC. */
const OFFSET_MAX_MS = 14 * 3_600_000
const DAY_MS = 86_400_000

/** Whether a text is a day of the calendar. */
export function isDay(text: string): boolean {
  const [, year, month, day] = DAY.exec(text) ?? []
  if (year === undefined) return false
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.toISOString().startsWith(text)
}

/** Whole days, both included, as they are counted in a zone. */
export interface Period {
  readonly from: string
  readonly to: string
  readonly zone: Zone
}

/** A moment as clocks of a zone show it. */
export interface LocalTime {
  readonly day: string
  /** Like `23:59:59`. */
  readonly time: string
}

/** A time zone of the IANA data base, such as `Europe/Berlin`. */
export class Zone {
  private constructor(
    readonly name: string,
    private readonly format: Intl.DateTimeFormat,
  ) {}

  /** Null when there is no zone of this name. */
  static named(name: string): Zone | null {
    try {
      const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
      const options = {
        ...parts,
        second: '2-digit',
        hourCycle: 'h23',
        calendar: 'iso8601',
        numberingSystem: 'latn',
      } as const
      return new Zone(name, new Intl.DateTimeFormat('en', { ...options, timeZone: name }))
    } catch {
      return null
    }
  }

  /** What clocks show at a moment, Unix ms. */
  localTime(unixMs: number): LocalTime {
    const parts = Object.fromEntries(this.format.formatToParts(unixMs).map(({ type, value }) => [type, value]))
    const { year = '', month, day, hour, minute, second } = parts
    return { day: `${year.padStart(4, '0')}-${month}-${day}`, time: `${hour}:${minute}:${second}` }
  }

  /** By how much clocks are ahead of UTC at a moment, whole seconds in ms. */
  private offsetMs(unixMs: number): number {
    const { day, time } = this.localTime(unixMs)
    return Date.parse(`${day}T${time}Z`) - Math.floor(unixMs / 1000) * 1000
  }

  /** When a day may begin: as early, and as late, as its clocks allow. Between the two clocks may have been changed. */
  beginningOf(day: string): { readonly earliest: number; readonly latest: number } {
    const utc = Date.parse(`${day}T00:00:00Z`)
    const offsets = [this.offsetMs(utc - OFFSET_MAX_MS), this.offsetMs(utc + OFFSET_MAX_MS)]
    return { earliest: utc - Math.max(...offsets), latest: utc - Math.min(...offsets) }
  }
}

/** The zone of a period that names none. */
export const UTC = 'UTC'

/** Reads a period; says which of its parts is wrong. */
export function periodOf(given: {
  readonly from: string
  readonly to: string
  readonly zone: string
}): { readonly period: Period } | { readonly wrong: 'from' | 'to' | 'zone' } {
  const zone = Zone.named(given.zone)
  if (zone === null) return { wrong: 'zone' }
  if (!isDay(given.from)) return { wrong: 'from' }
  if (!isDay(given.to) || given.to < given.from) return { wrong: 'to' }
  return { period: { from: given.from, to: given.to, zone } }
}

/** A span of time, Unix ms, from its first moment until before its last one. */
export interface Span {
  readonly from: number
  readonly before: number
}

/**
 * The moments among which those of a period are. Where clocks were changed at its edges, some are of the days beside it: ask
 * `isWithin` of each.
 */
export function spanOf({ from, to, zone }: Period): Span {
  const next = new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length)
  return { from: zone.beginningOf(from).earliest, before: zone.beginningOf(next).latest }
}

/** Whether a day of a zone is one of a period in that zone. */
export function isWithin({ from, to }: Pick<Period, 'from' | 'to'>, day: string): boolean {
  return from <= day && day <= to
}
