import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CONSTANT } from '../../bench/names.js'
import { aboveLimit, best, creationLimit } from '../../bench/report-parts/limit.js'
import { readResults } from '../../bench/report-parts/results-file.js'
import { projectRoot } from '../support/project-root.js'

describe('the report in docs/benchmarks', () => {
  const results = readResults(join(projectRoot, 'docs/benchmarks/results.json'))
  const { measurements } = results

  test('is of a whole run of a commit', () => {
    assert.equal(results.isTiny, false)
    assert.match(results.machine.commit ?? '', /^[0-9a-f]{12}$/)
    assert.deepEqual(
      results.targets.filter(({ verdict }) => verdict === 'not measured'),
      [],
    )
  })

  test('has nothing above the limit that is drawn', () => {
    const of = (group: string) => measurements.filter((one) => one.group === group && one.name !== CONSTANT)
    for (const [group, limit] of [
      ['throughput', creationLimit(measurements)],
      ['reads', best(measurements, CONSTANT)],
    ] as const) {
      assert.ok(limit !== null, group)
      assert.deepEqual(aboveLimit(of(group), limit), [], group)
    }
  })
})
