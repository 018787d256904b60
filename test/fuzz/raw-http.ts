import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Random } from '../simulation/random.js'
import { codeOf, flawOfAnswer, type SeenAnswer } from './answer-oracle.js'
import { byteMutations } from './byte-mutations.js'
import { draftMutations } from './draft-mutations.js'
import { addAnswer, type FuzzReport, FuzzViolation, newReport } from './fuzz-report.js'
import type { FuzzTarget } from './fuzz-target.js'
import { readAnswers } from './raw-answers.js'
import { type DraftWorld, encode, validRequest } from './raw-requests.js'

const CONNECTIONS = 48
/** Mutants between two looks at the state and the log. */
const BATCH = 512
/**
 * A connection that says nothing for so long is given up: the server waits for bytes that the mutant does not have. On a
 * busy machine creations may take longer.
 */
const SILENCE_MS = 40
/** Longer requests are not sent byte by byte. */
const BYTEWISE_LIMIT_BYTES = 500
const PIPELINED_MAX = 5

/** What uWebSockets.js answers by itself, before any code of ours runs: a line of HTML without a content type. */
const ENGINE_STATUSES: ReadonlySet<number> = new Set([400, 431, 505])

/** How a request begins that may create an invoice. */
const CREATION = 'POST /api/invoices'

/** Each invoice that is asked for has a name of its own. */
const INVOICE_NAME = /"name":"(Order [0-9a-f]{12})"/

type Pace = 'whole' | 'split' | 'bytewise'

interface Mutant {
  /** What was done to it, for people. */
  readonly story: string
  readonly bytes: Buffer
  readonly pace: Pace
  /** Whether the client closes its half once it has sent everything. */
  readonly ends: boolean
  /** Of the invoice that the request would create before it was mutated; null when it is another request. */
  readonly name: string | null
  /** Answers after which nothing more is awaited. */
  readonly awaited: number
}

/**
 * Sends mutated requests over raw sockets, from a seed. Throws a `FuzzViolation` that shows the mutant for an answer that
 * is not as documented, an error in the log, an end of the process, a control request that fails, or a state that has
 * changed without a success.
 */
