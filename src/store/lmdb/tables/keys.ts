import { ID } from '../../../domain/id.js'
import { isNetworkId, type Network } from '../../../domain/network.js'

/*
 * How keys and numbers lie in LMDB. Keys are compared as bytes, so numbers are big-endian and of fixed width. Each kind of
 * short name is a type of its own, so that one is never taken for another.
 */

/** 4 bytes. */
export const NUMBER_BYTES = 4
/** Unix milliseconds and deposit numbers in 6 bytes. */
export const WIDE_BYTES = 6
export const ID_BYTES = 16

export const TIME_MAX = 0xffff_ffff_ffff

declare const kind: unique symbol
export type Named<T, Kind extends string> = T & { readonly [kind]: Kind }

export type OwnerNo = Named<number, 'owner'>
export type WalletNo = Named<number, 'wallet'>
export type AddressNo = Named<number, 'address'>
export type DepositNo = Named<number, 'deposit'>
/** Numbers a set of wallets of an owner. */
export type SetNo = Named<number, 'set of wallets'>

/** The numbers that are handed out in sequence, by kind. */
export interface Numbers {
  readonly owner: OwnerNo
  readonly wallet: WalletNo
  readonly address: AddressNo
  /** Orders the wallets of an owner by when they were assigned. */
  readonly assignment: Named<number, 'assignment'>
  readonly apiKey: Named<number, 'API key'>
  readonly walletSet: SetNo
  readonly deposit: DepositNo
}

/** 16 bytes, of which the first 6 are the time of creation. */
export type InvoiceId = Named<Buffer, 'invoice'>
export type DeliveryId = Named<Buffer, 'delivery'>
export type OrderId = Named<Buffer, 'order'>

/** Longer numbers are written as a text first, which takes three times as long. */
const SHORT_BIGINT_BYTES = 16
const WORD_BITS = 64n
const shortBigint = Buffer.alloc(SHORT_BIGINT_BYTES)
/** Buffers' own methods take a number apart into bigints of a byte each. */
const shortWords = new DataView(shortBigint.buffer, shortBigint.byteOffset, SHORT_BIGINT_BYTES)

/** The bytes of a non-negative bigint, without leading zeros, behind `room` bytes for the caller; none for zero. */
export function bigintToBytes(value: bigint, room = 0): Buffer {
  const high = value >> WORD_BITS
  if (high >> WORD_BITS !== 0n) {
    const hex = value.toString(16)
    return Buffer.from('00'.repeat(room) + (hex.length % 2 === 0 ? hex : `0${hex}`), 'hex')
  }
  shortWords.setBigUint64(0, high)
  shortWords.setBigUint64(8, BigInt.asUintN(64, value))
  let start = 0
  while (start < SHORT_BIGINT_BYTES && shortBigint[start] === 0) start += 1
  const bytes = Buffer.allocUnsafe(room + SHORT_BIGINT_BYTES - start)
  shortBigint.copy(bytes, room, start)
  return bytes
}

export function bigintFromBytes(bytes: Uint8Array): bigint {
  // Six bytes at a time are exact as a number, and much cheaper than a text.
  let end = bytes.length % WIDE_BYTES
  let value = BigInt(numberFromBytes(bytes, 0, end))
  for (; end < bytes.length; end += WIDE_BYTES) {
    value = (value << 48n) | BigInt(numberFromBytes(bytes, end, end + WIDE_BYTES))
  }
  return value
}

function numberFromBytes(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (let i = start; i < end; i += 1) value = value * 256 + (bytes[i] ?? 0)
  return value
}

/** An amount within a key, behind `room` bytes for the caller: its length before its bytes, so that keys sort by value. */
export function sortableAmount(value: bigint, room = 0): Buffer {
  const sortable = bigintToBytes(value, room + 1)
  sortable[room] = sortable.length - room - 1
  return sortable
}

