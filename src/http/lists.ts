import type { Slice, Turns } from '../base/turns.js'
import { failure } from '../domain/failure.js'
import type { Awaitable, Page, PageOf } from '../store/reading.js'
import type { ClientOf } from './guards/client-address.js'
import type { Charge } from './guards/rate-limiter.js'
import { failureAnswer, jsonTextAnswer } from './json.js'
import { EVERYTHING, type ListQuery } from './list-query.js'
import type { Answer, BodyStream, RequestHead } from './server.js'

/** Records that the first piece of a list reads at most. The size of those says how many the next one reads. */
const FIRST_RECORDS = 32
/** Records that one piece reads at most. */
const RECORDS_MAX = 100
/** About what a piece takes as JSON, which is what the list holds while its client does not read. */
const PIECE_BYTES = 65_536

/** What a piece costs that a database in another process works on: as much as the pieces of one turn here. */
const STATEMENT_MS = 2
/** What a piece is charged with at most. If it took longer, the machine kept it waiting. */
const PIECE_COST_MAX_MS = 10

/** Lists that may be under way at once for one owner, or for one client; what is asked for beyond is answered 503. */
export const LISTS_UNDER_WAY_MAX = 32

/** A list of an owner, newest first. */
export interface List<T> {
  readonly owner: string
  /** Reads a page. It works in this thread no longer than its slice says. */
  readonly read: (page: Page) => Awaitable<PageOf<T>>
  /** A record as clients see it; as it was read if absent. */
  readonly show?: (item: T) => unknown
  /** The path, for the Link to the next page. Without pages, absent. */
  readonly path?: string
  /** What follows `limit` and `cursor` in it; begins with `&` unless empty. */
  readonly query?: string
}

/** A list with pages that clients may ask for one by one. */
export interface PagedList<T> extends List<T> {
  readonly path: string
  /** The cursor that a page ends with, without reading its records. */
  readonly nextOf: (page: Page) => Awaitable<string | null>
}

/** Records as JSON, comma-separated. */
export interface Piece {
  readonly text: string
  readonly records: number
  /** Null behind the last record of the list. */
  readonly next: string | null
}

export interface ListsParts {
  readonly turns: Turns
  readonly clientOf: ClientOf
  /** Charges a client for what its request has cost. */
  readonly charge: Charge
}

/**
 * Answers lists piece by piece, in turns with all other long work, and holds one piece of each at a time. A client gets the next one
 * when it has taken the last one.
 */
export class Lists {
  /** Lists under way by owner and by client. */
  private readonly underWay = new Map<string, number>()

  constructor(private readonly parts: ListsParts) {}

  /** The whole list as a JSON array. */
  answer<T>(request: RequestHead, list: List<T>): Promise<Answer> {
    return this.admit(request, list.owner, (work) => this.whole(work, list, EVERYTHING))
  }

  /** A list as a JSON array: one page, with a Link to the next one (RFC 8288), or everything if the query sets no limit. */
  answerPage<T>(request: RequestHead, list: PagedList<T>, query: ListQuery): Promise<Answer> {
    return this.admit(request, list.owner, (work) => this.whole(work, list, query))
  }

  /**
   * Does the work of a request in turns, and answers 503 when the owner or the client has too much of it under way. `answer` does all
   * of it through its `Work`, which is over when the answer is there, or when the last piece of a stream is.
   */
  async admit(request: RequestHead, owner: string, answer: (work: Work) => Promise<Answer>): Promise<Answer> {
    const client = this.parts.clientOf(request).key
    // No client: the command line, through the admin socket.
    const keys = client === '' ? [`owner ${owner}`] : [`owner ${owner}`, `client ${client}`]
    if (keys.some((key) => (this.underWay.get(key) ?? 0) >= LISTS_UNDER_WAY_MAX)) {
      return failureAnswer(failure('overloaded'))
    }
    for (const key of keys) this.underWay.set(key, (this.underWay.get(key) ?? 0) + 1)
    const work = new Work(this.parts.turns, owner, (costMs) => {
      for (const key of keys) {
        const left = (this.underWay.get(key) ?? 0) - 1
        if (left > 0) this.underWay.set(key, left)
        else this.underWay.delete(key)
      }
      this.parts.charge(request, costMs)
    })
    try {
      const answered = await answer(work)
      if (!(answered.body instanceof PieceStream)) work.end()
      return answered
    } catch (error) {
      work.end()
      throw error
    }
  }

