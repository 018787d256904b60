import { readFileSync } from 'node:fs'
import type { Results } from '../results.js'

/** JSON has no NaN: figures that are missing are written as null, and are NaN again when they are read. */

export function resultsText(results: Results): string {
  return `${JSON.stringify(results, null, 2)}\n`
}

/** Throws when the file is not there, or is not what a run wrote. */
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

/** Enough to tell a report from another file; it is written and read by the same program. */
function isResults(value: unknown): value is Results {
  if (typeof value !== 'object' || value === null) return false
  const { machine, measurements, targets, skipped, parameters } = value as Partial<Record<keyof Results, unknown>>
  const hasObjects = [machine, parameters].every((part) => typeof part === 'object' && part !== null)
  return hasObjects && [measurements, targets, skipped].every(Array.isArray)
}
