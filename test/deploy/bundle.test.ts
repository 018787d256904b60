import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Script } from 'node:vm'
import { billOfMaterials } from '../../deploy/binary/bill.js'
import { bundle } from '../../deploy/binary/bundle.js'
import { BASE_LINE, lockedPackage, nodePackage } from '../../deploy/binary/packages.js'
import { projectRoot } from '../support/project-root.js'

interface Component {
  readonly name: string
  readonly components?: readonly Component[]
}

describe('the scripts of the single binary', () => {
  test('contain everything but Node, and compile', async () => {
    const { main, worker } = await bundle(projectRoot)
    for (const { text: script } of [main, worker]) {
      assert.doesNotThrow(
        () => new Script(`(function (exports, require, module, __filename, __dirname) {${script}\n})`),
      )
      assert.doesNotMatch(script, /import\.meta/)
    }
  })

  test('load native modules from the executable, and worker threads from its script', async () => {
    const { main, worker } = await bundle(projectRoot)
    for (const name of ['uws', 'lmdb', 'fs-native-extensions', 'koffi']) {
      assert.ok(main.text.includes(`loadNative("${name}")`), name)
    }
    assert.ok(worker.text.includes('loadNative("secp256k1")'))
    assert.ok(main.text.includes('getAsset("worker.js"'))
  })
})

describe('the program that is started by node', () => {
  const built = join(projectRoot, 'dist/src')
  const chunks = readdirSync(built).filter((name) => name.endsWith('.js'))

  test('loads its own modules from bundles, which lie where program-files.ts looks for the rest', () => {
    const pending = ['main.js']
    const reached = new Set<string>()
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (reached.has(name)) continue
      reached.add(name)
      const code = readFileSync(join(built, name), 'utf8')
      for (const [, path = ''] of code.matchAll(/(?:from|import|import\()\s*"(\.[^"]*)"/g)) {
        assert.match(path, /^\.\/[\w-]+\.js$/, `${name} loads ${path}`)
        pending.push(path.slice('./'.length))
      }
    }
    assert.ok(reached.size > 10, 'bundles that are loaded lazily')
    for (const name of reached) assert.ok(chunks.includes(name), name)
  })

  test('asks in one module only where its files lie', () => {
    const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    const asking = sources.filter(
      (path) => path.endsWith('.ts') && readFileSync(join(projectRoot, 'src', path), 'utf8').includes('import.meta'),
    )
    assert.deepEqual(asking, ['program-files.ts'])
  })
})

test('the bill of materials is valid, names Node and each package once, and is the same each time', async () => {
  const contents = {
    sum: '0'.repeat(64),
    target: 'linux-x64',
    node: nodePackage(BASE_LINE, 'linux-x64'),
    partsOfNode: { node: '1', modules: '2', openssl: '3.0.0' },
    packages: ['pino', 'uWebSockets.js', 'lmdb', 'lmdb/node_modules/msgpackr', 'pino'],
  }
  const text = await billOfMaterials(contents)
  assert.equal(await billOfMaterials(contents), text)
  const { components, metadata } = JSON.parse(text)
  const named = components.map(({ name, components: parts }: Component) => [name, parts?.map((part) => part.name)])
  assert.deepEqual(named, [
    ['lmdb', undefined],
    ['msgpackr', undefined],
    [contents.node.package, ['openssl']],
    ['pino', undefined],
    ['uws-pack', undefined],
  ])
  assert.equal(metadata.component.hashes[0].content, contents.sum)
  assert.doesNotMatch(text, /timestamp|serialNumber/)
})

test('a package that is not locked does not get into the bill', () => {
  assert.throws(() => lockedPackage('left-pad'), /package-lock.json has no left-pad/)
})
