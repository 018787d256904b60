import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { freePort } from '../support/free-port.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'

const page = readFileSync(join(projectRoot, 'docs/client.md'), 'utf8')
const WALK_THROUGH_LINES = 20
const SECRET = '0123456789abcdef'.repeat(4)
const BODY = Buffer.from(JSON.stringify({ status: 'confirmed', reference: 'order-1' }))
const START_ATTEMPTS = 200

/** The first program below a heading of the page. */
function programBelow(heading: string): string {
  const [, below = ''] = page.split(`\n${heading}\n`)
  return /^```js\n([\s\S]*?)^```$/m.exec(below)?.[1] ?? assert.fail(`nothing below ${heading}`)
}

function delivery(): Record<string, string> {
  return { ...deliveryHeaders({ id: 'a'.repeat(32), body: BODY }, { current: SECRET, previous: null }, Date.now()) }
}

describe('the README of the package', () => {
  const readme = readFileSync(join(projectRoot, 'packages/client/README.md'), 'utf8')

  test('shows the program of docs/client.md that pays an invoice', () => {
    assert.ok(readme.includes(`\`\`\`js\n${programBelow('## From nothing to a paid order')}\`\`\``))
  })

  test('shows a receiver that works', async () => {
    const [, program = ''] = /^## A webhook\n\n```js\n([\s\S]*?)^```$/m.exec(readme) ?? []
    const folder = join(projectRoot, 'dist/test/client')
    const path = join(folder, 'readme-receiver.mjs')
    writeFileSync(path, program)
    const { receive } = await import(path)
    assert.deepEqual(receive(BODY, delivery(), SECRET), {
      status: 204,
      id: 'a'.repeat(32),
      payload: JSON.parse(BODY.toString()),
    })
    assert.deepEqual(receive(BODY, { ...delivery(), 'webhook-id': 'another' }, SECRET), { status: 401 })
  })
})

describe('docs/client.md', () => {
  // Inside the project, where the programs find its packages, and the client by the name of the package itself.
  const folder = join(projectRoot, 'dist/test/client/programs')
  before(() => mkdirSync(folder, { recursive: true }))
  after(() => rmSync(folder, { recursive: true }))

  const written = (name: string, program: string): string => {
    const path = join(folder, name)
    writeFileSync(path, program)
    return path
  }

  /** Runs a program as a process that ends with the test; `printed` is what it wrote so far. */
  const started = (t: TestContext, path: string, environment: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [path], { env: { ...process.env, ...environment } })
    const closed = once(child, 'close')
    const output = { printed: '', closed }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output.printed += text
      })
    }
    t.after(async () => {
      child.kill()
      await closed
    })
    return output
  }

  for (const strict of ['off', 'on']) {
    test(`goes from nothing to a paid order in twenty lines, with strict mode ${strict}`, async (t) => {
      const fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_STRICT: strict })
      t.after(() => fixture.stop())
      const program = programBelow('## From nothing to a paid order')
      assert.ok(program.split('\n').filter((line) => line !== '').length <= WALK_THROUGH_LINES)
      assert.ok(program.includes("'http://127.0.0.1:8080'"))
      const output = started(t, written('shop.mjs', program.replace('http://127.0.0.1:8080', fixture.url)))
      assert.deepEqual(await output.closed, [0, null], output.printed)
      assert.match(output.printed, /^Pay at http:\/\/127\.0\.0\.1:\d+\/order\/[0-9a-f]{32}\npaid: 25\.00 EUR\n$/)
    })
  }

  for (const [heading, path] of [
    ['### Node', '/'],
    ['### Express', '/billhook'],
    ['### Fastify', '/billhook'],
  ] as const) {
    test(`has a receiver that works: ${heading}`, async (t) => {
      const port = await freePort()
      const program = written(`${heading.slice(4).toLowerCase()}.mjs`, programBelow(heading))
      const output = started(t, program, { PORT: String(port), WEBHOOK_SECRET: SECRET })
      const url = `http://127.0.0.1:${port}${path}`
      const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body: BODY })
      assert.equal((await whenListening(() => post(delivery()), output)).status, 204, output.printed)
      assert.equal((await post({ ...delivery(), 'webhook-id': 'another' })).status, 401)
      assert.equal((await post({ 'Content-Type': 'application/json' })).status, 401)
      assert.equal(output.printed, 'confirmed order-1\n')
    })
  }

  test('has a receiver that works: ### Hono', async (t) => {
    const program = `process.env.WEBHOOK_SECRET = '${SECRET}'\n${programBelow('### Hono')}`
    const lines: unknown[] = []
    t.mock.method(console, 'log', (...line: unknown[]) => lines.push(line))
    const { default: app } = await import(written('hono.mjs', program))
    const post = (headers: Record<string, string>) => {
      return app.fetch(new Request('http://shop.example/billhook', { method: 'POST', headers, body: BODY }))
    }
    assert.equal((await post(delivery())).status, 204)
    assert.equal((await post({ ...delivery(), 'webhook-id': 'another' })).status, 401)
    assert.deepEqual(lines, [['confirmed', 'order-1']])
  })

  test('names every method of the client', async () => {
    const { Billhook } = await import('@billhook/client')
    const missing = Object.getOwnPropertyNames(Billhook.prototype).filter(
      (name) => name !== 'constructor' && !page.includes(`${name}(`) && !page.includes(`\`${name}\``),
    )
    assert.deepEqual(missing, [])
  })
})

async function whenListening(ask: () => Promise<Response>, output: { readonly printed: string }): Promise<Response> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    try {
      return await ask()
    } catch {
      await sleep(50)
    }
  }
  return assert.fail(`it does not listen: ${output.printed}`)
}
