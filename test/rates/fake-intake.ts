import type { ReadSet } from '../../src/domain/rate-set.js'

/** What a source gave: the rates in euros by coin, or the reason why there are none. */
export function gist(read: ReadSet): unknown {
  if (!read.ok) return read.refusal.reason
  return Object.fromEntries(read.set.rates.map(({ coin, rate }) => [coin, rate]))
}

export function setText(at: number, euros: Readonly<Record<string, string>>): string {
  return JSON.stringify({ at, rates: { EUR: euros } })
}
