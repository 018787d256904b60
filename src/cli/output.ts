/** Text that others chose, as one line that cannot control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}|[\u2028\u2029]/gu, '?')
}

/** What a terminal obeys, or what changes the order of what it shows. Lines and columns stay. */
const OBEYED = /(?![\n\t]|\r\n)[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu

/** Text of several lines without anything that a terminal obeys. */
export function harmless(text: string): string {
  return text.replace(OBEYED, '?')
}

/** The same with what is left out written as escapes of JSON, so that nothing is lost. */
export function escaped(text: string): string {
  return text.replace(OBEYED, escapes)
}

/** A value as one line of JSON that cannot control a terminal: what is no plain text is escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/\p{C}|[\u2028\u2029]/gu, escapes)
}

function escapes(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16).padStart(4, '0')
    return `\\u${unit}`
  }).join('')
}

/** Labelled values, one on each line; those that are null are left out. */
export function fieldLines(fields: readonly (readonly [label: string, value: string | null])[]): string[] {
  const shown = fields.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]))
  const width = Math.max(...shown.map(([label]) => label.length))
  return shown.map(([label, value]) => `${label.padEnd(width)}  ${printable(value)}`)
}
