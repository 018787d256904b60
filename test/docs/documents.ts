import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readResults } from '../../bench/report-parts/results-file.js'
import {
  diskTable,
  fiveLines,
  modelTable,
  ratesTable,
  speedLines,
  workTable,
} from '../../bench/report-parts/sizing-lines.js'
import { describeSettings } from '../../src/config/describe.js'
import { detailsOfFailures, type FailureCode, failureMessages } from '../../src/domain/failure.js'
import { type Endpoint, endpoints, isForOwnPages } from '../../src/http/endpoints.js'
import { failureOccasions } from '../../src/http/failure-occasions.js'
import { failureStatus } from '../../src/http/failure-status.js'
import { openApiDocument } from '../../src/http/openapi.js'
import { type MetricAbout, metricsCatalogue } from '../../src/metrics/catalogue.js'
import { VERSION } from '../../src/version.js'
import { projectRoot } from '../support/project-root.js'
import { alertRules } from '../support/prometheus-rules.js'
import { clientRequestFields, clientTypes } from './client-types.js'
import { type CommandAbout, describeCommands } from './commands.js'
import { identityVectors } from './identity-vectors.js'
import { pythonRequestFields, pythonTypes } from './python-types.js'

/** A page of docs/, or another file, that is generated from the code, or has a table that is. */
export interface GeneratedDocument {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
}

const NOTICE = '<!-- Generated from the code by `npm run docs`; a test compares the two. -->'

const BENCHMARKS = 'docs/benchmarks'
const results = readResults(join(projectRoot, BENCHMARKS, 'results.json'))

/** Every page that is generated, as a whole or in part, but for the report of the benchmarks (`bench/report.ts`). */
export const generatedDocuments: readonly GeneratedDocument[] = [
  { path: 'docs/settings.md', text: settingsPage() },
  { path: 'docs/errors.md', text: errorsPage() },
  {
    path: 'docs/openapi.json',
    text: `${JSON.stringify(openApiDocument({ version: VERSION, basePath: '' }), null, 2)}\n`,
  },
  { path: 'packages/client/src/api-types.ts', text: clientTypes() },
  { path: 'packages/client/src/request-fields.ts', text: clientRequestFields() },
  { path: 'packages/python/src/billhook/api_types.py', text: pythonTypes() },
  { path: 'packages/python/src/billhook/request_fields.py', text: pythonRequestFields() },
  { path: 'docs/vectors/identity.json', text: await identityVectors() },
  withTablePage('docs/security/endpoints.md', 'endpoints', endpointsTable()),
  withTablePage(
    'docs/cli/operators.md',
    'commands of operators',
    commandsReference((group) => !isForMerchants(group)),
  ),
  withTablePage('docs/cli/merchants.md', 'commands of merchants', commandsReference(isForMerchants)),
  withTablePage('docs/operating/metrics.md', 'metrics', metricsTable()),
  withTablePage('docs/operating/alerts.md', 'alerts', alertsTable()),
  { path: 'docs/sizing.md', text: sizingPage() },
  ...['docs/start.md', 'docs/start-python.md', 'docs/signing/programs.md', 'docs/webhooks.md'].map((path) => ({
    path,
    text: withFiles(path),
  })),
  withTablePage('README.md', 'speed', speedLines(results)),
]

