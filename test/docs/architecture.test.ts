import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from '../support/project-root.js'

/** The cells of each row of the tables of a page that begin with this head. */
function rowsOf(path: string, head: string): string[][] {
  const lines = readFileSync(join(projectRoot, path), 'utf8').split('\n')
  const rows: string[] = []
  let isInside = false
  for (const line of lines) {
    isInside = line === head || (isInside && line.startsWith('|'))
    if (isInside && line !== head && !line.startsWith('| ---')) rows.push(line)
  }
  return rows.map((row) => row.split('|').slice(1, -1))
}

function paths(cell: string): string[] {
  return [...cell.matchAll(/`([\w./-]+)`/g)].map(([, path = '']) => path)
}

describe('docs/internals/architecture.md', () => {
  test('describes every folder of src, and no other', () => {
    const described = rowsOf('docs/internals/architecture.md', '| Folder | Contents |').flatMap(([folder = '']) =>
      paths(folder),
    )
    const folders = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`)
    assert.deepEqual(described.sort(), folders.sort())
  })
})

describe('docs/internals/where-a-rule-lives.md', () => {
  const head = '| Rule | Decided in | In `src/store/lmdb` | In `src/store/postgres` | In `test` |'
  const rules = rowsOf('docs/internals/where-a-rule-lives.md', head)

  test('names the one file that decides each of at least a hundred rules, its tests, and where it is in both engines', () => {
    assert.ok(rules.length >= 100)
    for (const [rule = '', ...cells] of rules) {
      const [code = [], lmdb = [], postgres = [], shown = []] = cells.map(paths)
      assert.ok(shown.length > 0, rule)
      assert.equal(code.length, code.length === 0 && lmdb.length === 1 ? 0 : 1, `${rule} is decided in one file`)
      const named = [
        ...code,
        ...lmdb.map((path) => `src/store/lmdb/${path}`),
        ...postgres.map((path) => `src/store/postgres/${path}`),
        ...shown.map((path) => `test/${path}`),
      ]
      for (const path of named) assert.ok(existsSync(join(projectRoot, path)), path)
      assert.ok(
        code.every((path) => path.startsWith('src/') && !/^src\/store\/(?:lmdb|postgres)\//.test(path)),
        rule,
      )
      assert.equal(postgres.length > 0, lmdb.length > 0, `${rule} names one engine of two`)
    }
  })

  test('names every file of the rules of both engines', () => {
    /** What rules are made of, and is no rule itself. */
    const parts = ['asking', 'import-outcomes', 'lockstep', 'step-reports', 'step-scope', 'store-terms']
    const others = new Set([...parts, 'tell-wallets', 'together'].map((name) => `src/store/rules/${name}.ts`))
    const named = new Set(rules.flatMap(([, code = '']) => paths(code)))
    const files = readdirSync(join(projectRoot, 'src/store/rules')).map((name) => `src/store/rules/${name}`)
    const decides = (path: string) =>
      /^export (?:abstract )?(?:function|class)/m.test(readFileSync(join(projectRoot, path), 'utf8'))
    assert.deepEqual(
      files.filter((path) => decides(path) && !named.has(path) && !others.has(path)),
      [],
    )
    for (const path of others) assert.ok(files.includes(path) && !named.has(path), path)
  })
})
