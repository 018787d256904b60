import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { privateKeyPem } from '../support/pem.js'
import { signRequest, testKey } from '../support/signing.js'
import { Shop } from './shop.js'

const key = testKey('a signed shop')
const other = testKey('another key of the shop')
const BODY = '{"walletIds":["wallet-trx"],"name":"Tea","amount":"25"}'

describe('billhook doctor signature', () => {
  let shop: Shop
  before(async () => {
    shop = await Shop.open()
    for (const [name, one] of Object.entries({ key, other })) {
      writeFileSync(join(shop.files, `${name}.pem`), privateKeyPem(one), { mode: 0o600 })
    }
    await shop.service.register(shop.owner, key, { label: 'till' })
    await shop.service.register(shop.owner, other, { label: 'web shop' })
  })
  after(() => shop.close())

  const explain = (signature: string, flags: readonly string[] = [], apiKey = key.publicKeyHex, timestamp = now()) => {
    const headers = { 'X-Service-Api-Key': apiKey, 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature }
    const lines = Object.entries(headers).map(([name, value]) => `> ${name}: ${value}\r\n`)
    writeFileSync(join(shop.files, 'headers'), `> POST /api/invoices HTTP/1.1\r\n${lines.join('')}`)
    writeFileSync(join(shop.files, 'body'), BODY)
    return shop.run([
      'doctor',
      'signature',
      'post',
      '/api/invoices',
      '--headers',
      'headers',
      '--body',
      'body',
      ...flags,
    ])
  }

  test('explains a wrong text in words, and says what the service verifies', async () => {
    const timestamp = now()
    const signature = signRequest(key, 'POST /api/invoices', timestamp, `${BODY}\n`)
    const { code, stdout, stderr } = await explain(signature, [], key.publicKeyHex, timestamp)
    assert.deepEqual([code, stderr], [1, ''])
    assert.match(stdout, /^The signature is not valid\. This is why:\n- The signed body has a line break at its end/)
    assert.match(stdout, /\n {2}First line {2}POST \/api\/invoices\n/)
    assert.match(stdout, /\n {2}In all {6}88 bytes, SHA-256 [0-9a-f]{64}\n/)
    assert.match(stdout, /\nNote: Whether the key is registered was not looked up/)
  })

  test('says that a signature is valid, and what else is wrong', async () => {
    const timestamp = String(Date.now() - 600_000)
    const signature = signRequest(key, 'POST /api/invoices', timestamp, BODY)
    const { code, stdout, stderr } = await explain(signature, [], key.publicKeyHex, timestamp)
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(stdout.startsWith(`The signature is valid, made by ${key.publicKeyHex}.\n`), stdout)
    assert.match(stdout, /\nNote: The timestamp is 60\d s ago: .* invalid_timestamp by now\.\n/)
    assert.match(stdout, /request_repeated/)
  })

  test('finds the key of the owner that signed, through the data directory and over the network', async () => {
    for (const service of [
      ['--data', shop.data],
      ['--url', shop.service.url],
    ]) {
      const timestamp = now()
      const signature = signRequest(other, 'POST /api/invoices', timestamp, BODY)
      const flags = ['--owner', shop.owner, '--json', ...service]
      const { code, stdout, stderr } = await explain(signature, flags, key.publicKeyHex, timestamp)
      assert.deepEqual([code, stderr], [1, ''])
      const { isValid, differences, signer } = JSON.parse(stdout)
      assert.deepEqual([isValid, signer], [false, other.publicKeyHex])
      assert.match(differences[0].text, /^The header names another key .*, the key [0-9a-f]{16} \(web shop\)\.$/)
    }
  })

  test('says when the key cannot be used, though the signature is valid', async () => {
    const stranger = testKey('a stranger')
    const timestamp = now()
    const signature = signRequest(stranger, 'POST /api/invoices', timestamp, BODY)
    const flags = ['--owner', shop.owner, '--data', shop.data]
    const { code, stdout } = await explain(signature, flags, stranger.publicKeyHex, timestamp)
    assert.equal(code, 0)
    assert.match(
      stdout,
      /\nNote: The owner has not registered the key in the header: unknown_api_key, or not_owner\.\n/,
    )
  })

  test('says that nothing explains it, and which headers are missing', async () => {
    const unexplained = await explain(signRequest(key, 'nothing', '1', 'else'), ['--json'])
    assert.equal(JSON.parse(unexplained.stdout).differences, null)
    const incomplete = await explain('', [])
    assert.deepEqual([incomplete.code, incomplete.stdout], [1, ''])
    assert.match(incomplete.stderr, /^billhook: the headers lack X-Service-Signature, which is missing_auth_headers\n$/)
  })

  test('does not search in a body that no service takes', async () => {
    await explain(signRequest(key, 'nothing', '1', 'else'), ['--json'])
    writeFileSync(join(shop.files, 'large'), Buffer.alloc(65_537))
    const { code, stderr } = await shop.run([
      ...['doctor', 'signature', 'POST', '/api/invoices', '--headers', 'headers', '--body', 'large'],
    ])
    assert.deepEqual([code, stderr], [1, 'billhook: the body has more than 65536 bytes, which is body_too_large\n'])
  })

  test('refuses a wrong command line at once', async () => {
    const { code, stderr } = await shop.program(['doctor', 'signature', 'GET', '/nowhere', '--body', '-'])
    assert.equal(code, 2)
    assert.match(stderr, /^doctor signature needs --headers\.\n"GET \/nowhere" is no endpoint of the API/)
  })

  test('leaves the flags of the doctor to the doctor', async () => {
    const { code, stderr } = await shop.run(['doctor', '--headers', 'headers'])
    assert.equal(code, 2)
    assert.match(stderr, /^"--headers" is not a flag/)
  })
})

function now(): string {
  return String(Date.now())
}