export async function fuzzRawHttp(
  target: FuzzTarget,
  requests: number,
  seed: number,
  silenceMs = SILENCE_MS,
): Promise<FuzzReport> {
  const random = new Random(seed)
  const report = newReport(`raw HTTP, ${target.engine}`)
  const confirmed = new Set<string>()
  const before = await target.invoices()
  const refused = new Set<string>()
  while (report.requests < requests) {
    const size = Math.min(BATCH, requests - report.requests)
    const mutants = mutantsFrom({ random, key: target.key, walletIds: target.walletIds, nowMs: Date.now() }, size)
    let next = 0
    const work = async (): Promise<void> => {
      for (let mutant = mutants[next++]; mutant !== undefined; mutant = mutants[next++]) {
        const answers = await exchange(target.port, mutant, silenceMs)
        if (mutant.name !== null && isRefusal(mutant, answers)) refused.add(mutant.name)
        for (const answer of answers) {
          const flaw = flawOfRawAnswer(target, answer)
          if (flaw !== null) throw violation(seed, mutant, flaw, answer)
          addAnswer(report, answer.status)
          const id = createdId(answer)
          if (id !== null) confirmed.add(id)
        }
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    report.requests += size
    const trouble = await target.control()
    if (trouble !== null) {
      throw new FuzzViolation(
        `${trouble}\nseed ${seed}, among the mutants:\n${mutants.map(({ story }) => story).join('\n')}`,
      )
    }
  }
  const trouble = flawOfState(before, await target.invoices(), confirmed, refused)
  if (trouble !== null) throw new FuzzViolation(`${trouble}\nseed ${seed}`)
  return report
}

/** Every acknowledged invoice is there, and none whose creation was refused. `refused` holds their names. */
function flawOfState(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  confirmed: ReadonlySet<string>,
  refused: ReadonlySet<string>,
): string | null {
  for (const id of confirmed) if (!after.has(id)) return `the invoice ${id} was acknowledged and is not there`
  for (const [id, name] of after) {
    if (before.has(id) || confirmed.has(id)) continue
    if (refused.has(name)) return `the invoice ${id}, ${name}, was refused and is there`
  }
  return null
}

/**
 * Whether all that the mutant can have asked for was surely refused: it is one request and no more, and the service, not
 * the engine on its own nor for a fault behind the request, gave one answer that is no success.
 */
function isRefusal(mutant: Mutant, answers: readonly SeenAnswer[]): boolean {
  const [answer] = answers
  if (mutant.awaited !== 1 || creationsIn(mutant) > 1 || answer === undefined || answers.length > 1) return false
  const code = codeOf(answer.body)
  return code !== null && code !== 'malformed_request'
}

function flawOfRawAnswer(target: FuzzTarget, answer: SeenAnswer): string | null {
  if (answer.status === 500 && isLedgerAnswer(answer)) return null
  const isPage = answer.contentType === 'text/html; charset=utf-8'
  const isEngines =
    target.engine === 'uws' && ENGINE_STATUSES.has(answer.status) && codeOf(answer.body) === null && !isPage
  // A body may be missing because the mutant was a HEAD; the status is still judged.
  if (!isEngines && answer.body === '') return answer.status >= 500 && answer.status !== 503 ? 'it failed' : null
  if (isEngines)
    return /^<h1>[\w <>/,.&;!-]*$/.test(answer.body) || answer.body === ''
      ? null
      : "the engine's own answer says more than its status"
  return flawOfAnswer(answer)
}

/** A ledger node's own way of refusing, which the sandbox imitates. */
function isLedgerAnswer({ body }: SeenAnswer): boolean {
  return body === '{}' || body === '"Invalid Transaction"'
}

function createdId({ status, body }: SeenAnswer): string | null {
  return status === 201 ? (/^\{"id":"([0-9a-f]{32})","url":"\/pay\/\1"\}$/.exec(body)?.[1] ?? null) : null
}

/** How often a mutant begins to create an invoice. */
function creationsIn({ bytes }: Mutant): number {
  return bytes.toString('latin1').split(CREATION).length - 1
}

function mutantsFrom(world: DraftWorld, count: number): readonly Mutant[] {
  return Array.from({ length: count }, () => mutantFrom(world))
}

function mutantFrom(world: DraftWorld): Mutant {
  const { random } = world
  const draftStory = pickName(random, draftMutations)
  const byteStory = random.chance(0.5) ? 'none' : pickName(random, byteMutations)
  const count = random.chance(0.1) ? random.between(2, PIPELINED_MAX) : 1
  let name: string | null = null
  const requests = Array.from({ length: count }, (_, n) => {
    const draft = validRequest(world)
    name = INVOICE_NAME.exec(draft.body.toString())?.[1] ?? null
    // In a pipeline one is mutated, so that what comes behind a fault is looked at as well.
    return encode(n === count >> 1 ? (draftMutations[draftStory]?.(draft, random) ?? draft) : draft)
  })
  const whole = Buffer.concat(requests)
  const bytes = byteMutations[byteStory]?.(whole, random) ?? whole
  const pace: Pace =
    random.chance(0.02) && bytes.length < BYTEWISE_LIMIT_BYTES ? 'bytewise' : random.chance(0.2) ? 'split' : 'whole'
  // Framing that disagrees with itself may make several requests of one: all that comes back is waited for.
  const smuggles = /request|encoding|length|chunks/.test(draftStory)
  return {
    story: `${draftStory} / ${byteStory} / ${pace} / ${count}`,
    bytes,
    name,
    pace,
    ends: random.chance(byteStory === 'truncation' ? 0.8 : 0.05),
    awaited: smuggles ? PIPELINED_MAX : count,
  }
}

function pickName(random: Random, table: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(table)
  return names[random.below(names.length)] ?? 'none'
}

/** Sends the mutant on a connection of its own and answers what came back until nothing more is to be expected. */
function exchange(port: number, mutant: Mutant, silenceMs: number): Promise<readonly SeenAnswer[]> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const received: Buffer[] = []
    let isOver = false
    const finish = (): void => {
      if (isOver) return
      isOver = true
      // A reset leaves no port behind in TIME_WAIT, of which a million connections would need too many.
      socket.resetAndDestroy()
      resolve(readAnswers(Buffer.concat(received)).answers)
    }
    socket.setTimeout(silenceMs, finish)
    socket.on('error', finish)
    socket.on('close', finish)
    socket.on('data', (chunk) => {
      received.push(chunk)
      const { answers, rest } = readAnswers(Buffer.concat(received))
      if (rest.length === 0 && answers.length >= mutant.awaited) finish()
    })
    socket.on('connect', () => void write())
    const write = async (): Promise<void> => {
      for (const piece of piecesOf(mutant)) {
        if (isOver) return
        socket.write(piece)
        if (mutant.pace !== 'whole') await nextTurn()
      }
      if (mutant.ends && !isOver) socket.end()
    }
  })
}

function piecesOf({ bytes, pace }: Mutant): readonly Buffer[] {
  switch (pace) {
    case 'whole':
      return [bytes]
    case 'split': {
      // Where the head ends is where parsers keep their state.
      const place = Math.max(bytes.indexOf('\r\n\r\n') + 2, bytes.length >> 1)
      return [bytes.subarray(0, place), bytes.subarray(place)]
    }
    case 'bytewise':
      return Array.from({ length: bytes.length }, (_, n) => bytes.subarray(n, n + 1))
  }
}

function violation(seed: number, mutant: Mutant, flaw: string, answer: SeenAnswer): FuzzViolation {
  return new FuzzViolation(
    [
      flaw,
      `seed ${seed}, ${mutant.story}`,
      JSON.stringify(mutant.bytes.toString('latin1')),
      `answer: ${JSON.stringify(answer)}`,
    ].join('\n'),
  )
}
