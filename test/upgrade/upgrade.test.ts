import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, pushEvents } from '../chaos/http-client.js'
import { earlierAnswers, putEarlierData } from '../support/earlier-data.js'
import { signedHeaders } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import type { TestKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { lost, readAnswers } from './answers.js'
import { KEYS, UNFINISHED_OWNER } from './history.js'

async function create(url: string, fields: object, key?: TestKey): Promise<string> {
  const body = JSON.stringify({ owner: 'alice', walletIds: ['w1'], currency: 'USDT', name: 'Later', ...fields })
  const headers = key === undefined ? {} : signedHeaders(key, body, String(Date.now()))
  const answer = await ask('POST', `${url}/api/invoices`, body, headers)
  return answer?.status === 201 ? 'created' : String(answer?.json.code)
}

test('the service answers about the data of version 0.1.0 as that version did, and goes on with it', async () => {
  const { path, remove } = temporaryDirectory()
  putEarlierData(path)
  const before = earlierAnswers()
  const paid = JSON.stringify(before).match(/"status":"paid"/g) ?? []
  assert.ok(paid.length > 40)
  try {
    for (const start of ['migrates', 'finds it migrated']) {
      const service = await ServiceProcess.start(path)
      try {
        assert.deepEqual(
          lost(before, await readAnswers((path) => ask('GET', `${service.url}${path}`))),
          [],
          `a service that ${start}`,
        )
        if (start === 'finds it migrated') await goOn(service.url)
      } finally {
        await service.stop()
      }
    }
  } finally {
    remove()
  }
})

async function goOn(url: string): Promise<void> {
  const cut = await ask('GET', `${url}/api/users/${UNFINISHED_OWNER}/webhook/deliveries`)
  assert.deepEqual([cut?.json.length, cut?.json[0].state, cut?.json[0].failure], [1, 'failed', 'interrupted'])

  assert.equal(await create(url, { amount: '55' }, KEYS.active), 'created')
  assert.equal(await create(url, { amount: '56' }, KEYS.expired), 'api_key_expired')
  assert.equal(await create(url, { amount: '56' }, KEYS.revoked), 'api_key_revoked')
  assert.equal(await create(url, { amount: '55' }), 'amount_in_use')
  assert.equal(await create(url, { owner: 'bob', walletIds: ['w4'], amount: '77' }), 'amount_in_use')
  assert.equal(await create(url, { amount: '10' }), 'created')

  const again = await pushEvents(url, [{ id: 'past 1', type: 'identity.onboarded', identity: 'mallory' }])
  assert.equal(again?.json.results[0].status, 'duplicate')
}
