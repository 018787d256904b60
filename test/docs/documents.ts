import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeSettings } from '../../src/config/describe.js'
import { type FailureCode, failureMessages } from '../../src/domain/failure.js'
import { type Endpoint, endpoints, isForOwnPages } from '../../src/http/endpoints.js'
import { failureStatus } from '../../src/http/failure-status.js'
import { type MetricAbout, metricsCatalogue } from '../../src/metrics/catalogue.js'
import { projectRoot } from '../support/project-root.js'

/** A page of docs/ that is generated from the code, or has a table that is. */
export interface GeneratedDocument {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
}

const NOTICE = '<!-- Generated from the code by `npm run docs`; a test compares the two. -->'

/** Every generated page. */
export const generatedDocuments: readonly GeneratedDocument[] = [
  { path: 'docs/settings.md', text: settingsPage() },
  { path: 'docs/errors.md', text: errorsPage() },
  { path: 'docs/security.md', text: withTable('docs/security.md', 'endpoints', endpointsTable()) },
  { path: 'docs/operating.md', text: withTable('docs/operating.md', 'metrics', metricsTable()) },
]

/** Every Markdown page below docs/, relative to the project, with forward slashes. */
export function pagesOfDocs(): string[] {
  return ['docs', 'docs/internals'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  )
}

function settingsPage(): string {
  const chapters = describeSettings().map(({ title, settings }) => {
    const rows = settings.map(({ environment, flag, expects, fallback, sentence }) => [
      flag === undefined ? code(environment) : `${code(environment)}<br>${code(flag)}`,
      sentence,
      expects,
      fallback,
    ])
    return `## ${title}\n\n${table(['Setting', 'Meaning', 'Value', 'Default'], rows)}\n`
  })
  return `# Settings

${NOTICE}

\`billhook serve\` reads its settings from environment variables and flags. A flag overrides the environment variable, and an
empty variable counts as unset. Unknown \`BILLHOOK_\` variables, unknown flags and malformed values are rejected at start: all at
once, one line each on standard error, with exit code 2. For a misspelt name the line suggests the right one.
\`billhook --help\` prints this list. Settings take effect at start only.

${chapters.join('\n')}`
}

/** When each error occurs, by its code: the last column of the table, which is written on the page itself. */
export function errorOccasions(): ReadonlyMap<string, string> {
  const page = readFileSync(join(projectRoot, 'docs/errors.md'), 'utf8')
  const rows = page.matchAll(/^\| \d{3} \| `(\w+)` \| .* \| (.*) \|$/gm)
  return new Map([...rows].map(([, name = '', when = '']) => [name, when]))
}

function errorsPage(): string {
  const occasions = errorOccasions()
  const rows = Object.entries(failureMessages).map(([name, message]) => [
    String(failureStatus[name as FailureCode]),
    code(name),
    message,
    occasions.get(name) ?? '',
  ])
  return `# Errors

<!-- Generated from the code by \`npm run docs\`, apart from the column "When"; a test compares the two. -->

Every rejected request gets \`{"error": "<text>", "code": "<code>"}\`. Branch on \`code\`, which is stable; \`error\` is for people. A
400 about one field or parameter also names it in \`field\`. Words in angle brackets stand for values of the request. Every 429 and 503
carries \`Retry-After\`.

${table(['Status', 'code', 'error', 'When'], rows)}
`
}

/** The page with `made` between its marks `<!-- name…` and `<!-- end of name`. */
function withTable(path: string, name: string, made: string): string {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const marked = new RegExp(`(<!-- ${name}.*-->\\n)[^]*(<!-- end of ${name} -->)`)
  if (!marked.test(text)) throw new Error(`${path} has no place for the table of ${name}`)
  return text.replace(marked, (_, start: string, end: string) => `${start}\n${made}\n\n${end}`)
}

function endpointsTable(): string {
  const rows = Object.entries(endpoints).map(([tag, endpoint]) => [
    code(tag),
    ...accessWords(endpoint),
    isForOwnPages(tag, endpoint) ? 'own pages' : 'any',
    limitWords(endpoint),
  ])
  return table(['Endpoint', 'Default mode', 'Strict mode', 'Web pages', 'Limits'], rows)
}

function metricsTable(): string {
  const metrics: readonly MetricAbout[] = Object.values(metricsCatalogue)
  const rows = metrics.map(({ name, type, labelNames, help }) => [
    code(name),
    type,
    labelNames.map(code).join(', '),
    help,
  ])
  return table(['Metric', 'Type', 'Labels', 'Meaning'], rows)
}

/** Who may call it in the default mode and in strict mode. */
function accessWords(endpoint: Endpoint): readonly [string, string] {
  switch (endpoint.access) {
    case 'open':
      return ['anyone', 'anyone']
    case 'api-key': {
      const key = `a key with ${code(endpoint.permission)}`
      return [`${key}; without a signature, as ${code('BILLHOOK_UNSIGNED')} says`, key]
    }
    case 'owner':
      return [
        'anyone',
        { path: 'a key of `:id`', body: 'a key of the owner', invoice: "a key of the invoice's owner" }[endpoint.owner],
      ]
    case 'identity':
      return ['anyone', "the owner's own key"]
    case 'gateway':
      return ['the gateway', 'the gateway']
    case 'sandbox':
      return ['anyone, in a sandbox', 'anyone, in a sandbox']
    case 'operator':
      return ['the metrics listener only', 'the metrics listener only']
  }
}

function limitWords({ counts = 'request', perOwnerMinute, bodyLimitBytes }: Endpoint): string {
  const counted = { nothing: [], request: ['requests'], claim: ['requests', 'claims'] }[counts]
  const perOwner = perOwnerMinute === undefined ? [] : [`${perOwnerMinute} a minute for an owner`]
  const body = bodyLimitBytes === undefined ? [] : [`body of ${bodyLimitBytes / 1024} KiB`]
  return [...counted, ...perOwner, ...body].join(', ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

/** Text as the content of a Markdown table's cell: a bar would end the cell, angle brackets outside code would vanish. */
function cell(text: string): string {
  return text
    .replace(/\|/g, '\\|')
    .split(/(`[^`]*`|<br>)/)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/([<>*])/g, '\\$1')))
    .join('')
}
