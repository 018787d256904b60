import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Shop } from '../cli/shop.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { runBash } from '../support/shell.js'

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
/** Several times what it takes on a slow machine. */
const TIMEOUT_MS = 120_000

describe('docs/cli.md', { skip: missingPrograms('bash', 'curl', 'openssl') }, () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open()
    const program = join(shop.files, 'billhook')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    chmodSync(program, 0o755)
  })

  after(() => shop.close())

  test('has blocks that work when they are pasted one after another', async () => {
    const page = readFileSync(join(projectRoot, 'docs/cli.md'), 'utf8')
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
    assert.ok(blocks.length >= 5)
    const { code, stdout, stderr } = await runBash(['-es'], {
      script: `set -o pipefail; cd '${shop.files}'\n${blocks.join('\n')}`,
      environment: {
        PATH: `${shop.files}:${process.env['PATH']}`,
        BASE_URL: shop.service.url,
        IDENTITY: shop.owner,
        WALLET: Shop.wallets.SEP,
        DATA: shop.data,
      },
      timeoutMs: TIMEOUT_MS,
    })
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Registered {3}[0-9a-f]{16}, for [0-9a-f]{64}, as shop$/m)
    assert.match(stdout, /^Payment +paid: 25 USDT received$/m)
    assert.match(stdout, /^Payment +paid: 1 of 30\.00 EUR received \(32\.61 USDT\)$/m)
    assert.match(stdout, /^\S+\t[0-9a-f]{32}\tpaid\t25\tUSDT\t25\torder-1001-/m)
    assert.match(stdout, /^\S+\t[0-9a-f]{32}\tunpaid\t26\tnative\t0\t-\tTea set\t-$/m)
  })
})
