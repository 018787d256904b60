import { closeSync, openSync } from 'node:fs'
import { noble } from '../../src/crypto/noble.js'
import { engineVerifier, verifyBatch } from '../../src/verify/wire.js'

/*
 * A verify worker that fails, or lies, as the body of a request in its batch tells it to. Without such a request it verifies.
 */

export default function verify(batch: ArrayBuffer): unknown {
  const text = Buffer.from(batch).toString('latin1')
  const answer = () => verifyBatch(batch, engineVerifier(noble))
  const [, fault, path = ''] = /FAULT ([\w ]+)(?::(.*?);)?/.exec(text) ?? []
  switch (fault) {
    case undefined:
      return answer()
    case 'exit':
      return process.exit(1)
    case 'exit once':
      // The file tells the worker that replaces this one that it has happened.
      if (createdNow(path)) process.exit(1)
      return answer()
    case 'took':
      // Microseconds that the answer says, whatever it took.
      return { ...answer(), tookMs: Number(path) / 1000 }
    case 'throw':
      throw new Error('as told')
    case 'throw later':
      return new Promise((_resolve, reject) => {
        setImmediate(() => reject(new Error('as told, later')))
      })
    case 'uncaught':
      queueMicrotask(() => {
        throw new Error('as told, uncaught')
      })
      return new Promise(() => {})
    case 'hang':
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    case 'too few':
      return { ...answer(), verdicts: answer().verdicts.subarray(1) }
    case 'too many':
      return { ...answer(), verdicts: new Uint8Array(answer().verdicts.length + 1).fill('V'.charCodeAt(0)) }
    case 'ones':
      return { ...answer(), verdicts: answer().verdicts.fill(1) }
    case 'true':
      return true
    case 'array':
      return { ...answer(), verdicts: Array.from(answer().verdicts, () => 'V'.charCodeAt(0)) }
    case 'nothing':
      return undefined
    default:
      throw new Error(`No such fault: ${fault}.`)
  }
}

function createdNow(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch {
    return false
  }
}
