import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { settingEntries } from '../../src/config/schema.js'
import { variableOf } from '../../src/config/setting.js'
import { failureMessages } from '../../src/domain/failure.js'
import { projectRoot } from '../support/project-root.js'
import { errorOccasions, generatedDocuments, pagesOfDocs } from './documents.js'

/** Pages for people in which every setting named must exist. */
function pages(): { path: string; text: string }[] {
  return ['README.md', ...pagesOfDocs()].map((path) => ({
    path,
    text: readFileSync(join(projectRoot, path), 'utf8'),
  }))
}

describe('the docs', () => {
  for (const { path, text } of generatedDocuments) {
    test(`${path} says what the code says (else: npm run docs)`, () => {
      assert.equal(readFileSync(join(projectRoot, path), 'utf8'), text)
    })
  }

  test('name every setting and every error code', () => {
    const all = generatedDocuments.map(({ text }) => text).join('')
    for (const [name, { about }] of settingEntries) assert.ok(all.includes(`\`${variableOf(name, about)}\``), name)
    for (const code of Object.keys(failureMessages)) assert.ok(all.includes(`| \`${code}\` |`), code)
  })

  test('say of every error code when it occurs', () => {
    const occasions = errorOccasions()
    for (const code of Object.keys(failureMessages)) assert.match(occasions.get(code) ?? '', /\.$/, code)
  })

  test('name no setting that does not exist', () => {
    const known = new Set(settingEntries.map(([name, { about }]) => variableOf(name, about)))
    const unknown = pages().flatMap(({ path, text }) =>
      [...text.matchAll(/\bBILLHOOK_[A-Z_]*[A-Z]/g)]
        .filter(([name]) => !known.has(name))
        .map(([name]) => `${path}: ${name}`),
    )
    assert.deepEqual(unknown, [])
  })
})
