import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { projectRoot } from '../support/project-root.js'
import { memoryDirectory } from '../support/temporary-directory.js'

const PAGE = 'docs/internals/extending.md'

interface Edit {
  readonly path: string
  /** Stands once in the file. */
  readonly behind: string
  readonly added: string
}

/** A change that a section of the page describes, as far as its first step. */
interface Change {
  readonly section: string
  readonly edits: readonly Edit[]
  /** What messages of the compiler name that are about it. Null: all that no other change claims. */
  readonly marks: readonly string[] | null
}

const CHANGES: readonly Change[] = [
  {
    section: 'A setting',
    edits: [
      {
        path: 'src/config/chapters/invoices.ts',
        behind: 'export const invoices = {\n',
        added: "  addedSetting: quantity(1, 2, 'days', { fallback: '1', sentence: 'Added.' }),\n",
      },
    ],
    marks: ['addedSetting'],
  },
  {
    section: 'An endpoint',
    edits: [
      {
        path: 'src/http/endpoints.ts',
        behind: "  'GET /api/info': { access: 'open' },\n",
        added: "  'GET /api/added': { access: 'open' },\n",
      },
    ],
    marks: ['GET /api/added'],
  },
  {
    section: 'A field of the invoice',
    edits: [
      {
        path: 'src/domain/invoice.ts',
        behind: '  readonly callback_url: string | null\n',
        added: '  readonly added_to_records: string | null\n',
      },
      {
        path: 'src/domain/invoice.ts',
        behind: '  readonly callbackUrl: string | null\n',
        added: '  readonly addedToRequests: string | null\n',
      },
    ],
    marks: ['added_to_records', 'addedToRequests'],
  },
  {
    section: 'An event',
    edits: [
      {
        path: 'src/domain/event-type.ts',
        behind: "  'delivery.failed',\n",
        added: "  'invoice.added',\n  'subject.added',\n",
      },
    ],
    marks: ['subject.added'],
  },
  {
    section: 'A rule that both engines keep',
    edits: [
      {
        path: 'src/store/rules/chain-work.ts',
        behind: 'export interface BlockWork {\n',
        added: '  addedFact(): Awaitable<boolean>\n',
      },
      {
        path: 'src/store/rules/create-invoice.ts',
        behind: 'export interface CreationWork extends InvoiceFacts {\n',
        added: '  addedFact(): boolean\n',
      },
    ],
    marks: ['addedFact'],
  },
  {
    section: 'A network',
    edits: [
      { path: 'src/domain/network.ts', behind: "NETWORK_KINDS = ['evm', 'tron'", added: ", 'added'" },
      {
        path: 'src/networks/catalogue/entry.ts',
        behind: 'export type NetworkEntry = EvmEntry | TronEntry',
        added: " | (Omit<EvmEntry, 'kind'> & { readonly kind: 'added' })",
      },
    ],
    // Some messages about a missing case name no type.
    marks: null,
  },
]

const page = readFileSync(join(projectRoot, PAGE), 'utf8')

function section(heading: string): string {
  const [, below = assert.fail(`no section ${heading}`)] = page.split(`\n## ${heading}\n`)
  return below.split('\n## ')[0] ?? ''
}

function pathsIn(content: string): string[] {
  return [...new Set([...content.matchAll(/`((?:src|test)\/[\w./-]+\.ts)`/g)].map(([, path = '']) => path))]
}

/** The files of the paragraph that says what the compiler names, but for those in brackets and in the sentences behind. */
function namedByCompiler(heading: string): string[] {
  const [, below = assert.fail(`${heading} does not say what the compiler names`)] =
    section(heading).split('**The compiler names**')
  const [said = ''] = below.split('\n\n')
  const [first = ''] = said.replace(/\([^)]*\)/g, '').split(/It does not see/)
  return pathsIn(first).sort()
}

/** The messages of the compiler about a copy of `src` with all changes, each with the lines that explain it. */
async function complaints(directory: string): Promise<readonly { readonly path: string; readonly message: string }[]> {
  for (const sources of ['src', 'packages/client/src']) {
    cpSync(join(projectRoot, sources), join(directory, sources), { recursive: true })
  }
  cpSync(join(projectRoot, 'package.json'), join(directory, 'package.json'))
  symlinkSync(join(projectRoot, 'node_modules'), join(directory, 'node_modules'))
  const settings = {
    extends: join(projectRoot, 'tsconfig.json'),
    compilerOptions: { noEmit: true, rootDir: '.', paths: { '@billhook/client': ['./packages/client/src/index.ts'] } },
    include: ['src'],
    exclude: [],
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings))
  for (const { path, behind, added } of CHANGES.flatMap(({ edits }) => edits)) {
    const pieces = readFileSync(join(directory, path), 'utf8').split(behind)
    assert.equal(pieces.length, 2, `${path} has not once: ${behind}`)
    writeFileSync(join(directory, path), pieces.join(behind + added))
  }
  const compiler = spawn(join(projectRoot, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], {
    cwd: directory,
  })
  const [printed] = await Promise.all([text(compiler.stdout), once(compiler, 'close')])
  return printed
    .split(/\n(?=\S)/)
    .filter((message) => message.trim() !== '')
    .map((message) => ({ path: /^(\S+?)\(\d+,\d+\): error/.exec(message)?.[1] ?? assert.fail(message), message }))
}

describe(PAGE, () => {
  let found: Awaited<ReturnType<typeof complaints>> = []
  const directory = memoryDirectory()
  before(async () => {
    found = await complaints(directory.path)
  })
  after(() => directory.remove())

  const claims = ({ marks }: Change, message: string): boolean =>
    marks === null
      ? !CHANGES.some((other) => other.marks?.some((mark) => message.includes(mark)))
      : marks.some((mark) => message.includes(mark))

  for (const change of CHANGES) {
    test(`says which files the compiler names: ${change.section}`, () => {
      const paths = found.filter(({ message }) => claims(change, message)).map(({ path }) => path)
      assert.deepEqual(namedByCompiler(change.section), [...new Set(paths)].sort())
    })
  }

  for (const [, heading = ''] of page.matchAll(/^## (.*)$/gm)) {
    test(`names files that are there, and counts them: ${heading}`, () => {
      const paths = pathsIn(section(heading))
      assert.deepEqual(
        paths.filter((path) => !existsSync(join(projectRoot, path))),
        [],
      )
      const inFolder = (folder: string) => paths.filter((path) => path.startsWith(`${folder}/`)).length
      const counted = `Files named: ${inFolder('src')} in \`src\`, ${inFolder('test')} in \`test\`.`
      assert.equal(/^Files named: .*$/m.exec(section(heading))?.[0], counted)
    })
  }
})
