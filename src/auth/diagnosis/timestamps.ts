import type { Mistake } from './sent-request.js'

const MS_PER_SECOND = 1000
/** How far two readings of the clock in one program may lie apart. */
const READINGS_APART_MS = 25
/** Beyond it a number of seconds cannot be; a number of milliseconds is above it. */
const SECONDS_MAX = 99_999_999_999
const DIGITS = /^\d{1,15}$/
const TIME_MAX_MS = 8_640_000_000_000_000

/** Other timestamps than the text of the header. */
export const TIMESTAMP_MISTAKES: readonly Mistake<string>[] = [
  {
    text: 'The signed timestamp is in seconds, that of the header in milliseconds.',
    variants: ({ timestamp }) => {
      const seconds = numberOf(timestamp) / MS_PER_SECOND
      return Number.isNaN(seconds) ? [] : [...new Set([Math.floor(seconds), Math.round(seconds), seconds])].map(String)
    },
  },
  {
    text: 'The signed timestamp is in milliseconds, that of the header in seconds.',
    variants: ({ timestamp }) => (DIGITS.test(timestamp) ? [`${timestamp}000`] : []),
  },
  {
    text: 'The signed timestamp is a date in words or in ISO 8601, not the text of the header.',
    variants: ({ timestamp }) => {
      const ms = msOf(timestamp)
      if (Number.isNaN(ms) || ms > TIME_MAX_MS) return []
      const date = new Date(ms)
      return [date.toISOString(), date.toISOString().replace(/\.\d+/, ''), date.toUTCString()]
    },
  },
  {
    text: 'The signed timestamp is hexadecimal or quoted.',
    variants: ({ timestamp }) => {
      const hex = numberOf(timestamp).toString(16)
      return [`"${timestamp}"`, ...(DIGITS.test(timestamp) ? [hex, `0x${hex}`] : [])]
    },
  },
  { text: 'The signed timestamp is empty.', variants: () => [''] },
  {
    text: 'The clock was read twice: the signed timestamp is a little older or younger than that of the header.',
    isAlone: true,
    variants: ({ timestamp }) => {
      const sent = numberOf(timestamp)
      if (Number.isNaN(sent)) return []
      const reach = Array.from({ length: READINGS_APART_MS }, (_, at) => at + 1)
      const apart = [...reach, MS_PER_SECOND].flatMap((step) => [sent - step, sent + step])
      return apart.filter((one) => one >= 0).map(String)
    },
  },
]

function numberOf(timestamp: string): number {
  return DIGITS.test(timestamp) ? Number(timestamp) : Number.NaN
}

/** The time in milliseconds, whichever of the two units the header has. */
function msOf(timestamp: string): number {
  const number = numberOf(timestamp)
  return number > SECONDS_MAX ? number : number * MS_PER_SECOND
}
