import { listText, text } from '../languages/language.js'

/** Sums by symbol as one text. */
export function sumsText(sums: Readonly<Record<string, string>>): string {
  const words = Object.entries(sums).map(([coin, amount]) => `${amount} ${coin}`)
  return words.length === 0 ? text('nothingReceived') : listText(words, 'unit')
}
