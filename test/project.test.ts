import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { VERSION } from '../src/version.js'
import { projectRoot } from './support/project-root.js'
import { NODE_FLAGS } from './support/service-process.js'

function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

interface LockEntry {
  readonly resolved?: string
  /** Of a workspace, below `node_modules`. */
  readonly link?: boolean
  readonly integrity?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

describe('the project', () => {
  const manifest = JSON.parse(readProjectFile('package.json'))
  const lock = JSON.parse(readProjectFile('package-lock.json'))

  test('has one version', () => {
    assert.equal(VERSION, manifest.version)
    assert.equal(lock.version, manifest.version)
  })

  test('is measured, and described to operators, with the flags of Node that it is started with', () => {
    const command = ['node', ...NODE_FLAGS, 'dist/src/main.js serve'].join(' ')
    assert.ok(manifest.scripts.start.includes(`&& ${command} `), 'npm start')
    assert.ok(readProjectFile('docs/operating/running.md').includes(`\`${command}\``), 'docs/operating/running.md')
    const program = `#!/usr/bin/env -S ${['node', ...NODE_FLAGS].join(' ')}\n`
    assert.ok(readProjectFile('src/main.ts').startsWith(program), 'billhook, the installed program')
    const flags = `const V8_FLAGS = [${NODE_FLAGS.map((flag) => `'${flag}'`).join(', ')}]`
    assert.ok(readProjectFile('deploy/binary/build.ts').includes(flags), 'the single binary')
  })

  test('ships the files that its manifest names, its licence among them', () => {
    assert.match(readProjectFile('LICENSE'), /^MIT License\n\nCopyright \(c\) \d{4} Billhook contributors\n/)
    assert.equal(manifest.license, 'MIT')
    assert.ok(readProjectFile('src/main.ts').startsWith('#!/usr/bin/env -S node '))
    assert.equal(manifest.bin.billhook, 'dist/src/main.js')
  })
})

/** Where packages are installed from a lock file: the project, and what only some of its commands need. */
for (const directory of [
  '.',
  'tools/check',
  'test',
  'bench',
  'deploy',
  'test/nodes',
  'test/kubernetes',
  'test/platforms',
  'packages/key-tables/build',
]) {
  describe(`the packages of ${directory}`, () => {
    const manifest = JSON.parse(readProjectFile(join(directory, 'package.json')))
    const lock = JSON.parse(readProjectFile(join(directory, 'package-lock.json')))

    test('depends on exact versions', () => {
      const ranges = Object.entries({
        ...manifest.dependencies,
        ...manifest.devDependencies,
        ...manifest.optionalDependencies,
      }).filter(([, version]) => !/^(npm:[\w.@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))
      assert.deepEqual(ranges, [])
    })

    test('locks the dependencies of its manifest', () => {
      assert.deepEqual(lock.packages[''].dependencies, manifest.dependencies)
      assert.deepEqual(lock.packages[''].devDependencies, manifest.devDependencies)
      assert.deepEqual(lock.packages[''].optionalDependencies, manifest.optionalDependencies)
    })

    test('locks versions and contents, not the registry that one machine took them from', () => {
      const entries = Object.entries<LockEntry>(lock.packages).filter(
        ([name, { link }]) => name.includes('node_modules/') && link !== true,
      )
      assert.ok(entries.length > 0)
      assert.deepEqual(
        entries.filter(([, { resolved }]) => resolved !== undefined),
        [],
      )
      assert.deepEqual(
        entries.filter(([, { integrity }]) => integrity === undefined),
        [],
      )
    })

    test('locks the binaries of every system, without which npm ci refuses the lock file', () => {
      const missing = Object.entries<LockEntry>(lock.packages).flatMap(([name, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies).filter(
          (wanted) => !(`node_modules/${wanted}` in lock.packages || `${name}/node_modules/${wanted}` in lock.packages),
        ),
      )
      assert.deepEqual(missing, [])
    })
  })
}

for (const directory of [
  'tools/check',
  'deploy',
  'test/nodes',
  'test/kubernetes',
  'test/platforms',
  'packages/key-tables/build',
]) {
  test(`the packages of ${directory} run no scripts when they are installed`, () => {
    assert.match(readProjectFile(join(directory, '.npmrc')), /^ignore-scripts=true$/m)
  })
}
