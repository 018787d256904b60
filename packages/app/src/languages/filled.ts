/** What stands for the placeholders of a text, by name. */
export type Values = Readonly<Record<string, string | number>>

const PLACEHOLDER = /\{([a-z]+)\}/g
/** First strong isolate, and its end (UAX #9): what is between them turns nothing around outside, whatever it is. */
const ISOLATE = '\u2068'
const ISOLATED = '\u2069'
const PLAIN = /^[\x20-\x7e]*$/

/** A text with its placeholders filled in. Values that may be written in another direction are isolated. */
export function filled(text: string, values: Values, direction: 'ltr' | 'rtl'): string {
  return text.replace(PLACEHOLDER, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`a text has no value for {${name}}`)
    return isolated(String(value), direction)
  })
}

/** What is written in a direction of its own, for a text from left to right or from right to left. */
export function isolated(value: string, direction: 'ltr' | 'rtl'): string {
  return direction === 'ltr' && PLAIN.test(value) ? value : `${ISOLATE}${value}${ISOLATED}`
}
