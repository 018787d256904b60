import type { LedgerAnswer } from './ledger-verdict.js'
import type { SimulatedLedger } from './simulated-ledger.js'

const META_SUFFIX = ':stream'

/** The database of a node's streams, which its read API names when it finds nothing. */
const STREAM_DATABASE = 'http://localhost:5259/activeledger'

/**
 * The read interfaces of the simulated ledger node, in the shapes observed on real ones: the "core" API and the listing of
 * the node's store. "Not found" is a status 500 that differs from a failure only in its text.
 */
export class LedgerReads {
  constructor(private readonly ledger: Pick<SimulatedLedger, 'archive' | 'stream' | 'meta'>) {}

  /** `GET /api/stream/{id}`; with `:stream` behind the id, the stream's metadata. */
  async stream(id: string): Promise<LedgerAnswer> {
    const stream = id.endsWith(META_SUFFIX)
      ? this.ledger.meta(id.slice(0, -META_SUFFIX.length))
      : await this.ledger.stream(id)
    return stream === null ? notFound(id) : { status: 200, value: { stream } }
  }

  /** `GET /api/tx/{umid}`. */
  transaction(umid: string): LedgerAnswer {
    const transaction = this.ledger.archive.transaction(umid)
    return transaction === undefined ? notFound(`${umid}:umid`) : { status: 200, value: { umid: transaction } }
  }

  /** `GET /activeledgerevents/umids?from=<Unix ms>&limit=<rows>`: committed transactions in order of time. */
  umids(query: string): LedgerAnswer {
    const parameters = new URLSearchParams(query)
    const from = parameters.get('from')
    if (from === null) return { status: 500, value: {} }
    const { archive } = this.ledger
    const limit = Number.parseInt(parameters.get('limit') ?? '', 10)
    const rows = archive.since(from, limit > 0 ? limit : archive.size)
    return { status: 200, value: { total_rows: rows.length, offset: 0, rows } }
  }
}

function notFound(document: string): LedgerAnswer {
  const message = `URL Request Failed : ${STREAM_DATABASE}/${encodeURIComponent(document.toWellFormed()).replaceAll('%3A', ':')} - 404`
  return { status: 500, value: { name: 'ActiveError', message, stack: 'Error', body: '{}' } }
}
