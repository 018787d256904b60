import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { endpoints } from '../../src/http/endpoints.js'
import {
  ATTEMPT_OUTCOMES,
  DEPOSIT_OUTCOMES,
  type MetricAbout,
  metricsCatalogue,
  VERIFY_LANES,
} from '../../src/metrics/catalogue.js'
import { parseExposition } from '../support/exposition.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { alertRules } from '../support/prometheus-rules.js'
import { readExpression } from '../support/promql.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const needsPromtool = { skip: missingPrograms('promtool') }

/** Labels that Prometheus adds, and that of histograms. */
const ADDED_LABELS = ['job', 'instance', 'le']
/** Values of labels, by label, that the code can give. The others are not closed sets. */
const KNOWN_VALUES: Readonly<Record<string, ReadonlySet<string>>> = {
  route: new Set(Object.keys(endpoints).map((tag) => tag.replace(/^\S+ /, ''))),
  method: new Set(Object.keys(endpoints).map((tag) => tag.replace(/ .*$/, ''))),
  lane: new Set(Object.keys(VERIFY_LANES)),
  outcome: new Set([...Object.keys(ATTEMPT_OUTCOMES), ...Object.keys(DEPOSIT_OUTCOMES)]),
}

/** The cases of the alerts. */
const CASES = ['prometheus/billhook.test.yml', 'prometheus/billhook-days.test.yml']

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] }
}

function file(path: string): string {
  return readFileSync(join(projectRoot, 'deploy', path), 'utf8')
}

const dashboard: Dashboard = JSON.parse(file('grafana/billhook.json'))

/** Every expression of the dashboard, as Grafana would send it. */
const shown = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    where: title,
    expression: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  })),
)
const alerted = alertRules().map(({ name, expression }) => ({ where: name, expression }))

/** The names of all series that a service exposes, with their labels. */
async function exposed(t: TestContext): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const fixture = await ServiceFixture.start({ BILLHOOK_METRICS_PORT: '0' })
  t.after(() => fixture.stop())
  const url = /^metrics on (\S+)$/m.exec(fixture.service.banner.join('\n'))?.[1]
  assert.ok(url)
  const { types, samples } = parseExposition(await (await fetch(url)).text())
  const labels = new Map<string, Set<string>>()
  const add = (name: string, names: readonly string[]) =>
    labels.set(name, new Set([...(labels.get(name) ?? ADDED_LABELS), ...names]))
  for (const sample of samples) add(sample.name, Object.keys(sample.labels))
  // Series of networks and requests begin with the first of them; their types are there from the start.
  for (const { name, type, labelNames } of Object.values<MetricAbout>(metricsCatalogue)) {
    assert.equal(types.get(name), type, name)
    const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    for (const ending of endings) add(`${name}${ending}`, labelNames)
  }
  return labels.set('up', new Set(ADDED_LABELS))
}

describe('alerts and dashboard', () => {
  test('ask for nothing but series, labels and values that a service exposes', async (t) => {
    const labelsOf = await exposed(t)
    for (const { where, expression } of [...alerted, ...shown]) {
      const { series, labels, values } = readExpression(expression)
      assert.ok(series.size > 0, where)
      const known = [...series].map((name) => labelsOf.get(name) ?? assert.fail(`${where}: there is no ${name}`))
      for (const label of labels) {
        assert.ok(
          known.some((names) => names.has(label)),
          `${where}: there is no label ${label}`,
        )
      }
      for (const { label, value } of values) {
        assert.ok(KNOWN_VALUES[label]?.has(value) ?? true, `${where}: ${label} is never ${value}`)
      }
    }
  })

  test('are valid to Prometheus', needsPromtool, () => {
    const place = temporaryDirectory()
    try {
      const rules = [...alerted, ...shown].map(({ expression }, n) => ({ record: `checked:${n}`, expr: expression }))
      const path = join(place.path, 'expressions.yml')
      writeFileSync(path, JSON.stringify({ groups: [{ name: 'expressions', rules }] }))
      const found = execFileSync('promtool', ['check', 'rules', path], { encoding: 'utf8' })
      assert.match(found, new RegExp(`SUCCESS: ${rules.length} rules found`))
    } finally {
      place.remove()
    }
  })
})

describe('the alerts', () => {
  test('pass the checks of promtool', needsPromtool, () => {
    execFileSync('promtool', ['check', 'config', join(projectRoot, 'deploy/prometheus/prometheus.yml')])
  })

  test('fire when they should, and only then', needsPromtool, () => {
    const files = CASES.map((path) => join(projectRoot, 'deploy', path))
    const run = spawnSync('promtool', ['test', 'rules', ...files], { encoding: 'utf8' })
    assert.equal(run.status, 0, run.stdout + run.stderr)
  })

  test('have each a case in which they fire, after a moment without any alert', () => {
    interface Case {
      readonly promql_expr_test: readonly { readonly exp_samples: readonly { readonly labels: string }[] }[]
    }
    const tests = CASES.flatMap((path): readonly Case[] => parse(file(path)).tests)
    const fired = tests.flatMap(({ promql_expr_test: [before, ...later] }) =>
      before?.exp_samples.length === 0 ? later.flatMap((one) => one.exp_samples.map(({ labels }) => labels)) : [],
    )
    for (const { name } of alertRules()) assert.ok(fired.join('\n').includes(`alertname="${name}"`), name)
  })

  test('name a page that exists, and a severity that means something', () => {
    for (const { name, page, severity } of alertRules()) {
      assert.match(severity, /^(critical|warning)$/, name)
      assert.ok(existsSync(join(projectRoot, page.split('#')[0] ?? '')), page)
    }
  })
})

describe('the dashboard', () => {
  test('shows five panels first', () => {
    const rows = dashboard.panels.map(({ type }, at) => (type === 'row' ? at : -1)).filter((at) => at >= 0)
    assert.deepEqual(rows.slice(0, 2), [0, 6])
  })

  test('has panels with ids of their own, which do not cover each other and fit its 24 columns', () => {
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    for (const [at, { gridPos: one }] of panels.entries()) {
      assert.ok(one.x + one.w <= 24)
      for (const { gridPos: other } of panels.slice(at + 1)) {
        const isApart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y
        assert.ok(isApart, JSON.stringify([one, other]))
      }
    }
  })

  test('names labels in its legends that its expressions keep', () => {
    for (const { title, targets = [] } of dashboard.panels) {
      for (const { expr, legendFormat } of targets) {
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          assert.ok(readExpression(expr).labels.has(label), `${title}: ${label}`)
        }
      }
    }
  })

  test('finds its instances by a metric that exists', () => {
    const definitions = dashboard.templating.list.flatMap(({ definition = [] }) => definition)
    assert.deepEqual(definitions, [`label_values(${metricsCatalogue.build.name}, instance)`])
  })
})
