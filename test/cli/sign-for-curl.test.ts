import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingPrograms } from '../support/programs.js'
import { runSh } from '../support/shell.js'
import { Shop } from './shop.js'

const TIMEOUT_MS = 60_000

test('a merchant of a service in strict mode signs a request for curl', {
  skip: missingPrograms('curl'),
}, async (t) => {
  const shop = await Shop.open('strict')
  t.after(() => shop.close())
  const { url } = shop.service
  const flags = ['--url', url, '--owner', shop.owner, '--label', 'shop', '--key', 'identity.pem']
  await shop.json(['keygen', 'api.pem', '--register', ...flags])
  const environment = { BILLHOOK_URL: url, BILLHOOK_KEY_FILE: 'api.pem', BILLHOOK_OWNER: shop.owner }
  const curl = async (...request: readonly string[]) => {
    const { code, stdout } = await shop.run(['sign', ...request, '--curl'], environment)
    assert.equal(code, 0)
    const answer = await runSh(['-c', `cd '${shop.files}' && ${stdout}`], { timeoutMs: TIMEOUT_MS })
    return JSON.parse(answer.stdout)
  }
  const body = { walletIds: [Shop.wallets.SEP], name: "it's", amount: '6', reference: 'curl' }
  writeFileSync(join(shop.files, "it's.json"), JSON.stringify(body))
  const { id } = await curl('POST', '/api/invoices', '--body', "it's.json")
  assert.equal((await curl('get', `/api/invoices/${id}`)).name, "it's")
})
