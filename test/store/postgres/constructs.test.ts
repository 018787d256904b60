import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectRoot } from '../../support/project-root.js'

/** What docs/internals/sql.md says is not used. */
const FORBIDDEN: readonly (readonly [name: string, form: RegExp])[] = [
  ['Advisory locks', /pg_(try_)?advisory/i],
  ['`LISTEN`, `NOTIFY`', /\b(LISTEN|UNLISTEN|NOTIFY)\b|pg_notify/],
  ['PL/pgSQL, triggers', /plpgsql|CREATE (OR REPLACE )?(FUNCTION|TRIGGER|PROCEDURE)|\bDO \$\$/i],
  ['`SET TRANSACTION ISOLATION`', /SET (LOCAL )?TRANSACTION\b|SET SESSION CHARACTERISTICS/i],
  ['`SERIALIZABLE`', /\bSERIALIZABLE\b/],
]

test('the PostgreSQL engine uses no construct that its page rules out', () => {
  const page = readFileSync(join(projectRoot, 'docs/internals/sql.md'), 'utf8')
  const folder = join(projectRoot, 'src/store/postgres')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  assert.ok(files.length > 0)
  for (const [name, form] of FORBIDDEN) {
    assert.ok(page.includes(`| ${name} |`), `the page does not name ${name}`)
    const users = files.filter((file) => form.test(readFileSync(join(folder, file), 'utf8')))
    assert.deepEqual(users, [], name)
  }
})
