import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.js'
import { projectRoot } from '../support/project-root.js'
import { PYTHON, PYTHON_ENVIRONMENT, pythonAbsence } from '../support/python.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const folder = join(projectRoot, 'examples/start')

interface Start {
  readonly page: string
  readonly program: string
  /** The end of the names of its programs. */
  readonly ending: string
  readonly environment: Readonly<Record<string, string>>
  /** Why it cannot be run here; false if it can. */
  readonly missing: string | false
}

/** Node finds the client by the name of this package. */
const STARTS: readonly Start[] = [
  { page: 'docs/start.md', program: process.execPath, ending: 'mjs', environment: {}, missing: false },
  {
    page: 'docs/start-python.md',
    program: PYTHON,
    ending: 'py',
    environment: PYTHON_ENVIRONMENT,
    missing: pythonAbsence,
  },
]

function inBothModes(start: Start) {
  return ['off', 'on'].map((strict) => ({ ...start, strict }))
}

/** The programs of these pages, run one after another as they say. */
for (const { page, program, ending, environment: own, missing, strict } of STARTS.flatMap(inBothModes)) {
  describe(`${page}, with strict mode ${strict}`, { skip: missing }, () => {
    let sandbox: ServiceFixture
    const place = temporaryDirectory()
    const children: ChildProcess[] = []

    before(async () => {
      // Strict mode sends nothing to this machine unless it is told to.
      const reachable = strict === 'on' ? { BILLHOOK_CALLBACK_ALLOW: '127.0.0.1/32' } : {}
      sandbox = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_STRICT: strict, ...reachable })
    })

    after(async () => {
      for (const child of children) child.kill()
      await sandbox.stop()
      place.remove()
    })

    /** Starts a program; `printed` is what it wrote so far. */
    const started = (name: string, environment: Readonly<Record<string, string>>) => {
      const child = spawn(program, [join(folder, `${name}.${ending}`)], {
        cwd: place.path,
        env: { ...process.env, ...own, ...environment },
      })
      children.push(child)
      const output = { printed: '', ended: once(child, 'close') }
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output.printed += text
        })
      }
      return output
    }

    test('leads from an empty directory to a verified webhook', async () => {
      const port = await freePort()
      const receiverUrl = `http://127.0.0.1:${port}/`
      const setup = started('setup', { BASE_URL: sandbox.url, RECEIVER_URL: receiverUrl })
      assert.deepEqual(await setup.ended, [0, null], setup.printed)
      assert.match(setup.printed, /^Identity [0-9a-f]{64} has the wallet T\w{33}\n$/)
      const receiver = started('receiver', { PORT: String(port) })
      await shown(receiver, 'listening\n')
      const order = started('order', {})
      assert.deepEqual(await order.ended, [0, null], order.printed)
      assert.match(
        order.printed,
        /^Payment page: http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-f]{32}\npaid: 25 USDT received\n$/,
      )
      await shown(receiver, 'confirmed')
      assert.match(
        receiver.printed,
        /^listening\nverified: pending for order-1001-[0-9a-f]{16}\nverified: confirmed for order-1001-[0-9a-f]{16}\n$/,
      )
      assert.equal((await fetch(receiverUrl, { method: 'POST', body: '{"status":"confirmed"}' })).status, 401)
      await shown(receiver, 'rejected: ')
    })
  })
}

/** Waits until a program has written a text. */
async function shown(output: { readonly printed: string }, text: string): Promise<void> {
  for (let round = 0; round < 400 && !output.printed.includes(text); round += 1) await sleep(50)
  assert.ok(output.printed.includes(text), output.printed)
}