/** Every Markdown page below docs/, relative to the project, with forward slashes. */
export function pagesOfDocs(): string[] {
  return readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** The text of a page of docs/ and of the pages in the folder of its name, which say the rest of it. */
export function textOfSubject(subject: string): string {
  return pagesOfDocs()
    .filter((path) => path === `docs/${subject}.md` || path.startsWith(`docs/${subject}/`))
    .map((path) => readFileSync(join(projectRoot, path), 'utf8'))
    .join('\n')
}

function settingsPage(): string {
  const chapters = describeSettings().map(({ title, settings }) => {
    const rows = settings.map(({ environment, fileVariable, flag, expects, fallback, sentence }) => [
      [environment, fileVariable, flag].flatMap((name) => (name === undefined ? [] : [code(name)])).join('<br>'),
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
\`billhook --help\` prints this list. Settings take effect at start; [some](operating/stopping.md#reloading) can be reloaded.

Variables that Kubernetes sets in every pod for a Service whose name begins with \`billhook\`, such as
\`…_SERVICE_HOST\` and \`BILLHOOK_PORT=tcp://…\`, are ignored, and the log names them in one line.

A secret can stand in a file instead: \`BILLHOOK_GATEWAY_SECRET_FILE=/run/secrets/gateway\` names one. Line breaks at the end of the
file do not count. To set a secret and its file is an error.

${chapters.join('\n')}`
}

function errorsPage(): string {
  const furtherFields: Readonly<Record<string, readonly string[]>> = detailsOfFailures
  const rows = Object.entries(failureMessages).map(([name, message]) => [
    String(failureStatus[name as FailureCode]),
    code(name),
    message,
    failureOccasions[name as FailureCode],
    furtherFields[name]?.map(code).join(', ') ?? '',
  ])
  return `# Errors

${NOTICE}

Every rejected request gets \`{"error": "<text>", "code": "<code>"}\`. Branch on \`code\`, which is stable; \`error\` is for people. A
400 about one field or parameter also names it in \`field\`. Words in angle brackets stand for values of the request. Every 429 and 503
carries \`Retry-After\`.

Some have further fields, named in the last column: \`wallet\` is the id of the wallet to blame, \`reason\` why it is refused, and \`supported\` lists the
values that the field may have.

${table(['Status', 'code', 'error', 'When', 'Further fields'], rows)}
`
}

/** The page on sizing with the figures of the benchmark report. */
function sizingPage(): string {
  const path = 'docs/sizing.md'
  const parts = {
    'five lines': fiveLines(results),
    rates: ratesTable(results),
    disk: diskTable(results),
    work: workTable(results),
    model: modelTable(results),
  }
  return Object.entries(parts).reduce(
    (text, [name, made]) => withTable(path, name, made, text),
    readFileSync(join(projectRoot, path), 'utf8'),
  )
}

/** A page of which only one table is generated. */
function withTablePage(path: string, name: string, made: string): GeneratedDocument {
  return { path, text: withTable(path, name, made) }
}

/** The page with `made` between its marks `<!-- name…` and `<!-- end of name`. */
function withTable(
  path: string,
  name: string,
  made: string,
  text = readFileSync(join(projectRoot, path), 'utf8'),
): string {
  const marked = new RegExp(`(<!-- ${name}.*-->\\n)[^]*(<!-- end of ${name} -->)`)
  if (!marked.test(text)) throw new Error(`${path} has no place for the table of ${name}`)
  return text.replace(marked, (_, start: string, end: string) => `${start}\n${made}\n\n${end}`)
}

/** The page with the text of each file between its marks `<!-- file <path> -->` and `<!-- end of file -->`. */
function withFiles(path: string): string {
  const marked = /(<!-- file (\S+) -->\n\n```\w+\n)[\s\S]*?(```\n\n<!-- end of file -->)/g
  const page = readFileSync(join(projectRoot, path), 'utf8')
  return page.replace(marked, (_, start: string, file: string, end: string) => {
    return `${start}${readFileSync(join(projectRoot, file), 'utf8')}${end}`
  })
}

function endpointsTable(): string {
  const rows = Object.entries(endpoints).map(([tag, endpoint]) => [
    code(tag),
    ...accessWords(endpoint),
    pagesWords(tag, endpoint),
    limitWords(endpoint),
  ])
  return table(['Endpoint', 'Default mode', 'Strict mode', 'Web pages', 'Limits'], rows)
}

/** Which web pages can call an endpoint. No browser opens a Unix socket. */
function pagesWords(tag: string, endpoint: Endpoint): string {
  if (endpoint.access === 'admin') return 'none'
  return isForOwnPages(tag, endpoint) ? 'own pages' : 'any'
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

function alertsTable(): string {
  const rows = alertRules().map(({ name, severity, expression, lasting, summary, description, page }) => [
    code(name),
    severity,
    `${code(expression)}${lasting === null ? '' : ` for ${lasting}`}`,
    `${summary} ${description} [More](${posix.relative('docs/operating', page)}).`,
  ])
  return table(['Alert', 'Severity', 'Expression', 'Meaning and action'], rows)
}

function isForMerchants(group: string): boolean {
  return group.startsWith('For merchants')
}

/** A chapter for each group of commands that is wanted, and a heading for each command. */
function commandsReference(isWanted: (group: string) => boolean): string {
  const commands = describeCommands().filter(({ group }) => isWanted(group))
  const groups = [...new Set(commands.map(({ group }) => group))]
  return groups
    .map((group) => {
      const sections = commands.filter((command) => command.group === group).map(commandSection)
      return [`## ${group}`, ...sections].join('\n\n')
    })
    .join('\n\n')
}

function commandSection({ usage, summary, inputs, explanation }: CommandAbout): string {
  const rows = inputs.map(({ term, description }) => [code(term), description])
  const parts = [
    `### ${code(usage)}`,
    cell(summary),
    ...(rows.length === 0 ? [] : [table(['Argument or flag', 'Meaning'], rows)]),
    ...(explanation === '' ? [] : [cell(explanation)]),
  ]
  return parts.join('\n\n')
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
        {
          path: 'a key of `:id`',
          body: 'a key of the owner',
          invoice: "a key of the invoice's owner",
          order: "a key of the order's owner",
        }[endpoint.owner],
      ]
    case 'identity':
      return ['anyone', "the owner's own key"]
    case 'gateway':
      return ['the gateway', 'the gateway']
    case 'sandbox':
      return ['anyone, in a sandbox', 'anyone, in a sandbox']
    case 'operator':
      return ['the metrics listener only', 'the metrics listener only']
    case 'console':
      return ['the metrics listener only, with the password if one is set', 'the same']
    case 'admin':
      return ['`admin.sock` only', '`admin.sock` only']
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
