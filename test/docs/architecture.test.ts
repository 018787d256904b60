import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from '../support/project-root.js'

const page = readFileSync(join(projectRoot, 'docs/internals/architecture.md'), 'utf8')

/** The cells of each row of the first table at or below a line, without its two lines of head. */
function rowsFrom(line: string): string[][] {
  const lines = page.split('\n')
  const below = lines.slice(lines.indexOf(line))
  const table = below.slice(below.findIndex((one) => one.startsWith('|')))
  const end = table.findIndex((one) => !one.startsWith('|'))
  return table.slice(2, end).map((row) => row.split('|').slice(1, -1))
}

function paths(cell: string): string[] {
  return [...cell.matchAll(/`([\w./-]+)`/g)].map(([, path = '']) => path)
}

describe('docs/internals/architecture.md', () => {
  test('describes every folder of src, and no other', () => {
    const described = rowsFrom('| Folder | Contents |').flatMap(([folder = '']) => paths(folder))
    const folders = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`)
    assert.deepEqual(described.sort(), folders.sort())
  })

  test('says of at least twenty rules in which files their code and their test are', () => {
    const rules = rowsFrom('## Where a rule lives')
    assert.ok(rules.length >= 20)
    for (const [rule = '', code = '', shown = ''] of rules) {
      const files = [...paths(code), ...paths(shown)]
      assert.ok(paths(code).every((path) => path.startsWith('src/')) && paths(code).length > 0, rule)
      assert.ok(paths(shown).every((path) => path.startsWith('test/')) && paths(shown).length > 0, rule)
      for (const path of files) assert.ok(existsSync(join(projectRoot, path)), path)
      const names = (engine: string) => paths(code).some((path) => path.startsWith(`src/store/${engine}/`))
      assert.equal(names('postgres'), names('lmdb'), `${rule} names one engine of two`)
    }
  })
})
