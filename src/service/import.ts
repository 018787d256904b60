import { parsePublicKeyHex, type Secp256k1Engine } from '../crypto/secp256k1.js'
import type { Importing } from '../domain/imported-fields.js'
import { parseImportedRecord } from '../domain/imported-record.js'
import type { LedgerFact } from '../domain/ledger-fact.js'
import type { Settled } from '../store/commands.js'
import type { ImportableRecord, ImportOutcome, ImportTerms } from '../store/imports.js'
import { isOfStore } from '../store/refusals.js'
import type { Store } from '../store/store.js'

/** Where an imported record goes: to the store, to the store's facts, or nowhere. */
type Destination = ImportableRecord | Fact | ImportOutcome

interface Fact {
  readonly type: 'fact'
  readonly fact: LedgerFact
}

/** An import, with the time at which it is made, Unix ms. */
export interface ImportRequest extends ImportTerms {
  readonly records: readonly unknown[]
  readonly nowMs: number
}

/**
 * Adds records of another store, in order, as its export shows them. What follows a wallet may be paid to it, so each run of
 * records of one destination is durable before the next begins. Rejects when the store refuses writes.
 */
export async function importRecords(
  store: Pick<Store, 'imports' | 'ledger' | 'networks'>,
  engine: Pick<Secp256k1Engine, 'isPublicKey'>,
  { records, nowMs, ofFormerOwners }: ImportRequest,
): Promise<readonly ImportOutcome[]> {
  const outcomes: ImportOutcome[] = []
  const importing = { networks: store.networks, nowMs }
  const destinations = records.map((record) => destinationOf(record, engine, importing))
  while (outcomes.length < destinations.length) {
    const rest = destinations.slice(outcomes.length)
    const facts = leading(rest, isFact)
    const rows = leading(rest, isRow)
    if (facts.length > 0) outcomes.push(...(await applyFacts(store, facts)))
    else if (rows.length > 0) outcomes.push(...(await store.imports.add(rows, { ofFormerOwners })).map(outcomeOf))
    else outcomes.push(...leading(rest, isOutcome))
  }
  return outcomes
}

/** Whatever a record makes the program trip over, the others are imported. */
function destinationOf(...read: Parameters<typeof readDestination>): Destination {
  try {
    return readDestination(...read)
  } catch (error) {
    return refused(error)
  }
}

function readDestination(
  value: unknown,
  engine: Pick<Secp256k1Engine, 'isPublicKey'>,
  importing: Importing,
): Destination {
  const record = parseImportedRecord(value, importing)
  const isPublicKey = (text: string) => {
    const key = parsePublicKeyHex(text)
    return key !== null && engine.isPublicKey(key)
  }
  switch (record.type) {
    case 'flaw':
      return { status: 'refused', error: record.flaw }
    case 'fact':
      if (record.fact === null) return { status: 'known' }
      if (record.fact.type === 'identity.keys' && !record.fact.keys.every((key) => isPublicKey(key))) {
        return { status: 'refused', error: 'keys must be compressed secp256k1 keys' }
      }
      return { type: 'fact', fact: record.fact }
    case 'key': {
      const publicKey = parsePublicKeyHex(record.key.public_key)
      if (publicKey !== null && engine.isPublicKey(publicKey)) return { ...record, publicKey }
      return { status: 'refused', error: 'public_key is no compressed secp256k1 key' }
    }
    default:
      return record
  }
}

function isFact(one: Destination): one is Fact {
  return 'fact' in one
}

function isRow(one: Destination): one is ImportableRecord {
  return 'type' in one && !isFact(one)
}

function isOutcome(one: Destination): one is ImportOutcome {
  return 'status' in one
}

/** The first records of a list, as long as `is` takes them. */
function leading<T extends Destination>(
  list: readonly Destination[],
  is: (one: Destination) => one is T,
): readonly T[] {
  const taken: T[] = []
  for (const one of list) {
    if (!is(one)) break
    taken.push(one)
  }
  return taken
}

async function applyFacts(
  { ledger }: Pick<Store, 'ledger'>,
  records: readonly Fact[],
): Promise<readonly ImportOutcome[]> {
  const fates = await ledger.applyFacts(records.map(({ fact }) => ({ eventId: null, fact })))
  return fates.map((fate) => {
    if (fate.status === 'rejected') return refused(fate.reason)
    const { value } = fate
    if (value.status === 'rejected') return { status: 'refused', error: value.error }
    return { status: value.status === 'applied' ? 'added' : 'known' }
  })
}

/** A record that cannot be written, for whatever reason, is refused alone. Only a store that refuses writes ends an import. */
function outcomeOf(settled: Settled<ImportOutcome>): ImportOutcome {
  return settled.status === 'fulfilled' ? settled.value : refused(settled.reason)
}

function refused(reason: unknown): ImportOutcome {
  if (isOfStore(reason)) throw reason
  return { status: 'refused', error: `it cannot be written: ${reason instanceof Error ? reason.message : reason}` }
}
