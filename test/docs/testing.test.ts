import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectRoot } from '../support/project-root.js'

const IS_ASKED_FOR = /\b(?:missingPrograms|absenceOf)\(((?:'[^']+'(?:, )?)+)\)/g

test('docs/internals/testing.md names every program that tests need beside Node and npm', () => {
  const page = readFileSync(join(projectRoot, 'docs/internals/testing.md'), 'utf8')
  const [, section = ''] = /^## What tests need\n([\s\S]*?)^## /m.exec(page) ?? []
  const files = readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' })
  const needed = files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('programs.test.ts') && !name.includes('node_modules'))
    .flatMap((name) => [...readFileSync(join(projectRoot, 'test', name), 'utf8').matchAll(IS_ASKED_FOR)])
    .flatMap(([, names = '']) => names.split(', ').map((name) => name.slice(1, -1)))
  assert.ok(needed.includes('haproxy') && needed.includes('libbcprov-java'))
  const words = new Set(section.split(/[\s,()|.]+/))
  assert.deepEqual(
    needed.filter((name) => !words.has(name)),
    [],
  )
})
