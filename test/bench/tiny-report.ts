import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../support/temporary-directory.js'

const script = new URL('../../bench/run.js', import.meta.url).pathname

/** What tests read of a report of the benchmarks. */
export interface Report {
  readonly isTiny: boolean
  readonly measurements: readonly {
    readonly group: string
    readonly name: string
    readonly samples: readonly (number | null)[]
  }[]
  readonly targets: readonly { readonly what: string; readonly value: number | null; readonly verdict: string }[]
  readonly skipped: readonly string[]
}

/** Runs parts of the benchmarks, tiny and without the ordinary stack, and answers the report. */
export async function runTiny(parts: string): Promise<Report> {
  const place = temporaryDirectory()
  try {
    const argv = [script, '--tiny', '--only', parts, '--no-ordinary', '--out', place.path]
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    return JSON.parse(readFileSync(join(place.path, 'results.json'), 'utf8')) as Report
  } finally {
    place.remove()
  }
}

/** Asserts that there are samples of all these, by group. */
export function assertMeasured(
  measurements: Report['measurements'],
  expected: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [group, names] of Object.entries(expected)) {
    for (const name of names) {
      const found = measurements.filter((measurement) => measurement.group === group && measurement.name === name)
      assert.ok(found.length > 0, `${group}: ${name} is missing`)
      for (const { samples } of found) {
        assert.ok(samples.length > 0 && samples.every((sample) => sample !== null && sample >= 0), `${group}: ${name}`)
      }
    }
  }
}
