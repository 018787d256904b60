import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseServer } from '../../src/http/choose-server.js'
import { NodeServer } from '../../src/http/node/server.js'
import { ForeignBinary } from '../../src/http/uws/binary.js'

const available = (): Promise<{ UwsServer: typeof NodeServer }> => Promise.resolve({ UwsServer: NodeServer })
const missing = (): Promise<never> => Promise.reject(new Error('no binary'))

describe('the choice of the HTTP engine', () => {
  test('is the fast one where it exists', async () => {
    assert.equal((await chooseServer('auto', available)).name, 'uws')
    assert.equal((await chooseServer('uws', available)).name, 'uws')
  })

  test('falls back to node:http with the reason', async () => {
    const chosen = await chooseServer('auto', missing)
    assert.equal(chosen.name, 'node')
    assert.equal(chosen.Server, NodeServer)
    assert.match(chosen.reason, /no binary for Node v/)
  })

  test('fails clearly when the fast one is asked for and does not exist', async () => {
    await assert.rejects(chooseServer('uws', missing), /no binary for Node v/)
  })

  test('falls back from a binary that is not known, and says that somebody should look', async () => {
    const foreign = (): Promise<never> => Promise.reject(new ForeignBinary('uws.node'))
    const chosen = await chooseServer('auto', foreign)
    assert.deepEqual([chosen.name, chosen.isSuspicious], ['node', true])
    assert.match(chosen.reason, /not the expected one/)
    await assert.rejects(chooseServer('uws', foreign), ForeignBinary)
  })

  test('does not load what is not asked for', async () => {
    assert.equal((await chooseServer('node', () => assert.fail('loaded'))).name, 'node')
  })
})