/**
 * A text within a key: its end is marked, so that texts sort as they do by themselves, each before those that begin with it. A
 * NUL of the text is written as PostgreSQL's engine writes it, and both engines have the same order.
 */
export function sortableText(text: string): Buffer {
  return Buffer.from(`${beginningOfText(text)}\0`)
}

/** What every `sortableText` begins with whose text begins so. */
export function beginningOfText(text: string): string {
  return text.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010')
}

/** `key` followed by 0xff bytes: behind every key of `length` bytes that starts with it. */
export function endOf(prefix: Uint8Array, length: number): Buffer {
  const end = Buffer.alloc(length, 0xff)
  end.set(prefix)
  return end
}

export function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(NUMBER_BYTES)
  key.writeUInt32BE(number, 0)
  return key
}

/** A time in a key. Times beyond 48 bits become the last one that fits. */
export function timeKey(timeMs: number): Buffer {
  return wideKey(Math.min(Math.max(timeMs, 0), TIME_MAX))
}

/** A number below 2⁴⁸. */
export function wideKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(WIDE_BYTES)
  key.writeUIntBE(number, 0, WIDE_BYTES)
  return key
}

/** A number followed by bytes: the key of an index that lists things under something. */
export function under(number: number, rest: Uint8Array): Buffer {
  const key = Buffer.allocUnsafe(NUMBER_BYTES + rest.length)
  key.writeUInt32BE(number, 0)
  key.set(rest, NUMBER_BYTES)
  return key
}

/** The first 6 bytes of an id are its time. */
export function timeOfId(id: Buffer): number {
  return id.readUIntBE(0, WIDE_BYTES)
}

/** Not greater than any id of this millisecond or later, and greater than every earlier one. */
export function idAt(timeMs: number): Buffer {
  const id = Buffer.alloc(ID_BYTES)
  id.set(timeKey(timeMs))
  return id
}

/** The longest key that LMDB takes here. */
const KEY_BYTES_MAX = 1978

/** Whether the bytes can be a key at all; check this before you look up a text that a client sent. */
export function isKey(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes.length <= KEY_BYTES_MAX
}

/** The networks that were there first: one byte stands for each of them in keys. Never change their order. */
const NUMBERED: readonly Network[] = ['SEP', 'TRX-NILE']
const NUMBERS: readonly Buffer[] = NUMBERED.map((_, number) => Buffer.of(number))

/**
 * What begins the keys of a network: its number, or the length of its id and the id. Ids are longer than those numbers, so
 * none is the beginning of another.
 */
export function networkKey(network: Network): Buffer {
  const number = NUMBERS[NUMBERED.indexOf(network)]
  return number ?? Buffer.from(`${String.fromCharCode(network.length)}${network}`, 'latin1')
}

/** Behind every key that begins so, and before those of any other network. */
export function behindNetwork(network: Network): Buffer {
  const end = Buffer.from(networkKey(network))
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  return end
}

/** The network whose keys begin as this one, and what is behind that; null if no network's do. */
export function networkOfKey(key: Buffer): { readonly network: Network; readonly rest: Buffer } | null {
  const [first = NUMBERED.length] = key
  const numbered = NUMBERED[first]
  if (numbered !== undefined) return { network: numbered, rest: key.subarray(1) }
  const network = key.toString('latin1', 1, 1 + first)
  const isWhole = network.length === first && isNetworkId(network) && !NUMBERED.includes(network)
  return isWhole ? { network, rest: key.subarray(1 + first) } : null
}

/** The id that a client named; undefined when the text cannot be one. */
export function parseId<Id extends InvoiceId | DeliveryId | OrderId>(text: string): Id | undefined {
  return ID.test(text) ? (Buffer.from(text, 'hex') as Id) : undefined
}

/** The id that ends a key, copied from the binding's buffer. */
export function idOfKey<Id extends InvoiceId | DeliveryId | OrderId>(key: Uint8Array): Id {
  return Buffer.from(key.subarray(key.length - ID_BYTES)) as Id
}
