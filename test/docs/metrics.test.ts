import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type MetricAbout, metricsCatalogue } from '../../src/metrics/catalogue.js'
import { projectRoot } from '../support/project-root.js'
import { pagesOfDocs } from './documents.js'

const page = pagesOfDocs()
  .map((path) => readFileSync(join(projectRoot, path), 'utf8'))
  .join('\n')
const catalogue: readonly MetricAbout[] = Object.values(metricsCatalogue)

test('the docs name no metric that does not exist', () => {
  const names = catalogue.flatMap(({ name, type }) =>
    type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  const unknown = [...page.matchAll(/\bbillhook_[a-z_]*[a-z](?![a-z_…])/g)].filter(
    ([name]) => !names.some((known) => known === name),
  )
  assert.deepEqual(
    unknown.map(([name]) => name),
    [],
  )
})

test('the names of metrics carry their units as Prometheus has them', () => {
  for (const { name, type, labelNames } of catalogue) {
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(name, /_(ms|milliseconds|minutes)(_|$)/)
    // What an owner, a wallet, a key or an address would be called. Endpoints are the operator's own.
    for (const label of labelNames)
      assert.match(label, /^(version|method|route|status|lane|state|outcome|network|kind|endpoint|reason|currency|id)$/)
  }
})
