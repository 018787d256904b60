import { ID_BYTES } from './bytes.js'

/*
 * The short names that keys consist of. Each kind is a type of its own, so that one is never taken for another.
 */

declare const kind: unique symbol

type Named<T, Kind extends string> = T & { readonly [kind]: Kind }

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

const ID = /^[0-9a-f]{32}$/

/** The id that a client named; undefined when the text cannot be one. */
export function parseId<Id extends InvoiceId | DeliveryId>(text: string): Id | undefined {
  return ID.test(text) ? (Buffer.from(text, 'hex') as Id) : undefined
}

/** The id that ends a key, copied from the binding's buffer. */
export function idOfKey<Id extends InvoiceId | DeliveryId>(key: Uint8Array): Id {
  return Buffer.from(key.subarray(key.length - ID_BYTES)) as Id
}
