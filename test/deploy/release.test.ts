import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { verify } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { IMAGE_FILES, makeRelease } from '../../deploy/release/make-release.js'
import { flawOfVersion } from '../../deploy/release/version.js'
import { VERSION } from '../../src/version.js'
import { privateKeyPem } from '../support/pem.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { ed25519KeyPem } from '../support/self-signed.js'
import { testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- Something new.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n'
const DATE = '2026-11-22'
const CLIENT_CHANGELOG = '# Changelog\n\n## Unreleased\n\n- A method.\n\n## 1.0.0 (2026-01-01)\n\n- The first.\n'

/** A small checkout with git and npm of its own, in which builds are played. */
class Checkout {
  private readonly place = temporaryDirectory()
  readonly root = join(this.place.path, 'checkout')
  readonly keyFile = join(this.place.path, 'key.pem')
  failingBuild = ''

  constructor() {
    mkdirSync(join(this.root, 'src'), { recursive: true })
    this.write('CHANGELOG.md', CHANGELOG)
    this.write('package.json', JSON.stringify({ name: 'billhook', version: '0.1.0', files: ['src'] }))
    this.write(
      'package-lock.json',
      JSON.stringify({ name: 'billhook', version: '0.1.0', lockfileVersion: 3, packages: {} }),
    )
    mkdirSync(join(this.root, 'packages/client/src'), { recursive: true })
    this.write('packages/client/CHANGELOG.md', CLIENT_CHANGELOG)
    this.writeClient('1.1.0')
    this.write('src/version.ts', "export const VERSION = '0.1.0'\n")
    mkdirSync(join(this.root, 'test/promises'), { recursive: true })
    this.write('test/promises/names.txt', 'a name\n')
    for (const name of IMAGE_FILES) {
      mkdirSync(join(this.root, dirname(name)), { recursive: true })
      this.write(name, 'image: billhook:0.1.0\n')
    }
    this.write('.gitignore', 'dist/\n')
    writeFileSync(this.keyFile, ed25519KeyPem())
    this.run('git', ['init', '--quiet'])
    this.run('git', ['add', '.'])
    this.commit()
  }

  commit(): void {
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
    this.run('git', [...author, 'commit', '--quiet', '--all', '--message', 'A commit'])
  }

  run(program: string, args: readonly string[]): string {
    return execFileSync(program, args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text)
  }

  writeClient(version: string): void {
    this.write('packages/client/package.json', JSON.stringify({ name: '@billhook/client', version }))
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), 'utf8')
  }

  release(version: string, keyFile: string | undefined = this.keyFile): string {
    const run = (program: string, args: readonly string[]) => {
      const isBuild = program === 'node' || args.includes('build:deb')
      return isBuild ? this.playBuild([program, ...args].join(' ')) : this.run(program, args)
    }
    return makeRelease({ root: this.root, version, date: DATE, keyFile, run })
  }

  /** What the builds of the project write. */
  private playBuild(command: string): string {
    if (command.includes(this.failingBuild) && this.failingBuild !== '') throw new Error('the build failed')
    if (command.includes('promise.js')) this.write('test/promises/names.txt', 'a name\nanother\n')
    const target = command.includes('arm64') ? 'linux-arm64' : 'linux-x64'
    for (const folder of ['dist/bin', 'dist/deb']) mkdirSync(join(this.root, folder), { recursive: true })
    for (const end of ['', '.sha256', '.cdx.json']) this.write(`dist/bin/billhook-${target}${end}`, `${target}${end}`)
    this.write('dist/deb/billhook_0.2.0_amd64.deb', 'a package')
    return ''
  }

  remove(): void {
    this.place.remove()
  }
}

function inCheckout(scenario: (checkout: Checkout) => void): () => void {
  return () => {
    const checkout = new Checkout()
    try {
      scenario(checkout)
    } finally {
      checkout.remove()
    }
  }
}

test('a release knows every file that names its image or its chart', () => {
  const named = new RegExp(`billhook(?:-cluster)?:${VERSION}|^appVersion: ${VERSION}$`, 'm')
  const files = ['deploy', 'docs'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name))),
  )
  const naming = files.filter((name) => named.test(readFileSync(join(projectRoot, name), 'utf8')))
  assert.deepEqual(naming.sort(), [...IMAGE_FILES].sort())
})

