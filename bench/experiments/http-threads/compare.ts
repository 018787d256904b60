import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { findWrk } from '../../load/wrk.js'
import { Merchants } from '../../merchants.js'
import { writeRequestFile } from '../../request-file.js'
import { say, startBenched } from '../../service-process.js'
import { busiestBesideMain, sharesOf, threadTimes } from './thread-times.js'

/**
 * The service as it is beside one with HTTP threads, in turns, and what the main thread of the latter can take at most:
 *
 *     node dist/bench/experiments/http-threads/compare.js [rounds] [seconds]
 *
 * Linux, with wrk. Times are of a core, per creation.
 */

const KEYS = 50
const WALLETS = 5000
const CONNECTIONS = 1024
/** Requests are signed for so many creations a second, since none can be sent twice. */
const SIGNED_PER_SECOND = 25_000
const WARM_UP_SECONDS = 1
const NODE_FLAGS = ['--max-semi-space-size=64']

interface Contestant {
  readonly name: string
  readonly url: string
  readonly pid: number
  /** The system's ids of the HTTP threads; none in the service as it is. */
  readonly threads: readonly string[]
  /** How many creations have been durable; null where it is not told. */
  committed(): Promise<number | null>
  stop(): Promise<void>
}

const [rounds = 4, seconds = 3] = process.argv.slice(2).map(Number)
const wrk = findWrk()
if (wrk === null) throw new Error('wrk is not installed')
const directory = mkdtempSync(join(tmpdir(), 'billhook-http-threads-'))
const merchants = new Merchants(KEYS, WALLETS)
const running: Contestant[] = []
let signed = 0
try {
  running.push(await asItIs(), await withThreads(1, false), await withThreads(2, false))
  for (let round = 0; round <= rounds; round += 1) {
    const duration = round === 0 ? WARM_UP_SECONDS : seconds
    const requests = join(directory, 'requests')
    const from = signed
    signed += duration * SIGNED_PER_SECOND
    await writeRequestFile(requests, duration * SIGNED_PER_SECOND, (n) => merchants.signedCreate(from + n, 'many'))
    for (const contestant of running) {
      const before = threadTimes(contestant.pid)
      const load = { url: contestant.url, connections: CONNECTIONS, seconds: duration, requests }
      const perSecond = await wrk.run(load)
      if (round > 0) tell(contestant, before, perSecond, perSecond * duration)
    }
  }
  for (const { stop } of running.splice(0)) await stop()
  await mostThatMainTakes()
} finally {
  for (const { stop } of running) await stop()
  rmSync(directory, { recursive: true })
}

/** Commands that nobody sent, from one thread: nothing is parsed, verified or sent. */
async function mostThatMainTakes(): Promise<void> {
  const contestant = await withThreads(1, true)
  running.push(contestant)
  await pause(WARM_UP_SECONDS * 1000)
  for (let round = 0; round < rounds; round += 1) {
    const before = threadTimes(contestant.pid)
    const countBefore = (await contestant.committed()) ?? 0
    const startedAt = performance.now()
    await pause(seconds * 1000)
    const count = ((await contestant.committed()) ?? 0) - countBefore
    tell(contestant, before, (count * 1000) / (performance.now() - startedAt), count)
  }
}

function tell(contestant: Contestant, before: ReturnType<typeof threadTimes>, perSecond: number, count: number): void {
  const { name, pid } = contestant
  const after = threadTimes(pid)
  const named = contestant.threads.length > 0 ? contestant.threads : [busiestBesideMain(pid, before, after)]
  const shares = sharesOf(pid, named, before, after, count)
  const threads = shares.named.map((us) => us.toFixed(1)).join(' + ')
  const times = `main ${shares.main.toFixed(1)}, threads ${threads}, others ${shares.others.toFixed(1)} µs`
  say(`${name.padEnd(28)} ${perSecond.toFixed(0).padStart(6)}/s  ${times}`)
}

async function asItIs(): Promise<Contestant> {
  const service = await startBenched(join(directory, 'as-it-is'), {})
  await merchants.register(service.url)
  return { ...service, name: 'as it is', threads: [], committed: async () => null }
}

async function withThreads(threads: number, isSynthetic: boolean): Promise<Contestant> {
  const script = new URL('service-child.js', import.meta.url).pathname
  const data = join(directory, `threads-${threads}${isSynthetic ? '-synthetic' : ''}`)
  const task = JSON.stringify({ data, threads, keys: KEYS, wallets: WALLETS, isSynthetic })
  const child = spawn(process.execPath, [...NODE_FLAGS, script, task], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => String((await lines.next()).value)
  const ready = /threads ([\d ]+) listening on (http:\/\/\S+)/.exec(await line())
  if (ready === null) throw new Error('the service with HTTP threads did not start')
  return {
    name: isSynthetic ? 'main thread and store alone' : `${threads} HTTP thread${threads === 1 ? '' : 's'}`,
    url: ready[2] ?? '',
    pid: child.pid ?? 0,
    threads: (ready[1] ?? '').split(' '),
    committed: async () => {
      child.kill('SIGUSR2')
      return (JSON.parse(await line()) as { commits: { units: number } }).commits.units
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
