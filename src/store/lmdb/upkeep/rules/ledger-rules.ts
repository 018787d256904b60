import { NUMBERS_KEY, numbersCodec } from '../../commit/caches.js'
import { LOGGED_SINCE_KEY } from '../../events/logged-since.js'
import { BIRTH_KEY, birthCodec } from '../../file/birth.js'
import { MOVE_KEY, moveCodec } from '../../file/move-position.js'
import { MARK, MARK_KEY, PROBE_KEY, SCHEMA_VERSION, VERSION_KEY } from '../../file/schema.js'
import { CURSOR_KEY, cursorCodec, PROGRESS_KEY, progressCodec, setAsideCodec } from '../../ledger/ledger-rows.js'
import { RATES_KEY, ratesCodec } from '../../rates.js'
import { type Numbers, WIDE_BYTES } from '../../tables/keys.js'
import type { Reading } from '../reading.js'
import type { MakeRule } from './rule.js'

const EVENT_ID_BYTES_MAX = 512
/** A transaction of the ledger is a SHA-256. */
const TRANSACTION_BYTES = 32

/** The store's own facts. Each is known by its key. */
const FACTS: readonly (readonly [key: Buffer, check: (reading: Reading, value: Buffer) => void])[] = [
  [MARK_KEY, (reading, value) => reading.expect(value.equals(MARK), 'it is not the mark of Billhook')],
  [
    VERSION_KEY,
    (reading, value) => reading.expect(value.readUInt32BE(0) === SCHEMA_VERSION, 'it is not the version of the data'),
  ],
  [NUMBERS_KEY, (_, value) => numbersCodec.decode(value)],
  [PROGRESS_KEY, (_, value) => progressCodec.decode(value)],
  [CURSOR_KEY, (_, value) => cursorCodec.decode(value)],
  [LOGGED_SINCE_KEY, (reading, value) => reading.expect(value.length === WIDE_BYTES, 'it is no time')],
  [PROBE_KEY, () => {}],
  [MOVE_KEY, (_, value) => moveCodec.decode(value)],
  [BIRTH_KEY, (_, value) => birthCodec.decode(value)],
  [RATES_KEY, (_, value) => ratesCodec.decode(value)],
]

export const meta: MakeRule = (reading) => ({
  row(key, value) {
    const fact = FACTS.find(([known]) => known.equals(key))
    if (fact === undefined) return reading.wrong('it is not known')
    fact[1](reading, value)
  },
  finish() {
    for (const key of [MARK_KEY, VERSION_KEY]) {
      if (!reading.has('meta', key)) reading.wrongIn('meta', `${key} is missing`)
    }
    checkNumbers(reading)
  },
})

/** Every number that was handed out is that of a record, as records are never removed; assignments are replaced. */
function checkNumbers(reading: Reading): void {
  const bytes = reading.get('meta', NUMBERS_KEY)
  const last = bytes === undefined ? null : numbersCodec.decode(bytes)
  for (const [kind, used] of Object.entries(reading.numbers) as [keyof Numbers, Reading['numbers']['owner']][]) {
    const handedOut = last?.[kind] ?? 0
    const isRight = used.greatest <= handedOut && (kind === 'assignment' || used.count === handedOut)
    if (isRight) continue
    const what = `${used.count} numbers of the kind ${kind} are used, up to ${used.greatest}, and ${handedOut} were handed out`
    reading.wrongIn(TABLE_OF[kind], what)
    reading.wrongIn('meta', what)
  }
}

/** Whose records have the numbers. */
const TABLE_OF = {
  owner: 'identities',
  wallet: 'wallets',
  address: 'addresses',
  assignment: 'ownerWallets',
  apiKey: 'ownerApiKeys',
  walletSet: 'walletSets',
  deposit: 'deposits',
} as const

export const events: MakeRule = (reading) => ({
  row(id, value) {
    reading.expect(id.length <= EVENT_ID_BYTES_MAX && value.length >= WIDE_BYTES, 'it is malformed')
    reading.owe('eventTimes', Buffer.concat([value.subarray(0, WIDE_BYTES), id]))
  },
})

/** Rows stand for themselves: transactions that were taken lately, none of them newer than the progress says. */
export const ledgerTaken: MakeRule = (reading) => ({
  row(key, value) {
    const isWellFormed = key.length === WIDE_BYTES + TRANSACTION_BYTES && value.length === 0
    if (!isWellFormed) return reading.wrong('it is malformed')
    const newestMs = newestFollowed(reading)
    if (newestMs === null) return
    reading.expect(key.readUIntBE(0, WIDE_BYTES) <= newestMs, 'it is newer than the newest transaction that was taken')
  },
})

/** Rows stand for themselves: transactions that are asked for again. */
export const ledgerSetAside: MakeRule = (reading) => ({
  row(key, value) {
    const { attempts } = setAsideCodec.decode(value)
    reading.expect(key.length === TRANSACTION_BYTES, 'its key is not a transaction')
    reading.expect(attempts > 0, 'it was never asked for')
    newestFollowed(reading)
  },
})

/** The time of the newest transaction of the ledger that was taken. Complains when no ledger was followed. */
function newestFollowed(reading: Reading): number | null {
  const bytes = reading.get('meta', PROGRESS_KEY)
  if (bytes !== undefined) return progressCodec.decode(bytes).newestMs
  reading.wrong('no ledger was followed')
  return null
}
