import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { settingEntries } from '../../src/config/schema.js'
import { fileVariableOf } from '../../src/config/secret-files.js'
import { variableOf } from '../../src/config/setting.js'
import { failureMessages } from '../../src/domain/failure.js'
import { failureOccasions } from '../../src/http/failure-occasions.js'
import { projectRoot } from '../support/project-root.js'
import { generatedDocuments, pagesOfDocs } from './documents.js'

/** Pages for people in which every setting named must exist. */
function pages(): { path: string; text: string }[] {
  return ['README.md', 'deploy/billhook.env', ...pagesOfDocs()].map((path) => ({
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
    for (const [code, when] of Object.entries(failureOccasions)) assert.match(when, /\.$/, code)
  })

  test('name no setting that does not exist', () => {
    const known = new Set(
      settingEntries.flatMap(([name, { about }]) => {
        const variable = variableOf(name, about)
        return about.secret === true ? [variable, fileVariableOf(variable)] : [variable]
      }),
    )
    const unknown = pages().flatMap(({ path, text }) =>
      [...text.matchAll(/\bBILLHOOK_[A-Z_]*[A-Z]/g)]
        .filter(([name]) => !known.has(name))
        .map(([name]) => `${path}: ${name}`),
    )
    assert.deepEqual(unknown, [])
  })
})