describe('npm run release', () => {
  test(
    'writes the version, and files with sums that standard tools verify',
    inCheckout((checkout) => {
      const directory = checkout.release('0.2.0')
      assert.deepEqual(readdirSync(directory).sort(), [
        ...['SHA256SUMS', 'SHA256SUMS.sig', 'billhook-0.2.0.tgz', 'billhook-client-1.1.0.tgz'],
        ...[
          'billhook-linux-arm64',
          'billhook-linux-arm64.cdx.json',
          'billhook-linux-x64',
          'billhook-linux-x64.cdx.json',
        ],
        ...['billhook_0.2.0_amd64.deb', 'release-key.pem'],
      ])
      const inRelease = `cd ${directory} &&`
      const sums = checkout.run('sh', ['-c', `${inRelease} sha256sum --check --ignore-missing SHA256SUMS`])
      assert.equal(sums.match(/: OK\n/g)?.length, 7)
      const [text, signature, key] = ['SHA256SUMS', 'SHA256SUMS.sig', 'release-key.pem'].map((name) =>
        readFileSync(join(directory, name)),
      )
      assert.ok(text !== undefined && signature !== undefined && key !== undefined)
      assert.equal(verify(null, text, key, signature), true)

      assert.equal(
        checkout.read('CHANGELOG.md'),
        CHANGELOG.replace('## Unreleased\n', `## Unreleased\n\n## 0.2.0 (${DATE})\n`),
      )
      assert.equal(
        checkout.read('packages/client/CHANGELOG.md'),
        CLIENT_CHANGELOG.replace('## Unreleased\n', `## Unreleased\n\n## 1.1.0 (${DATE})\n`),
      )
      assert.equal(JSON.parse(checkout.read('package.json')).version, '0.2.0')
      assert.equal(JSON.parse(checkout.read('package-lock.json')).version, '0.2.0')
      assert.equal(checkout.read('src/version.ts'), "export const VERSION = '0.2.0'\n")
      for (const name of IMAGE_FILES) assert.equal(checkout.read(name), 'image: billhook:0.2.0\n')
    }),
  )

  test(
    'signs the sums so that the openssl command verifies them',
    { skip: missingPrograms('openssl') },
    inCheckout((checkout) => {
      const directory = checkout.release('0.2.0')
      const command =
        'openssl pkeyutl -verify -pubin -inkey release-key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig'
      const judge = () => checkout.run('sh', ['-c', `cd ${directory} && ${command}`])
      assert.match(judge(), /Signature Verified Successfully/)
      writeFileSync(join(directory, 'SHA256SUMS'), 'forged')
      assert.throws(judge)
    }),
  )

  const refusals: readonly (readonly [what: string, prepare: (checkout: Checkout) => void, expected: RegExp])[] = [
    ['changes that are not committed', (checkout) => checkout.write('new.txt', ''), /not committed:\n\?\? new\.txt/],
    ['a tag of the version', (checkout) => checkout.run('git', ['tag', 'v0.2.0']), /the tag v0\.2\.0 exists/],
    ['a later version', (checkout) => checkout.run('git', ['tag', 'v0.10.0']), /0\.2\.0 goes backwards: 0\.10\.0/],
    [
      'nothing that is unreleased',
      (checkout) => {
        checkout.write('CHANGELOG.md', CHANGELOG.replace('- Something new.\n\n', ''))
        checkout.commit()
      },
      /"## Unreleased" of CHANGELOG\.md is empty/,
    ],
    [
      'no section of what is unreleased',
      (checkout) => {
        checkout.write('CHANGELOG.md', CHANGELOG.replace('## Unreleased', '## Later'))
        checkout.commit()
      },
      /no section "## Unreleased"/,
    ],
    [
      'changes of the client under a version that it had already',
      (checkout) => {
        checkout.writeClient('1.0.0')
        checkout.commit()
      },
      /packages\/client has changed since its version 1\.0\.0: raise it/,
    ],
  ]
  for (const [what, prepare, expected] of refusals) {
    test(
      `refuses a checkout with ${what}, and changes nothing`,
      inCheckout((checkout) => {
        prepare(checkout)
        const before = checkout.run('git', ['status', '--porcelain'])
        assert.throws(() => checkout.release('0.2.0'), expected)
        assert.equal(checkout.run('git', ['status', '--porcelain']), before)
      }),
    )
  }

  test(
    'packs a client that has not changed under the version that it has',
    inCheckout((checkout) => {
      checkout.write('packages/client/CHANGELOG.md', CLIENT_CHANGELOG.replace('- A method.\n\n', ''))
      checkout.writeClient('1.0.0')
      checkout.commit()
      const before = checkout.read('packages/client/CHANGELOG.md')
      assert.ok(readdirSync(checkout.release('0.2.0')).includes('billhook-client-1.0.0.tgz'))
      assert.equal(checkout.read('packages/client/CHANGELOG.md'), before)
    }),
  )

  test(
    'refuses without a key, and with one of another kind',
    inCheckout((checkout) => {
      assert.throws(
        () =>
          makeRelease({
            root: checkout.root,
            version: '0.2.0',
            date: DATE,
            keyFile: undefined,
            run: checkout.run.bind(checkout),
          }),
        /BILLHOOK_RELEASE_KEY/,
      )
      const other = `${checkout.keyFile}.other`
      writeFileSync(other, privateKeyPem(testKey('another kind')))
      assert.throws(() => checkout.release('0.2.0', other), /no Ed25519 key/)
    }),
  )

  for (const failing of ['build:deb', 'arm64']) {
    test(
      `leaves the checkout as it was when ${failing} fails`,
      inCheckout((checkout) => {
        checkout.failingBuild = failing
        assert.throws(() => checkout.release('0.2.0'), /the build failed/)
        assert.equal(checkout.run('git', ['status', '--porcelain']), '')
      }),
    )
  }

  for (const [next, present, tags, expected] of [
    ['0.2.0', '0.1.0', ['v0.1.0'], null],
    ['0.1.0', '0.1.0', [], null],
    ['0.1.0', '0.1.0', ['v0.1.0'], /exists already/],
    ['0.10.0', '0.9.9', ['v0.9.9', 'a tag of another kind'], null],
    ['0.9.10', '0.10.0', [], /goes backwards/],
    ['1.0', '0.1.0', [], /not a version/],
    ['1.0.0-rc.1', '0.1.0', [], /not a version/],
    ['01.0.0', '0.1.0', [], /not a version/],
    ['', '0.1.0', [], /not a version/],
  ] as const) {
    test(`${expected === null ? 'takes' : 'refuses'} ${next || 'nothing'} after ${present} and ${tags.join(', ') || 'no tag'}`, () => {
      const flaw = flawOfVersion(next, present, tags)
      if (expected === null) assert.equal(flaw, null)
      else assert.match(flaw ?? '', expected)
    })
  }
})
