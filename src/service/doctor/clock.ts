import { request } from 'undici'
import type { Clock } from '../../clock.js'
import type { Settings } from '../../config.js'
import { type ClockReading, median, OFFSET_MAX_MS, offsetText, readingText } from '../../domain/clock-offset.js'
import { urlsOf } from '../../networks/catalogue/entry.js'
import { catalogueOf } from '../catalogue.js'
import { NearHosts } from '../clock/near-hosts.js'
import { isLoopback } from '../exposure.js'
import { type Examination, type Finding, failed, ok, skipped, warning } from './examination.js'

const TIMEOUT_MS = 5000
const MS_PER_SECOND = 1000
/** A `Date` header has whole seconds, cut off: the time was half a second later, give or take as much. */
const HALF_SECOND_MS = 500
const FAILED_FROM_MS = 60_000
const NAME = 'clock'
const ADVICE =
  'Set it, and keep it right with chrony or systemd-timesyncd: a wrong clock makes payments not count, or count twice. See docs/operating/clock.md.'

/** What a server says of our clock: how far it is off, and how exactly that is known. */
interface Told {
  readonly offsetMs: number
  readonly errorMs: number
}

/** The clock, compared with the servers that the settings name, and by the witnesses of a running service. */
export const examineClock: Examination = async ({ settings, clock, running }) => {
  const byServers = await compare(settings, clock)
  const reading = running?.clockReading() ?? null
  if (reading === null) {
    return [
      byServers ?? skipped(NAME, 'Nobody could be asked for the time: no other server in the settings reports it.'),
    ]
  }
  return [...(byServers === null ? [] : [byServers]), byWitnesses(reading)]
}

function byWitnesses(reading: ClockReading): Finding {
  const text = `The clock is ${readingText(reading)}.`
  return judged(Math.abs(reading.offsetMs), text)
}

/** By the servers that the settings name, but for this one; null when none tells the time. */
async function compare(settings: Settings, clock: Clock): Promise<Finding | null> {
  const near = new NearHosts()
  const answers = await Promise.all(
    othersOf(settings).map(async (url) => ({ told: await ask(url, clock), isNear: await near.learn(url) })),
  )
  const answered = answers.filter((one): one is { told: Told; isNear: boolean } => one.told !== null)
  // Those on this machine may go by its clock.
  const elsewhere = answered.filter(({ isNear }) => !isNear)
  const heard = (elsewhere.length > 0 ? elsewhere : answered).map(({ told }) => told)
  if (heard.length === 0) return null
  const offsetMs = median(heard.map((told) => told.offsetMs))
  const errorMs = Math.max(...heard.map((told) => told.errorMs))
  const count = heard.length === 1 ? 'of one server' : `of ${heard.length} servers, the one in the middle`
  const where = elsewhere.length > 0 ? '' : ', which may be on this machine and go by its clock'
  const exactness = `give or take ${(errorMs / MS_PER_SECOND).toFixed(1)} s`
  const text = `The clock is ${offsetText(offsetMs)}, ${exactness}, by the clock ${count}${where}.`
  // What the round trip took may be on either side.
  return judged(Math.abs(offsetMs) - (errorMs - HALF_SECOND_MS), text)
}

function judged(offMs: number, text: string): Finding {
  if (offMs > FAILED_FROM_MS) return failed(NAME, text, ADVICE)
  return offMs > OFFSET_MAX_MS ? warning(NAME, text, ADVICE) : ok(NAME, text)
}

/** One URL of each server that the settings name, without those that are this service or its proxy. */
function othersOf(settings: Settings): readonly string[] {
  const urls = [...settings.ledgerUrls, ...catalogueOf(settings).flatMap(urlsOf)]
  const others = urls.filter((url) => !isOwn(new URL(url), settings))
  return [...new Map(others.map((url) => [new URL(url).host, url])).values()]
}

/** On loopback each port is a server of its own; elsewhere all ports of a host are of one machine. */
function isOwn({ hostname, host, port }: URL, settings: Settings): boolean {
  const isHere = isLoopback(hostname.replace(/^\[|\]$/g, ''))
  if (isHere && port === String(settings.port)) return true
  if (settings.publicUrl === undefined) return false
  const own = new URL(settings.publicUrl)
  return isHere ? host === own.host : hostname === own.hostname
}

/** Null when it does not tell the time. */
async function ask(url: string, clock: Clock): Promise<Told | null> {
  try {
    const askedAtMs = clock.now()
    const { headers, body } = await request(url, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const roundTripMs = Math.max(0, clock.now() - askedAtMs)
    await body.dump()
    // What a cache has kept is as old as the cache likes.
    const dateMs = headers['age'] === undefined ? Date.parse(String(headers['date'])) : Number.NaN
    if (Number.isNaN(dateMs)) return null
    const errorMs = HALF_SECOND_MS + roundTripMs / 2
    return { offsetMs: askedAtMs + roundTripMs / 2 - (dateMs + HALF_SECOND_MS), errorMs }
  } catch {
    return null
  }
}
