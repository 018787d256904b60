import assert from 'node:assert/strict'

/** The text format of Prometheus, read strictly enough to assert on. */
export interface Exposition {
  /** Types by the name of the metric. */
  readonly types: ReadonlyMap<string, string>
  readonly helps: ReadonlyMap<string, string>
  readonly samples: readonly Sample[]
  /** The value of the one sample with that name and exactly those labels; undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="[^"\\\\\\n]*"'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`)

export function parseExposition(text: string): Exposition {
  assert.ok(text.endsWith('\n'), 'the last line has no end')
  const types = new Map<string, string>()
  const helps = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const about = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line)
    if (about !== null) {
      const [, kind, name = '', rest = ''] = about
      const map = kind === 'HELP' ? helps : types
      assert.ok(!map.has(name), `${line} is told twice`)
      map.set(name, rest)
      continue
    }
    const [, name = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`)
    const labels = Object.fromEntries(
      [...labelText.matchAll(/([a-zA-Z_]\w*)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]),
    )
    samples.push({ name, labels, value: /^\+?Inf$/.test(number) ? Number.POSITIVE_INFINITY : Number(number) })
  }
  const keyOf = (name: string, labels: Readonly<Record<string, string>>) =>
    JSON.stringify([name, Object.entries(labels).sort()])
  const byKey = new Map(samples.map((sample) => [keyOf(sample.name, sample.labels), sample.value]))
  assert.equal(byKey.size, samples.length, 'a series is told twice')
  return { types, helps, samples, value: (name, labels = {}) => byKey.get(keyOf(name, labels)) }
}
