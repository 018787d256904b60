import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type Environment, readSettings, type Settings } from '../../src/config.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const SECRET = 'hunter2 hunter2 hunter2'

const place = temporaryDirectory()
after(() => place.remove())

function file(name: string, contents: string): string {
  const path = join(place.path, name)
  writeFileSync(path, contents)
  return path
}

function accepted(environment: Environment): Settings {
  const outcome = readSettings([], environment)
  assert.ok('settings' in outcome, JSON.stringify(outcome))
  return outcome.settings
}

function problems(environment: Environment): readonly string[] {
  const outcome = readSettings([], environment)
  assert.ok('problems' in outcome)
  assert.ok(!outcome.problems.join().includes('hunter2'))
  return outcome.problems
}

describe('a secret in a file', () => {
  test('is the contents without the line breaks at the end', () => {
    for (const end of ['', '\n', '\r\n', '\n\n']) {
      const path = file('secret', `${SECRET}${end}`)
      assert.deepEqual(accepted({ BILLHOOK_GATEWAY_SECRET_FILE: path }).gatewaySecrets, [SECRET])
    }
  })

  test('can be every secret setting, and no other', () => {
    const settings = accepted({
      BILLHOOK_SEP_TOKEN: `0x${'1'.repeat(40)}`,
      BILLHOOK_TRX_NILE_TOKEN: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
      BILLHOOK_SEP_URLS_FILE: file('sep', 'https://a.example/key, https://b.example/key\n'),
      BILLHOOK_TRX_NILE_URLS_FILE: file('nile', 'https://c.example'),
      BILLHOOK_TRX_NILE_API_KEY_FILE: file('key', 'k'),
      BILLHOOK_GATEWAY_SECRET_FILE: file('gateway', `${SECRET} new,${SECRET}`),
    })
    assert.deepEqual(settings.sepUrls, ['https://a.example/key', 'https://b.example/key'])
    assert.deepEqual(settings.trxNileUrls, ['https://c.example'])
    assert.equal(settings.trxNileApiKey, 'k')
    assert.deepEqual(settings.gatewaySecrets, [`${SECRET} new`, SECRET])
    assert.match(problems({ BILLHOOK_PORT_FILE: file('port', '1') })[0] ?? '', /^BILLHOOK_PORT_FILE is not a setting; /)
  })

  test('counts as unset when its variable is empty', () => {
    assert.deepEqual(accepted({ BILLHOOK_GATEWAY_SECRET_FILE: '' }).gatewaySecrets, [])
  })

  test('is a problem together with the variable itself', () => {
    const both = { BILLHOOK_GATEWAY_SECRET: SECRET, BILLHOOK_GATEWAY_SECRET_FILE: file('secret', SECRET) }
    assert.deepEqual(problems(both), [
      'BILLHOOK_GATEWAY_SECRET and BILLHOOK_GATEWAY_SECRET_FILE are both set: unset one of them.',
    ])
  })

  test('that cannot be read, is empty or never ends is one line', () => {
    mkdirSync(join(place.path, 'directory'))
    for (const [path, why] of [
      [join(place.path, 'absent'), 'there is no such file'],
      [join(place.path, 'directory'), 'it is a directory'],
      [file('empty', '\n'), 'it is empty'],
      ['/dev/zero', 'it is longer than 65536 bytes'],
    ] as const) {
      assert.deepEqual(problems({ BILLHOOK_GATEWAY_SECRET_FILE: path }), [
        `BILLHOOK_GATEWAY_SECRET_FILE: cannot use the file ${JSON.stringify(path)}: ${why}.`,
      ])
    }
  })

  test('is checked like the variable, and never repeated', () => {
    assert.deepEqual(problems({ BILLHOOK_GATEWAY_SECRET_FILE: file('short', 'hunter2') }), [
      'BILLHOOK_GATEWAY_SECRET must be at least 16 characters long and without a comma, or two such secrets with a comma between them.',
    ])
  })
})

describe('the secret of the gateway', () => {
  test('is one, or two with a comma between them; blanks count elsewhere', () => {
    assert.deepEqual(accepted({ BILLHOOK_GATEWAY_SECRET: ` ${SECRET} ` }).gatewaySecrets, [` ${SECRET} `])
    assert.deepEqual(accepted({ BILLHOOK_GATEWAY_SECRET: `new ${SECRET} , ${SECRET}` }).gatewaySecrets, [
      `new ${SECRET}`,
      SECRET,
    ])
    for (const wrong of [`${SECRET},`, `${SECRET},short`, `${SECRET},${SECRET},${SECRET}`]) {
      assert.equal(problems({ BILLHOOK_GATEWAY_SECRET: wrong }).length, 1)
    }
  })
})
