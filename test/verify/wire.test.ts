import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type BatchVerifier,
  encodeBatch,
  readAnswer,
  recordBytes,
  type VerifyRequest,
  verifyBatch,
} from '../../src/verify/wire.js'
import { signedText } from '../support/signing.js'

interface Seen {
  readonly signature: string
  readonly digest: string
  readonly publicKey: string
}

/** Notes what it is asked and accepts every signature of a single zero byte. */
function notingVerifier(seen: Seen[]): BatchVerifier {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  return {
    verifyAll: (all) => ({
      valid: all.map(({ signature, digest, publicKey }) => {
        seen.push({ signature: hex(signature), digest: hex(digest), publicKey: hex(publicKey) })
        return hex(signature) === '00'
      }),
      complaint: null,
    }),
  }
}

const requests: VerifyRequest[] = [
  { publicKey: Buffer.alloc(33, 1), signature: 'AA==', routeTag: 'POST /a', timestamp: '1', body: Buffer.from('{}') },
  { publicKey: Buffer.alloc(33, 2), signature: 'AQ', routeTag: 'GET /ü', timestamp: '', body: Buffer.alloc(0) },
  { publicKey: Buffer.alloc(33, 3), signature: 'Aé', routeTag: '', timestamp: '22', body: Buffer.alloc(70_000, 7) },
  { publicKey: Buffer.alloc(33, 4), signature: '', routeTag: 'T', timestamp: '3', body: Buffer.from([0, 255, 10]) },
]

describe('a batch', () => {
  test('is answered with the time it took', () => {
    const slow: BatchVerifier = {
      verifyAll: () => {
        const until = performance.now() + 5
        while (performance.now() < until);
        return { valid: [true], complaint: null }
      },
    }
    const { tookMs } = readAnswer(verifyBatch(encodeBatch(requests.slice(0, 1)), slow), 1)
    assert.ok(tookMs >= 4.9, `${tookMs} ms`)
  })

  test('says whether tables may be used, and is answered with what went wrong with them', () => {
    for (const mayUseTables of [true, false]) {
      let told: boolean | undefined
      for (const complaint of [null, 'too bad: ½']) {
        const verifier: BatchVerifier = {
          verifyAll: (all, may) => {
            told = may
            return { valid: all.map(() => true), complaint }
          },
        }
        const answer = readAnswer(verifyBatch(encodeBatch(requests.slice(0, 2), mayUseTables), verifier), 2)
        assert.deepEqual([answer.complaint, answer.verdicts], [complaint, [true, true]])
      }
      assert.equal(told, mayUseTables)
    }
  })

  test('carries what each request says', async () => {
    const { createHash } = await import('node:crypto')
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
    const seen: Seen[] = []
    const answer = verifyBatch(encodeBatch(requests), notingVerifier(seen))
    assert.deepEqual(readAnswer(answer, 4).verdicts, [true, false, false, false])
    const digestOf = ({ routeTag, timestamp, body }: VerifyRequest) => sha256(signedText(routeTag, timestamp, body))
    // The third signature is no base64, so nobody is asked about it.
    assert.deepEqual(seen, [
      { signature: '00', digest: sha256(Buffer.from('POST /a\n1\n{}')), publicKey: '01'.repeat(33) },
      { signature: '01', digest: sha256(Buffer.from('GET /ü\n\n')), publicKey: '02'.repeat(33) },
      { signature: '', digest: digestOf(requests[3] ?? assert.fail()), publicKey: '04'.repeat(33) },
    ])
  })

  test('is as large as its records say', () => {
    const records = requests.reduce((sum, request) => sum + recordBytes(request), 0)
    assert.equal(encodeBatch(requests).byteLength, 5 + records)
    assert.deepEqual(readAnswer(verifyBatch(encodeBatch([]), notingVerifier([])), 0).verdicts, [])
  })

  test('is not made with a key of another length', () => {
    for (const length of [32, 34]) {
      const request = { ...(requests[0] ?? assert.fail()), publicKey: Buffer.alloc(length) }
      assert.throws(() => encodeBatch([request]), RangeError)
    }
  })

  test('that is malformed gives no verdicts', () => {
    const whole = encodeBatch(requests)
    for (const length of [0, 3, 5, 40, 46, 50, whole.byteLength - 1]) {
      assert.throws(() => verifyBatch(whole.slice(0, length), notingVerifier([])), RangeError, `${length} bytes`)
    }
    // Nor is anybody asked about the records before.
    const seen: Seen[] = []
    assert.throws(() => verifyBatch(whole.slice(0, -1), notingVerifier(seen)), /beyond its batch/)
    assert.deepEqual(seen, [])
    const longer = new ArrayBuffer(whole.byteLength + 1)
    new Uint8Array(longer).set(new Uint8Array(whole))
    assert.throws(() => verifyBatch(longer, notingVerifier([])), RangeError)
  })

  test('is answered by exactly as many verdicts as it has requests', () => {
    const answer = (text: string) => ({ verdicts: Uint8Array.from(Buffer.from(text)), tookMs: 1.2, complaint: null })
    const verdicts = [true, false, true]
    assert.deepEqual(readAnswer(answer('VIV'), 3), { verdicts, tookMs: 1.2, complaint: null })
    for (const count of [0, 2, 4]) assert.throws(() => readAnswer(answer('VIV'), count), /did not answer/)
    for (const other of [null, undefined, true, 'VIV', answer('VIV').verdicts, { verdicts: [86, 73, 86] }]) {
      assert.throws(() => readAnswer(other, 3), /did not answer/)
    }
    for (const byte of ['\0', '\x01', 'v', '\x7f']) {
      assert.throws(() => readAnswer(answer(`V${byte}`), 2), /gave the verdict/)
    }
  })
})
