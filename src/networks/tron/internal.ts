/** TRX that contracts send: in the internal transactions, which some nodes keep with the infos of transactions. */

import type { ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import { fields, items, type Scalar, type Shape, scalar } from '../node/json-shape.js'
import { accountOf, addressOfAccount } from './address.js'
import { nativePayment, type Payment, sunOf } from './payment.js'

/** The index of the first transfer that a contract makes within a transaction; logs never come near. */
const INTERNAL_INDEX_BASE = 0x8000_0000

/** Whether a transfer is one of a contract, which not every node keeps. */
export function isOfContract({ index }: Pick<ObservedTransfer, 'index'>): boolean {
  return index >= INTERNAL_INDEX_BASE
}

/**
 * The notes of internal transactions that move TRX, as nodes write them: `call`, `create` and `suicide` in hex. Every
 * other note tells of something else, often with an account and an amount: contracts freeze TRX for the benefit of an
 * account, or delegate, and nothing moves. What a destroyed contract had unfrozen is told twice: it is part of the amount
 * of `suicide`, and `withdrawExpireUnfreezeWhileSuiciding` repeats it.
 */
const MOVING: ReadonlySet<string> = new Set(
  ['call', 'create', 'suicide'].map((note) => Buffer.from(note).toString('hex')),
)
/** How an entry that was not rejected says so. Whatever else stands there, nothing is paid. */
const NOT_REJECTED: ReadonlySet<Scalar | undefined> = new Set([undefined, null, false, 'false'])
/** How an amount of TRX says that it is of no token. */
const NO_TOKEN: ReadonlySet<Scalar | undefined> = new Set([undefined, null, '', 0, '0'])

/**
 * What the internal transactions of one transaction pay to watched addresses. `index` is `INTERNAL_INDEX_BASE` and the
 * position among the movements of TRX of the transaction, to whomever they go. So it depends neither on who watches nor
 * on what else a node keeps.
 */
export function internalPayments(watched: WatchedAddresses): Shape<readonly Payment[] | null | undefined> {
  const callValue = fields({ callValue: scalar, tokenId: scalar })
  // Of one entry; a token of the kind TRC-10 has an id.
  const values = items(callValue, () => {
    const sums: bigint[] = []
    return {
      take(value) {
        if (value?.callValue === undefined || !NO_TOKEN.has(value.tokenId)) return
        const sun = sunOf(value.callValue)
        if (sun !== null && sun > 0n) sums.push(sun)
      },
      end: () => sums,
    }
  })
  const entry = fields({
    caller_address: scalar,
    transferTo_address: scalar,
    callValueInfo: values,
    note: scalar,
    rejected: scalar,
  })
  return items(entry, () => {
    const payments: Payment[] = []
    let movements = 0
    return {
      take(one) {
        if (!one || !MOVING.has(noteOf(one.note)) || !NOT_REJECTED.has(one.rejected)) return
        const to = accountOf(one.transferTo_address)
        // CALLCODE and DELEGATECALL run in the contract itself, and a contract that leaves its TRX to itself burns them.
        if (to === null || to === accountOf(one.caller_address)) return
        for (const sun of one.callValueInfo ?? []) {
          const index = INTERNAL_INDEX_BASE + movements
          movements += 1
          if (watched.has(addressOfAccount(to))) payments.push(nativePayment(index, to, sun))
        }
      },
      end: () => payments,
    }
  })
}

function noteOf(note: Scalar | undefined): string {
  return typeof note === 'string' ? note.toLowerCase().replace(/^0x/, '') : ''
}
