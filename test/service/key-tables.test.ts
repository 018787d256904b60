import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, type TestContext, test } from 'node:test'
import { endChild, untilLine } from '../support/child-process.js'
import { projectRoot } from '../support/project-root.js'
import { signRequest, testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/* The service as it is installed, with files of the tables of keys that are missing, damaged, or judge wrongly. */

const WASM = 'dist/src/verify/key-tables.wasm'

interface Running {
  readonly url: string
  readonly metricsUrl: string
  /** Lines of the log so far. */
  readonly log: readonly Record<string, unknown>[]
}

/** A copy of what is shipped, which a test may change. */
function installation(t: TestContext): string {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  mkdirSync(join(path, 'dist'))
  cpSync(join(projectRoot, 'dist/src'), join(path, 'dist/src'), { recursive: true })
  cpSync(join(projectRoot, 'package.json'), join(path, 'package.json'))
  symlinkSync(join(projectRoot, 'node_modules'), join(path, 'node_modules'))
  return path
}

async function start(t: TestContext, path: string, settings: Readonly<Record<string, string>>): Promise<Running> {
  const args = ['dist/src/main.js', 'serve', '--sandbox', '--port', '0', '--data', join(path, 'data')]
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: path,
    env: { PATH: process.env['PATH'], BILLHOOK_VERIFY_THREADS: '1', BILLHOOK_METRICS_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => endChild(child, 'SIGTERM'))
  assert.ok(child.stderr !== null)
  const log: Record<string, unknown>[] = []
  let metricsUrl = ''
  const read = (line: string): string | undefined => {
    if (line.startsWith('{')) log.push(JSON.parse(line))
    metricsUrl = /metrics on (http:\S+)/.exec(line)?.[1] ?? metricsUrl
    return /listening on (http:\S+)/.exec(line)?.[1]
  }
  createInterface({ input: child.stderr }).on('line', read)
  const url = await untilLine(child, read)
  return { url, metricsUrl, log }
}

/** The codes of the answers to valid signatures of one key, so many at once. */
async function codesOfValid(url: string, count: number): Promise<string[]> {
  const key = testKey('installed')
  const send = async (n: number): Promise<string> => {
    const timestamp = String(Date.now())
    const body = JSON.stringify({ name: `${n}` })
    const headers = {
      'X-Service-Api-Key': key.publicKeyHex,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signRequest(key, 'POST /api/invoices', timestamp, body),
    }
    const response = await fetch(`${url}/api/invoices`, { method: 'POST', headers, body })
    return ((await response.json()) as { code: string }).code
  }
  return Promise.all(Array.from({ length: count }, (_, n) => send(n)))
}

async function ready(url: string): Promise<unknown> {
  return (await fetch(`${url}/readyz`)).json()
}

describe('a service whose tables of keys', () => {
  test('are switched off does not need their code', async (t) => {
    const path = installation(t)
    for (const file of [WASM, 'dist/src/verify/key-tables.js', 'dist/src/verify/table-verifier.js']) {
      rmSync(join(path, file))
    }
    const { url, log } = await start(t, path, { BILLHOOK_KEY_TABLES: '0' })
    assert.deepEqual(new Set(await codesOfValid(url, 50)), new Set(['unknown_api_key']))
    const warnings = log.filter(({ level }) => level !== 'info').map(({ msg }) => msg)
    assert.deepEqual(warnings, [`a new, empty store was created in the data directory ${join(path, 'data')}`])
  })

  const damages: Readonly<Record<string, (path: string) => void>> = {
    missing: (path) => rmSync(path),
    damaged: (path) => {
      const code = readFileSync(path)
      code[code.length >> 1] = (code[code.length >> 1] ?? 0) ^ 1
      writeFileSync(path, code)
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    test(`are ${name} warns, and verifies without them`, async (t) => {
      const path = installation(t)
      damage(join(path, WASM))
      const { url, log } = await start(t, path, {})
      assert.deepEqual(new Set(await codesOfValid(url, 50)), new Set(['unknown_api_key']))
      assert.ok(log.some(({ level, msg }) => level === 'warn' && /tables of keys do not run here/.test(String(msg))))
      assert.ok(log.some(({ keyTables }) => keyTables === 0))
      assert.deepEqual(await ready(url), { status: 'ready' })
    })
  }

  test('judge wrongly refuses nothing, logs an error, counts it, and is degraded from then on', async (t) => {
    const path = installation(t)
    appendFileSync(
      join(path, 'dist/src/verify/key-tables.js'),
      `
      const judge = KeyTables.prototype.verify
      let calls = 0
      KeyTables.prototype.verify = function () {
        calls += 1
        // After the self-test and the check of the new table.
        return calls <= 2 ? judge.call(this) : judge.call(this).map(() => 'invalid')
      }
      `,
    )
    const { url, metricsUrl, log } = await start(t, path, {})
    assert.deepEqual(await ready(url), { status: 'ready' })
    for (let round = 0; round < 4; round += 1) {
      assert.deepEqual(new Set(await codesOfValid(url, 50)), new Set(['unknown_api_key']))
    }
    const errors = log.filter(({ level }) => level === 'error')
    assert.deepEqual(
      errors.map(({ msg, reason }) => [msg, reason]),
      [['tables of keys failed and are off until the next start', 'the engine contradicts the verdict invalid']],
    )
    assert.deepEqual(await ready(url), {
      status: 'degraded',
      degraded: ['Tables of keys failed and are off until the next start: see the log.'],
    })
    assert.match(await (await fetch(metricsUrl)).text(), /^billhook_key_table_failures_total 1$/m)
  })
})
