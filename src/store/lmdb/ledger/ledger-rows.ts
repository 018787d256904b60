import type {
  LedgerMemory,
  LedgerProgress,
  LedgerStep,
  ListedTransaction,
  SetAside,
} from '../../../domain/ledger-progress.js'
import { FORGOTTEN_MAX } from '../../ledger.js'
import type { Commit, Reader } from '../commit/commit.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { integer, listOf, orNull, recordCodec, text } from '../tables/record-codec.js'
import { NOTHING, removeKeys } from '../tables/tables.js'

export const PROGRESS_KEY = Buffer.from('ledger-progress')
/** Data of version 2 has this instead: how far the ledger was read, and nothing about what lies behind. */
export const CURSOR_KEY = Buffer.from('ledger-cursor')

export const progressCodec = recordCodec<LedgerProgress>('meta/ledger-progress', 1, {
  origin: text,
  newestMs: integer,
  windowMs: integer,
  comparingMs: orNull(integer),
  comparedAtMs: integer,
})

interface Cursor {
  readonly origin: string
  readonly timestampMs: number
  readonly umids: readonly string[]
}

export const cursorCodec = recordCodec<Cursor>('meta/ledger-cursor', 1, {
  origin: text,
  timestampMs: integer,
  umids: listOf(text),
})

export const setAsideCodec = recordCodec<Omit<SetAside, 'umid'>>('ledger-set-aside', 1, {
  timestampMs: integer,
  attempts: integer,
  dueMs: integer,
})

/** How far the ledger has been followed, what was taken lately, and what was set aside; undefined when it never was. */
export function readMemory({ tables }: Reader): LedgerMemory | undefined {
  const { meta, ledgerTaken, ledgerSetAside } = tables
  const bytes = meta.get(PROGRESS_KEY)
  if (bytes === undefined) return memoryOfCursor(meta.get(CURSOR_KEY))
  const progress = progressCodec.decode(bytes)
  return {
    progress,
    taken: [...ledgerTaken.getKeys({ start: timeKey(progress.windowMs) })].map(readTaken),
    setAside: [...ledgerSetAside.getRange()].map(({ key, value }) => ({
      umid: key.toString('hex'),
      ...setAsideCodec.decode(value),
    })),
  }
}

export function writeStep({ tables }: Commit, { progress, taken, setAside, settled }: LedgerStep): void {
  const { meta, ledgerTaken, ledgerSetAside } = tables
  const known = meta.get(PROGRESS_KEY)
  // Data of version 2 has no origin; its other rows are none that would have to be kept.
  if (known === undefined || progressCodec.decode(known).origin !== progress.origin) {
    for (const table of [ledgerTaken, ledgerSetAside]) removeKeys(table, {})
    meta.removeSync(CURSOR_KEY)
  }
  for (const row of taken) putTaken({ tables }, row)
  for (const umid of settled) ledgerSetAside.removeSync(Buffer.from(umid, 'hex'))
  for (const one of setAside) ledgerSetAside.putSync(Buffer.from(one.umid, 'hex'), setAsideCodec.encode(one))
  removeKeys(ledgerTaken, { end: timeKey(progress.windowMs), limit: FORGOTTEN_MAX })
  meta.putSync(PROGRESS_KEY, progressCodec.encode(progress))
}

function memoryOfCursor(bytes: Buffer | undefined): LedgerMemory | undefined {
  if (bytes === undefined) return undefined
  const { origin, timestampMs, umids } = cursorCodec.decode(bytes)
  return {
    // A comparison, which is due at once, finds what that version may have missed.
    progress: { origin, newestMs: timestampMs, windowMs: timestampMs, comparingMs: null, comparedAtMs: 0 },
    taken: umids.map((umid) => ({ umid, timestampMs })),
    setAside: [],
  }
}

export function putTaken({ tables }: Pick<Commit, 'tables'>, row: ListedTransaction): void {
  tables.ledgerTaken.putSync(takenKey(row), NOTHING)
}

/** Time, then transaction. */
function takenKey({ umid, timestampMs }: ListedTransaction): Buffer {
  return Buffer.concat([timeKey(timestampMs), Buffer.from(umid, 'hex')])
}

export function readTaken(key: Buffer): ListedTransaction {
  return { umid: key.toString('hex', WIDE_BYTES), timestampMs: key.readUIntBE(0, WIDE_BYTES) }
}
