import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { absenceOf, missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'

/* The tests of `packages/python` are written in Python. Here they get the sandboxes that they need. */

const PACKAGE = join(projectRoot, 'packages/python')
/** Nothing is written beside the sources, and a connection that is left open is told. */
const PYTHON = ['-B', '-W', 'error::ResourceWarning']

const MODULES = ['cryptography', 'mypy']
/** Another Python may come first in the path than the one for which Debian has packages. */
const PROGRAM =
  ['python3', '/usr/bin/python3'].find((program) => MODULES.every((name) => hasModule(program, name))) ?? 'python3'
const noPython = missingPrograms('python3') || missingModule('cryptography')

function hasModule(program: string, name: string): boolean {
  return spawnSync(program, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0
}

function missingModule(name: string): string | false {
  return hasModule(PROGRAM, name) ? false : absenceOf(`python3-${name}`)
}

/** Runs Python in the folder of the package, and answers what it said. */
async function python(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { ...process.env, PYTHONPATH: join(PACKAGE, 'src'), ...environment }
  const child = spawn(PROGRAM, [...PYTHON, ...args], { cwd: PACKAGE, env })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, told)
  return told
}

/** That tests ran, and that none was skipped. */
function assertAllRan(told: string, atLeast: number): void {
  const [, count = ''] = /^Ran (\d+) tests? in /m.exec(told) ?? []
  assert.ok(Number(count) >= atLeast, told)
  assert.match(told, /^OK$/m)
  assert.doesNotMatch(told, /ResourceWarning/)
}

describe('the Python package', { skip: noPython }, () => {
  let sandbox: ServiceFixture
  let strict: ServiceFixture
  before(async () => {
    sandbox = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
    strict = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_STRICT: 'on' })
  })
  after(async () => {
    await strict.stop()
    await sandbox.stop()
  })

  test('passes its tests, those with a sandbox too', async () => {
    const urls = { BILLHOOK_URL: sandbox.url, BILLHOOK_STRICT_URL: strict.url }
    assertAllRan(await python(['-m', 'unittest', 'discover', '--start-directory', 'tests'], urls), 100)
  })

  test('has types that fit', { skip: noPython || missingModule('mypy') }, async () => {
    assertAllRan(await python(['tests/check_types.py']), 4)
  })
})
