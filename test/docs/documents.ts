import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describeSettings } from '../../src/config/describe.js'
import { type FailureCode, failureCatalogue } from '../../src/domain/failure.js'
import { failureStatus } from '../../src/http/failure-status.js'
import { projectRoot } from '../support/project-root.js'

/** A page of docs/ that is made from the code. */
export interface GeneratedDocument {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
}

const NOTICE = '<!-- Made from the code by `npm run docs`; a test compares the two. -->'

/** Every generated page. */
export const generatedDocuments: readonly GeneratedDocument[] = [
  { path: 'docs/settings.md', text: settingsPage() },
  { path: 'docs/errors.md', text: errorsPage() },
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

\`billhook serve\` reads its settings from the environment and from flags. A flag wins over the environment, and an empty
variable counts as unset. Unknown \`BILLHOOK_\` variables, unknown flags and malformed values are refused at start: one
line each on standard error, all at once, exit code 2. A near miss of a name is answered with that name.
\`billhook --help\` prints this list.

${chapters.join('\n')}`
}

function errorsPage(): string {
  const rows = Object.entries(failureCatalogue).map(([name, { message, when }]) => [
    String(failureStatus[name as FailureCode]),
    code(name),
    message,
    when,
  ])
  return `# Errors

${NOTICE}

Every refused request is answered with \`{"error": "<text>", "code": "<code>"}\`. Programs branch on \`code\`, which is
stable; \`error\` is for people. A 400 about one field or parameter names it in \`field\`, beside the two. A word in angle brackets stands for what the request said. Every 429 and 503 carries
\`Retry-After\`.

${table(['Status', 'code', 'error', 'When'], rows)}
`
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
