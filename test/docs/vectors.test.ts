import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keySigner, signedHeaders, verifyWebhook } from '@billhook/client'
import { expectedText } from '../../src/auth/diagnosis/diagnosis.js'
import { noble } from '../../src/crypto/noble.js'
import { readPrivateKey } from '../../src/crypto/signing-key.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { projectRoot } from '../support/project-root.js'
import { signDer } from '../support/signing.js'

function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

const { key, requests, webhooks } = JSON.parse(read('examples/snippets/vectors.json'))
const [signing, receiving] = [read('docs/signing.md'), read('docs/webhooks.md')]
const programs = read('docs/signing/programs.md')

/** Every value that a page shows stands there as code. */
function assertShown(page: string, values: readonly string[]): void {
  for (const value of values) assert.ok(page.includes(`| \`${value}\` |`), value)
}

describe('examples/snippets/vectors.json', () => {
  test('has a key, in all of its spellings', () => {
    const read = readPrivateKey(key.pem)
    assert.ok(read instanceof Uint8Array)
    assert.equal(Buffer.from(read).toString('hex'), key.privateKey)
    assert.equal(keySigner(read).publicKey, key.publicKey)
    assertShown(signing, [key.privateKey, key.publicKey])
  })

  for (const vector of requests) {
    test(`has a signed request: ${vector.firstLine}`, async () => {
      const { firstLine, timestamp, body, text, textHex, signatureDer, signature, highSSignature } = vector
      assert.equal(text, `${firstLine}\n${timestamp}\n${body}`)
      assert.equal(Buffer.from(text).toString('hex'), textHex)
      assert.equal(createHash('sha256').update(text).digest('hex'), vector.sha256)
      const request = { tag: firstLine, tags: [], method: '', path: '', apiKey: key.publicKey, timestamp, signature }
      assert.equal(expectedText({ ...request, body: Buffer.from(body) }).sha256, vector.sha256)
      const [digest, publicKey] = [Buffer.from(vector.sha256, 'hex'), Buffer.from(key.publicKey, 'hex')]
      for (const one of [signature, highSSignature]) {
        assert.ok(noble.verify(Buffer.from(one, 'base64'), digest, publicKey))
      }
      assert.equal(Buffer.from(signature, 'base64').toString('hex'), signatureDer)
      const secretKey = Buffer.from(key.privateKey, 'hex')
      const made = signDer(Buffer.from(text), { secretKey, publicKey, publicKeyHex: key.publicKey })
      assert.equal(made.toString('base64'), signature)
      const headers = await signedHeaders(keySigner(key.privateKey), firstLine, Buffer.from(body), Number(timestamp))
      assert.equal(headers['X-Service-Signature'], signature)
      assertShown(signing, [firstLine, timestamp, textHex, vector.sha256, signature])
    })
  }

  for (const { secrets, body, headers } of webhooks) {
    test(`has a webhook that ${secrets.length} secrets sign`, () => {
      const [current, previous = null] = secrets
      const timestamp = Number(headers['webhook-timestamp'])
      const delivery = { id: headers['webhook-id'], body: Buffer.from(body) }
      const { 'User-Agent': _, ...made } = deliveryHeaders(delivery, { current, previous }, timestamp * 1000)
      assert.deepEqual(made, headers)
      for (const secret of secrets) {
        assert.equal(verifyWebhook(body, headers, secret, { nowMs: timestamp * 1000 }).id, delivery.id)
      }
      assertShown(receiving, [...secrets, headers['webhook-signature'], headers['X-Service-Signature']])
      assert.ok(receiving.includes(body))
    })
  }
})

/** Each leads a shop through three programs. */
const STARTS = ['docs/start.md', 'docs/start-python.md']

describe('the programs of the docs', () => {
  test('are every file of examples/snippets and examples/start, on one page each', () => {
    const shown = [programs, receiving, read('docs/webhooks-events.md'), ...STARTS.map(read)].flatMap((page) =>
      [...page.matchAll(/^<!-- file (\S+) -->$/gm)].map(([, file = '']) => file),
    )
    assert.equal(new Set(shown).size, 8 * 2 + 1 + STARTS.length * 3)
    assert.equal(shown.length, 8 * 2 + 1 + STARTS.length * 3)
  })
})
