import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { runBash } from '../support/shell.js'
import { noWalkThrough } from '../support/walk-through.js'

/** Several times what it takes on a slow machine. */
const TIMEOUT_MS = 60_000

/** A transcript without what differs from run to run: keys, ids, addresses, signatures, times and ports. */
function constant(transcript: string): string {
  return transcript
    .trim()
    .replace(/127\.0\.0\.1:\d+/g, '<host>')
    .replace(/\bT[1-9A-HJ-NP-Za-km-z]{33}\b|\b0x[0-9A-Fa-f]{40}\b/g, '<address>')
    .replace(/\bM[EF][A-Za-z0-9+/]{60,}=*/g, '<signature>')
    .replace(/\b(0x)?[0-9a-f]{8,}\b/g, '<value>')
}

describe('the walk-through', { skip: noWalkThrough }, () => {
  let sandbox: ServiceFixture

  before(async () => {
    sandbox = await ServiceFixture.start({
      BILLHOOK_SANDBOX: 'on',
      BILLHOOK_SANDBOX_LEDGER: 'quiet',
      BILLHOOK_GATEWAY_SECRET: undefined,
    })
  })

  after(() => sandbox.stop())

  test('goes from a fresh identity to a paid order with two verified webhooks, and prints what its page shows', async () => {
    const { code, stdout, stderr } = await runBash(['examples/quickstart.sh'], {
      environment: { BASE_URL: sandbox.url },
      timeoutMs: TIMEOUT_MS,
    })
    assert.equal(stderr, '')
    assert.ok(stdout.endsWith('Everything was as expected.\n'), stdout)
    assert.equal(code, 0)
    const walkthrough = readFileSync(join(projectRoot, 'docs/walkthrough.md'), 'utf8')
    const shown = [...walkthrough.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
    const [, ...printed] = stdout.split(/^== .*\n/m)
    // But for values that are new each time.
    assert.deepEqual(printed.map(constant), shown.map(constant))
  })

  test('goes there also when the blocks of docs/walkthrough.md are pasted, and twice on one service', async () => {
    const walkthrough = readFileSync(join(projectRoot, 'docs/walkthrough.md'), 'utf8')
    const blocks = [...walkthrough.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
    const { code, stdout, stderr } = await runBash(['-s'], {
      script: blocks.join('\n'),
      environment: { BASE_URL: sandbox.url },
      timeoutMs: TIMEOUT_MS,
    })
    assert.equal(stderr, '')
    assert.ok(stdout.endsWith('Everything was as expected.\n'), stdout)
    assert.equal(code, 0)
  })

  test('ends with 1 and a reason when an answer is not as expected', async () => {
    const { code, stderr } = await runBash(['examples/quickstart.sh'], {
      environment: { BASE_URL: `${sandbox.url}/nowhere` },
      timeoutMs: TIMEOUT_MS,
    })
    assert.equal(stderr, 'quickstart: expected status 200, got 404\n')
    assert.equal(code, 1)
  })

  test('has a banner whose commands work when they are pasted one after another', async () => {
    const commands = sandbox.service.banner.filter((line) => line.startsWith('  ')).map((line) => line.trim())
    assert.ok(commands.includes(`BASE_URL=${sandbox.url} bash examples/quickstart.sh`))
    const { code, stdout, stderr } = await runBash(['-es'], {
      script: `${commands.join('\n')}\n`,
      timeoutMs: TIMEOUT_MS,
    })
    assert.equal(stderr, '')
    assert.equal(code, 0)
    assert.ok(stdout.includes('Everything was as expected.\n{"notice"'), stdout)
    assert.match(stdout, /"currency":"Tether","amount":"1500000","kind":"pending"/)
  })
})
