import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from '../support/project-root.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

interface Built {
  readonly outputs: Readonly<
    Record<string, { readonly imports: readonly { readonly path: string; readonly external?: boolean }[] }>
  >
  readonly inputs: Readonly<Record<string, unknown>>
}

/** What the build of the program says of it. */
function builtProgram(): Built {
  const place = temporaryDirectory()
  try {
    const metafile = join(place.path, 'meta.json')
    const flags = [`--metafile=${metafile}`, `--outdir=${join(place.path, 'src')}`]
    execFileSync('npm', ['run', '--silent', 'build:program', '--', ...flags], { cwd: projectRoot })
    return JSON.parse(readFileSync(metafile, 'utf8'))
  } finally {
    place.remove()
  }
}

describe('the program', () => {
  const { inputs, outputs } = builtProgram()
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

  test('imports only packages that its own package installs', () => {
    const imported = Object.values(outputs)
      .flatMap(({ imports }) => imports)
      .filter(({ path, external }) => external === true && !isBuiltin(path))
      .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '')
    assert.ok(imported.includes('lmdb'))
    const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
    assert.deepEqual(
      imported.filter((name) => !installed.has(name)),
      [],
    )
  })

  test('contains the client library, of which no package need be published', () => {
    assert.ok('packages/client/src/transport.ts' in inputs)
  })
})
