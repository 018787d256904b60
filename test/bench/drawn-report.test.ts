import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { drawn } from '../../bench/report.js'
import { readResults } from '../../bench/report-parts/results-file.js'
import { projectRoot } from '../support/project-root.js'

describe('docs/benchmarks', () => {
  const directory = join(projectRoot, 'docs/benchmarks')
  const results = join(directory, 'results.json')

  for (const [name, text] of drawn(readResults(results))) {
    test(`${name} says what results.json says (else: node dist/bench/report.js docs/benchmarks/results.json)`, () => {
      assert.equal(readFileSync(join(directory, name), 'utf8'), text)
    })
  }
})
