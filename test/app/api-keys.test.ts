import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stateOfKey } from '../../packages/app/src/api-keys/key-state.js'
import { clientLines, keyFile, readKeyFile } from '../../packages/app/src/api-keys/key-text.js'

const PARTS = {
  url: 'https://pay.example',
  owner: 'shop',
  label: 'till',
  publicKey: '02aa',
  privateKey: '11'.repeat(32),
}

describe('an API key that somebody is given', () => {
  test('is read from its file again', () => {
    assert.deepEqual(readKeyFile(keyFile(PARTS)), { owner: 'shop', privateKey: PARTS.privateKey })
    for (const other of ['', 'null', '[]', '{"owner":"shop"}', '{"owner":1,"privateKey":"a"}', PARTS.privateKey]) {
      assert.equal(readKeyFile(other), null, other)
    }
  })

  test('is a line of a program that no owner can break out of', () => {
    const owner = '"})\nprocess.exit()//'
    const lines = clientLines({ ...PARTS, owner }).split('\n')
    assert.equal(lines.length, 7)
    assert.ok(lines.includes(`  owner: ${JSON.stringify(owner)},`))
  })

  test('is active until it is revoked or its time is over', () => {
    assert.deepEqual(
      [
        stateOfKey({ revoked_at: null, expires_at: null }, 5),
        stateOfKey({ revoked_at: null, expires_at: 6 }, 5),
        stateOfKey({ revoked_at: null, expires_at: 5 }, 5),
        stateOfKey({ revoked_at: 1, expires_at: 6 }, 5),
      ],
      ['active', 'active', 'expired', 'revoked'],
    )
  })
})
