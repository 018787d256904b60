import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from '../support/project-root.js'
import { pagesOfDocs } from './documents.js'
import { anchors, linksOf } from './markdown.js'

/** What a reader can look through for one answer. */
const PAGE_MAX_BYTES = 25_000
/** From the index to an index of one subject, and from there to the page. */
const STEPS_MAX = 2

function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

/** The pages of docs/ that a page links to. */
function linkedFrom(path: string): string[] {
  return linksOf(read(path)).map((target) => join(dirname(path), target.split('#')[0] ?? ''))
}

/** Files outside of docs/ that name pages, in comments, messages and help. */
function filesThatNamePages(): string[] {
  const inFolders = ['src', 'packages', 'examples', 'bench', 'deploy', '.ci', 'test'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/(node_modules|dist)(\/|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length).replace(/^\//, '')),
  )
  return inFolders.filter((path) => /\.(?:ts|js|sh|env|service|ya?ml|json|txt|tpl)$|^\.ci\/[a-z-]+$/.test(path))
}

describe('the pages of docs/', () => {
  for (const path of pagesOfDocs()) {
    test(`${path} has at most ${PAGE_MAX_BYTES} bytes`, () => {
      const bytes = Buffer.byteLength(read(path))
      assert.ok(bytes <= PAGE_MAX_BYTES, `${bytes} bytes: split it by what its reader comes for`)
    })
  }

  test('have no conflict of a merge left in them', () => {
    const left = pagesOfDocs().filter((path) => /^(?:<{7}|={7}|>{7})(?: |$)/m.test(read(path)))
    assert.deepEqual(left, [])
  })

  test(`are at most ${STEPS_MAX} links away from docs/README.md`, () => {
    const reached = new Set(['docs/README.md'])
    for (let step = 0; step < STEPS_MAX; step += 1) {
      for (const path of [...reached].filter((one) => one.endsWith('.md') && one.startsWith('docs/'))) {
        for (const linked of linkedFrom(path)) reached.add(linked)
      }
    }
    assert.deepEqual(
      pagesOfDocs().filter((path) => !reached.has(path)),
      [],
    )
  })

  test('that messages, comments and files for operators name exist, with their anchors', () => {
    const named = filesThatNamePages().flatMap((path) =>
      [...read(path).matchAll(/\bdocs\/[\w./-]+\.md(?:#[\w-]+)?/g)].map(([target]) => ({ path, target })),
    )
    assert.ok(named.length > 50, `${named.length} names found`)
    const missing = named.filter(({ target }) => {
      const [page = '', anchor] = target.split('#')
      if (!existsSync(join(projectRoot, page))) return true
      return anchor !== undefined && !anchors(read(page)).has(anchor)
    })
    assert.deepEqual(missing, [])
  })
})
