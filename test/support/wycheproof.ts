import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.js'

export interface WycheproofCase {
  readonly id: number
  readonly comment: string
  readonly flags: readonly string[]
  readonly result: string
  /** Compressed, 33 bytes. */
  readonly publicKey: Buffer
  readonly message: Buffer
  readonly signature: Buffer
}

interface VectorFile {
  readonly numberOfTests: number
  readonly testGroups: readonly {
    readonly publicKey: { readonly uncompressed: string }
    readonly tests: readonly {
      readonly tcId: number
      readonly comment: string
      readonly flags: readonly string[]
      readonly msg: string
      readonly sig: string
      readonly result: string
    }[]
  }[]
}

/** The ECDSA secp256k1 SHA-256 vectors of Wycheproof; see test/vectors/README.md. */
export function wycheproofCases(): WycheproofCase[] {
  const path = join(projectRoot, 'test/vectors/ecdsa_secp256k1_sha256_test.json')
  const file: VectorFile = JSON.parse(readFileSync(path, 'utf8'))
  const cases = file.testGroups.flatMap((group) => {
    const publicKey = compress(Buffer.from(group.publicKey.uncompressed, 'hex'))
    return group.tests.map((test) => ({
      id: test.tcId,
      comment: test.comment,
      flags: test.flags,
      result: test.result,
      publicKey,
      message: Buffer.from(test.msg, 'hex'),
      signature: Buffer.from(test.sig, 'hex'),
    }))
  })
  if (cases.length !== file.numberOfTests) throw new Error('The vector file is not complete.')
  return cases
}

/** SEC 1, 2.3.3: the x coordinate behind the parity of y. */
function compress(uncompressed: Buffer): Buffer {
  const y = uncompressed[64] ?? 0
  return Buffer.concat([Buffer.of(y % 2 === 0 ? 0x02 : 0x03), uncompressed.subarray(1, 33)])
}
