import assert from 'node:assert/strict'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { getPublicKey, signAsync } from '@noble/secp256k1'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'

/** The mnemonic of development chains, known to everybody, whose accounts their nodes give coins to. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk'
const DEVELOPMENT_ACCOUNTS = 10
const ADDRESS_BYTES = 20

/** An account that a test signs for. */
export interface EvmAccount {
  /** In lower case. */
  readonly address: string
  readonly secretKey: Uint8Array
}

/** The kinds of transactions that every node of the tests takes: the oldest one, one with an access list, and one of EIP-1559. */
export type TransactionType = 0 | 1 | 2

export interface UnsignedTransaction {
  readonly type: TransactionType
  readonly chainId: number
  readonly nonce: number
  /** Wei for a unit of gas, of which all may be the tip. */
  readonly gasPrice: bigint
  readonly gas: bigint
  /** Null to create a contract. */
  readonly to: string | null
  readonly value: bigint
  readonly data: string
}

type Rlp = Uint8Array | readonly Rlp[]

let derived: readonly EvmAccount[] | null = null

/** The accounts of `DEVELOPMENT_MNEMONIC` (BIP-44). */
export function developmentAccounts(): readonly EvmAccount[] {
  derived ??= deriveAccounts()
  return derived
}

function deriveAccounts(): readonly EvmAccount[] {
  const branch = HDKey.fromMasterSeed(mnemonicToSeedSync(DEVELOPMENT_MNEMONIC)).derive("m/44'/60'/0'/0")
  return Array.from({ length: DEVELOPMENT_ACCOUNTS }, (_, i) => {
    const secretKey = branch.deriveChild(i).privateKey ?? assert.fail()
    const account = keccak_256(getPublicKey(secretKey, false).subarray(1)).subarray(-ADDRESS_BYTES)
    return { address: `0x${Buffer.from(account).toString('hex')}`, secretKey }
  })
}

/** A signed transaction as `eth_sendRawTransaction` takes it (EIP-155, EIP-2930, EIP-1559). */
export async function signTransaction(transaction: UnsignedTransaction, { secretKey }: EvmAccount): Promise<string> {
  const { type, chainId } = transaction
  const unsigned = fieldsOf(transaction)
  const message = type === 0 ? rlp([...unsigned, number(chainId), number(0), number(0)]) : typed(type, unsigned)
  const signature = await signAsync(keccak_256(message), secretKey, { prehash: false, format: 'recovered' })
  const parity = signature[0] ?? 0
  const [r, s] = [signature.subarray(1, 33), signature.subarray(33)]
  const v = type === 0 ? parity + 2 * chainId + 35 : parity
  const signed = [...unsigned, number(v), withoutZeros(r), withoutZeros(s)]
  return `0x${Buffer.from(type === 0 ? rlp(signed) : typed(type, signed)).toString('hex')}`
}

function fieldsOf({ type, chainId, nonce, gasPrice, gas, to, value, data }: UnsignedTransaction): readonly Rlp[] {
  const call = [number(gas), bytes(to ?? '0x'), number(value), bytes(data)]
  switch (type) {
    case 0:
      return [number(nonce), number(gasPrice), ...call]
    case 1:
      return [number(chainId), number(nonce), number(gasPrice), ...call, []]
    case 2:
      return [number(chainId), number(nonce), number(gasPrice), number(gasPrice), ...call, []]
  }
}

function typed(type: TransactionType, fields: readonly Rlp[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), rlp(fields)])
}

/** Recursive Length Prefix (Yellow Paper, appendix B). */
function rlp(item: Rlp): Uint8Array {
  if (!(item instanceof Uint8Array)) {
    const body = Buffer.concat(item.map(rlp))
    return Buffer.concat([prefix(body.length, 0xc0), body])
  }
  const [first = 0x80] = item
  return item.length === 1 && first < 0x80 ? item : Buffer.concat([prefix(item.length, 0x80), item])
}

function prefix(length: number, base: number): Uint8Array {
  if (length <= 55) return Uint8Array.of(base + length)
  const digits = number(length)
  return Buffer.concat([Uint8Array.of(base + 55 + digits.length), digits])
}

/** An integer without leading zeros: none at all for 0. */
function number(value: number | bigint): Uint8Array {
  if (BigInt(value) === 0n) return new Uint8Array()
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

function withoutZeros(value: Uint8Array): Uint8Array {
  const start = value.findIndex((byte) => byte !== 0)
  return start === -1 ? new Uint8Array() : value.subarray(start)
}
