import { auditRecord, putAudit } from '../audit-rows.js'
import { loggedSince, noteLoggedSince } from '../events/logged-since.js'
import { identityKeysCodec, putKeys } from '../identities/identity-keys.js'
import { PROGRESS_KEY, progressCodec, putTaken, readMemory, readTaken, setAsideCodec } from '../ledger/ledger-rows.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import { type LmdbMovedKind, only, pageOfTable } from './moved-kind.js'

export const answers: LmdbMovedKind<'answers'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.events, behind, limit, (id, value) => ({
      id: id.toString(),
      at: value.readUIntBE(0, WIDE_BYTES),
      error: value.length === WIDE_BYTES ? null : value.toString('utf8', WIDE_BYTES),
    })),
  write({ tables }, record) {
    const id = Buffer.from(record.id)
    const at = timeKey(record.at)
    tables.events.putSync(id, Buffer.concat([at, Buffer.from(record.error ?? '')]))
    tables.eventTimes.putSync(Buffer.concat([at, id]), NOTHING)
  },
}

export const ledger: LmdbMovedKind<'ledger'> = {
  page: (at, behind) => only(behind, readMemory(at)?.progress),
  write: ({ tables }, progress) => void tables.meta.putSync(PROGRESS_KEY, progressCodec.encode(progress)),
}

export const ledgerTaken: LmdbMovedKind<'ledgerTaken'> = {
  page: (at, behind, limit) => {
    const { ledgerTaken: table, meta } = at.tables
    if (meta.doesExist(PROGRESS_KEY)) return pageOfTable(table, behind, limit, readTaken)
    // Data that began with version 2 and has not followed its ledger since names what it took in the row of the progress.
    const taken = behind === null ? [...(readMemory(at)?.taken ?? [])] : []
    return taken.sort((a, b) => (a.umid < b.umid ? -1 : 1)).map((record) => ({ record, place: '' }))
  },
  write: (commit, record) => putTaken(commit, record),
}

export const ledgerSetAside: LmdbMovedKind<'ledgerSetAside'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.ledgerSetAside, behind, limit, (key, value) => {
      return { umid: key.toString('hex'), ...setAsideCodec.decode(value) }
    }),
  write({ tables }, record) {
    tables.ledgerSetAside.putSync(Buffer.from(record.umid, 'hex'), setAsideCodec.encode(record))
  },
}

export const identityKeys: LmdbMovedKind<'identityKeys'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.identityKeys, behind, limit, (key, value) => {
      return { identity: key.toString(), ...identityKeysCodec.decode(value) }
    }),
  write: putKeys,
}

export const audit: LmdbMovedKind<'audit'> = {
  page: ({ tables }, behind, limit) => pageOfTable(tables.audit, behind, limit, auditRecord),
  write: putAudit,
}

export const logged: LmdbMovedKind<'logged'> = {
  page: ({ tables }, behind) => {
    const since = loggedSince(tables.meta)
    return only(behind, since === null ? undefined : { since })
  },
  write: ({ tables }, { since }) => noteLoggedSince(tables, since),
}
