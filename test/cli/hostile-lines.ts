import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { runBillhook } from './shop.js'

const server = await postgresForTests({ isDurable: true })

/** A line of a file for `billhook import`, and what becomes of it: a pattern for what is told of a bad one. */
export type Line = readonly [told: RegExp | 'added' | 'known', line: object | string | Buffer]

/** What such a file leaves: lines of the exports of some kinds of records. */
export type Left = Readonly<Record<string, number>>

/** A hostile file is imported into both stores, while a service runs and while none does. */
export function describeHostileImport(what: string, lines: readonly Line[], left: Left): void {
  for (const engine of ['LMDB', 'PostgreSQL'] as const) {
    const skip = engine === 'PostgreSQL' && server === null
    const use = async (run: (directory: string, environment: Readonly<Record<string, string>>) => Promise<void>) => {
      const directory = temporaryDirectory()
      const address = server === null || engine === 'LMDB' ? null : await createDatabase(server)
      try {
        mkdirSync(join(directory.path, 'data'))
        await run(directory.path, address === null ? {} : { BILLHOOK_STORE: address })
      } finally {
        directory.remove()
      }
    }

    test(`every bad line of ${what} is named, and the others are imported, into ${engine}`, { skip }, () =>
      use((directory, environment) => importHostile({ lines, left }, directory, environment)),
    )

    test(`the same of ${what} while a service runs on ${engine}`, { skip }, () =>
      use(async (directory, environment) => {
        const service = await ServiceProcess.start(join(directory, 'data'), environment)
        try {
          await importHostile({ lines, left }, directory, environment)
        } finally {
          await service.stop()
        }
      }),
    )
  }
}

/** Imports the file, and sees that every bad line is named, and that the others are there. */
async function importHostile(
  { lines, left }: { readonly lines: readonly Line[]; readonly left: Left },
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const file = join(directory, 'hostile.ndjson')
  writeFileSync(file, fileOf(lines))
  const run = (...argv: readonly string[]) =>
    runBillhook([...argv, '--data', join(directory, 'data')], { cwd: directory, environment })
  const ended = await run('import', file)
  const told = ended.stderr.split('\n').filter((line) => line.startsWith(file))
  const refused = lines.flatMap(([expected], i) => (expected instanceof RegExp ? [{ no: i + 1, expected }] : []))
  for (const [i, { no, expected }] of refused.entries()) {
    assert.match(told[i] ?? '', new RegExp(`:${no}: .*`), ended.stderr.slice(0, 3000))
    assert.match(told[i] ?? '', expected)
  }
  const count = (of: 'added' | 'known') => lines.filter(([expected]) => expected === of).length
  const counts = `${count('added')} added, ${count('known')} known already, ${refused.length} refused`
  assert.deepEqual([ended.code, told.length, ended.stdout], [1, refused.length, `${counts}\n`])
  assert.doesNotMatch(ended.stderr, /Internal error|\n\s+at |\p{Cc}(?<!\n)/u)
  for (const [kind, records] of Object.entries(left)) {
    const exported = await run('export', kind)
    assert.equal(exported.stdout.trim().split('\n').length, records, kind)
  }
  const checked = await run('check')
  assert.match(checked.stdout, /nothing is wrong/)
}

function fileOf(lines: readonly Line[]): Buffer {
  return Buffer.concat(
    lines.map(([, line]) => {
      const text = Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line))
      return Buffer.concat([text, Buffer.from('\n')])
    }),
  )
}