  /** Does the work of a request in turns, client by client, and charges the client for it. */
  async charged<T>(request: RequestHead, answer: (run: Work['run']) => Promise<T>): Promise<T> {
    const { turns, clientOf, charge } = this.parts
    const work = new Work(turns, `client ${clientOf(request).key}`, (costMs) => charge(request, costMs))
    try {
      return await answer((piece) => work.run(piece))
    } finally {
      work.end()
    }
  }

  private async whole<T>(work: Work, list: List<T> | PagedList<T>, { limit, cursor }: ListQuery): Promise<Answer> {
    const first = await readPiece(work, list, cursor, Math.min(FIRST_RECORDS, limit ?? FIRST_RECORDS))
    const isComplete = first.next === null || first.records === limit
    if (isComplete) return jsonTextAnswer(200, `[${first.text}]`, linkOf(list, limit, first.next))
    const left = limit === null ? Number.POSITIVE_INFINITY : limit - first.records
    const next =
      limit === null || !('nextOf' in list) ? null : await work.run(() => list.nextOf({ after: cursor, limit }))
    return {
      ...jsonTextAnswer(200, '', linkOf(list, limit, next)),
      body: new PieceStream(pieces(work, list, first, left), work),
    }
  }
}

/** The header that names the next page. */
export function linkOf(
  { path = '', query = '' }: Pick<List<unknown>, 'path' | 'query'>,
  limit: number | null,
  next: string | null,
): Readonly<Record<string, string>> | undefined {
  return limit === null || next === null
    ? undefined
    : { Link: `<${path}?limit=${limit}&cursor=${next}${query}>; rel="next"` }
}

/** The long work of one request. */
export class Work {
  private costMs = 0
  private isEnded = false

  constructor(
    private readonly turns: Turns,
    private readonly owner: string,
    private readonly onEnd: (costMs: number) => void,
  ) {}

  /** Runs a piece when it is the owner's turn. */
  async run<T>(piece: (slice: Slice) => Awaitable<T>): Promise<T> {
    return await this.turns.run(this.owner, (slice) => {
      const startedAt = this.turns.elapsed()
      const result = piece(slice)
      const waitedMs = result instanceof Promise ? STATEMENT_MS : 0
      this.costMs += Math.min(this.turns.elapsed() - startedAt, PIECE_COST_MAX_MS) + waitedMs
      return result
    })
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.onEnd(this.costMs)
  }
}

function readPiece<T>(work: Work, list: List<T>, after: string | null, limit: number): Promise<Piece> {
  return work.run((slice) => {
    const page = list.read({ after, limit, slice })
    return page instanceof Promise ? page.then((read) => encode(read, list)) : encode(page, list)
  })
}

function encode<T>({ items, next }: PageOf<T>, { show }: Pick<List<T>, 'show'>): Piece {
  const shown = show === undefined ? items : items.map(show)
  return { text: JSON.stringify(shown).slice(1, -1), records: items.length, next }
}

/** The rest of a list whose first piece was read, up to `most` records. */
async function* pieces<T>(work: Work, list: List<T>, first: Piece, most: number): AsyncGenerator<string> {
  let piece = first
  let left = most
  yield `[${piece.text}`
  while (piece.next !== null && left > 0) {
    const bytesEach = piece.records === 0 ? PIECE_BYTES : piece.text.length / piece.records
    const limit = Math.max(1, Math.min(RECORDS_MAX, left, Math.floor(PIECE_BYTES / bytesEach)))
    piece = await readPiece(work, list, piece.next, limit)
    left -= piece.records
    if (piece.records > 0) yield `,${piece.text}`
  }
  yield ']'
}

/** A streamed list. Its work ends with it, also if nobody ever begins to read it. */
class PieceStream implements BodyStream, AsyncIterator<string> {
  constructor(
    private readonly source: AsyncGenerator<string>,
    private readonly work: Work,
  ) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<string>> {
    try {
      const result = await this.source.next()
      if (result.done === true) this.work.end()
      return result
    } catch (error) {
      this.work.end()
      throw error
    }
  }

  async return(): Promise<IteratorResult<string>> {
    this.work.end()
    return await this.source.return(undefined)
  }
}
