import { parsePublicKeyHex, type Secp256k1Engine } from '../crypto/secp256k1.js'
import { parseImportedRecord } from '../domain/imported-record.js'
import type { LedgerFact } from '../domain/ledger-fact.js'
import type { Networks } from '../domain/network.js'
import type { Settled } from '../store/commands.js'
import { isOfStore } from '../store/refusals.js'
import type { ImportableRecord, ImportOutcome, Store } from '../store/store.js'

/** Where an imported record goes: to the store, to the store's facts, or nowhere. */
type Destination = ImportableRecord | Facts | ImportOutcome

interface Facts {
  readonly type: 'facts'
  readonly facts: readonly LedgerFact[]
}

/**
 * Adds records of another store, in order, as its export shows them. What follows a wallet may be paid to it, so each run of
 * records of one destination is durable before the next begins. Rejects when the store refuses writes.
 */
export async function importRecords(
  store: Pick<Store, 'imports' | 'ledger' | 'networks'>,
  engine: Pick<Secp256k1Engine, 'isPublicKey'>,
  records: readonly unknown[],
): Promise<readonly ImportOutcome[]> {
  const outcomes: ImportOutcome[] = []
  const destinations = records.map((record) => destinationOf(record, engine, store.networks))
  while (outcomes.length < destinations.length) {
    const rest = destinations.slice(outcomes.length)
    const facts = leading(rest, isFacts)
    const rows = leading(rest, isRow)
    if (facts.length > 0) outcomes.push(...(await applyFacts(store, facts)))
    else if (rows.length > 0) outcomes.push(...(await store.imports.add(rows)).map(outcomeOf))
    else outcomes.push(...leading(rest, isOutcome))
  }
  return outcomes
}

function destinationOf(value: unknown, engine: Pick<Secp256k1Engine, 'isPublicKey'>, networks: Networks): Destination {
  const record = parseImportedRecord(value, networks)
  if (record.type === 'flaw') return { status: 'refused', error: record.flaw }
  if (record.type !== 'key') return record
  const publicKey = parsePublicKeyHex(record.key.public_key)
  if (publicKey === null || !engine.isPublicKey(publicKey)) {
    return { status: 'refused', error: 'public_key is no compressed secp256k1 key' }
  }
  return { ...record, publicKey }
}

function isFacts(one: Destination): one is Facts {
  return 'facts' in one
}

function isRow(one: Destination): one is ImportableRecord {
  return 'type' in one && !isFacts(one)
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

/** A wallet may be two facts; it is known only when both are. */
async function applyFacts(
  { ledger }: Pick<Store, 'ledger'>,
  records: readonly Facts[],
): Promise<readonly ImportOutcome[]> {
  const applied = await ledger.applyFacts(
    records.flatMap(({ facts }) => facts).map((fact) => ({ eventId: null, fact })),
  )
  let next = 0
  return records.map(({ facts }) => {
    const fates = applied.slice(next, next + facts.length)
    next += facts.length
    const failed = fates.find((fate) => fate.status === 'rejected')
    if (failed !== undefined) return refused(failed.reason)
    const outcomes = fates.flatMap((fate) => (fate.status === 'fulfilled' ? [fate.value] : []))
    const rejected = outcomes.find((outcome) => outcome.status === 'rejected')
    if (rejected !== undefined) return { status: 'refused', error: rejected.error }
    return { status: outcomes.some(({ status }) => status === 'applied') ? 'added' : 'known' }
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
