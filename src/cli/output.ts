import { escapes } from '../base/terminal-text.js'

/** Text that others chose, as one line that cannot control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}|[\u2028\u2029]/gu, '?')
}

/** The same of text that may have several lines. */
export function onOneLine(text: string): string {
  return printable(text.replaceAll('\n', ' / '))
}

/** A value as one line of JSON that cannot control a terminal: what is no plain text is escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/\p{C}|[\u2028\u2029]/gu, escapes)
}

/** Values with their labels; null for one that there is none of. */
export type Fields = readonly (readonly [label: string, value: string | null])[]

/** Labelled values, one on each line; those that are null are left out. */
export function fieldLines(fields: Fields): string[] {
  const shown = fields.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]))
  const width = Math.max(...shown.map(([label]) => label.length))
  return shown.map(([label, value]) => `${label.padEnd(width)}  ${printable(value)}`)
}
