import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { isSignedFor } from '../ledger/ledger-signature.js'
import { hashOfKey } from './ledger-archive.js'
import { sentStreamOf } from './ledger-contracts.js'
import type { SubmittedTransaction } from './submitted-transaction.js'

/** A stream has one authority here, so a list of signatures may have one entry. */
const AUTHORITIES = 1

type Signatures = Readonly<Record<string, unknown>>

/** How a node checks the signatures of a transaction, which leaves room for transactions that nobody signed. */
export class LedgerSignatures {
  private readonly verified = new Map<string, boolean>()

  constructor(
    private readonly transaction: SubmittedTransaction,
    private readonly engine: Secp256k1Engine,
  ) {}

  /** The refusal of a self-signed transaction; null when every input is signed with its own key, whatever its type. */
  refuseSelfSigned(): string | null {
    const { inputs, sent } = this.transaction
    for (const [label, { publicKey }] of inputs) {
      const signature = own(sent.$sigs, label)
      if (typeof signature !== 'string' && !isList(signature)) return 'Self signed signature not found'
      if (publicKey === null) return `Self signed publicKey property not found in $i ${label}`
      if (typeof signature !== 'string' || !this.isValid(signature, publicKey))
        return 'Self signed signature not matching'
    }
    return null
  }

  /**
   * The refusal of any other transaction. `keyOf` tells the key of an input's stream. A list in place of a signature is
   * counted and not verified.
   */
  refuse(keyOf: (stream: string) => string | undefined): string | null {
    for (const [label, { stream }] of this.transaction.inputs) {
      const key = keyOf(stream)
      const signature = this.under(label)
      if (isList(signature)) {
        if (Object.keys(signature).length > AUTHORITIES) return 'Input Incorrect Signature List Length'
      } else if (typeof signature !== 'string' || key === undefined || !this.isValid(signature, key)) {
        return 'Input Signature Incorrect'
      }
    }
    return null
  }

  /** Whether a signature names the key. Contracts that ask for the stake of the signers learn no more. */
  isNamed(label: string, key: string): boolean {
    const signature = this.under(label)
    return typeof signature === 'string' || (isList(signature) && Object.hasOwn(signature, hashOfKey(key)))
  }

  /** Whether the key has really signed. */
  isSigned(label: string, key: string): boolean {
    const signature = this.under(label)
    const texts = isList(signature) ? Object.values(signature) : [signature]
    return texts.length > 0 && texts.every((text) => typeof text === 'string' && this.isValid(text, key))
  }

  /** What is stored: signatures that the node verified are moved below the hashes of their keys. */
  stored(keyOf: (stream: string) => string | undefined): Signatures {
    const { isSelfSigned, inputs, sent } = this.transaction
    if (isSelfSigned) return sent.$sigs
    const stored = new Map(Object.entries(sent.$sigs))
    for (const [label, { stream }] of inputs) {
      const signature = this.under(label)
      const key = keyOf(stream)
      if (typeof signature === 'string' && key !== undefined) {
        stored.set(sentStreamOf(sent.$tx['$i'], label), { [hashOfKey(key)]: signature })
      }
    }
    return Object.fromEntries(stored)
  }

  /** A signature is looked up under the stream as it was sent. */
  private under(label: string): unknown {
    const { $tx, $sigs } = this.transaction.sent
    return own($sigs, sentStreamOf($tx['$i'], label))
  }

  private isValid(signature: string, key: string): boolean {
    const question = `${key} ${signature}`
    const known = this.verified.get(question)
    if (known !== undefined) return known
    const { $tx } = this.transaction.sent
    const isValid = isSignedFor({ $tx, $sigs: { signer: signature } }, 'signer', [key], this.engine)
    this.verified.set(question, isValid)
    return isValid
  }
}

function own(signatures: Signatures, name: string): unknown {
  return Object.hasOwn(signatures, name) ? signatures[name] : undefined
}

function isList(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
