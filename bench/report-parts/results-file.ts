import { readFileSync } from 'node:fs'
import type { Results } from '../results.js'

/** JSON has no NaN, so missing figures are written as null and read as NaN. */

export function resultsText(results: Results): string {
  return `${JSON.stringify(results, null, 2)}\n`
}

/** Throws when the file does not exist or does not hold results. */
export function readResults(path: string): Results {
  const results: unknown = JSON.parse(readFileSync(path, 'utf8'), revive)
  if (!isResults(results)) throw new Error(`${path} does not hold the results of a run`)
  return results
}

const FIGURES = ['value', 'x', 'durationSeconds', 'memoryMiB']

function revive(name: string, value: unknown): unknown {
  if (name === 'samples' && Array.isArray(value)) return value.map((sample) => sample ?? Number.NaN)
  return value === null && FIGURES.includes(name) ? Number.NaN : value
}

/** Distinguishes results from other files. A full check is not needed: one program writes and reads them. */
function isResults(value: unknown): value is Results {
  if (typeof value !== 'object' || value === null) return false
  const { machine, measurements, targets, skipped, parameters } = value as Partial<Record<keyof Results, unknown>>
  const hasObjects = [machine, parameters].every((part) => typeof part === 'object' && part !== null)
  return hasObjects && [measurements, targets, skipped].every(Array.isArray)
}
