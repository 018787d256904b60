import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { ask, pushEvents } from '../chaos/http-client.js'
import { endChild, untilLine } from '../support/child-process.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { missingPrograms } from '../support/programs.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const FLUSHES = 'fdatasync,fsync,msync'
const TRACED = `trace=${FLUSHES},recvfrom,sendto,read,write,writev`
/** Every flush is held up by so many microseconds: an answer that did not wait for it would be far ahead of it. */
const HELD_UP = `inject=${FLUSHES}:delay_enter=100000`
const ATTACH_MS = 10_000
const ROUNDS = 3

/** Why a process cannot be traced here, or false. */
function whyNot(): string | false {
  const missing = missingPrograms('strace')
  if (missing !== false) return missing
  const tried = spawnSync('strace', ['-o', '/dev/null', '-e', TRACED, '-e', HELD_UP, 'true'])
  return tried.status === 0 ? false : 'processes may not be traced here'
}

function isTraced(pid: number, thread: string): boolean {
  return !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))
}

async function attach(pid: number, file: string): Promise<ChildProcess> {
  const tracer = spawn('strace', ['-f', '-y', '-o', file, '-e', TRACED, '-e', HELD_UP, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilLine(tracer, (line) => line, ATTACH_MS)
  // It says so of the first thread; the others follow.
  while (readdirSync(`/proc/${pid}/task`).some((thread) => !isTraced(pid, thread))) await nextTurnOfLoop()
  return tracer
}

type Act = 'request' | 'flushed' | 'answer'

/** What of the trace matters here, in order. */
function actsOf(trace: string, path: string): Act[] {
  const acts: Act[] = []
  const flushing = new Set<string>()
  for (const line of trace.split('\n')) {
    const thread = line.slice(0, line.indexOf(' '))
    const isFlush = /f(?:data)?sync\(|msync\(/.test(line) && line.includes('data.mdb')
    if (isFlush && line.includes('<unfinished')) flushing.add(thread)
    else if (isFlush && line.includes(' = 0')) acts.push('flushed')
    else if (/<\.\.\. f?(?:data)?m?sync resumed>/.test(line) && flushing.delete(thread)) acts.push('flushed')
    else if (line.includes(`"POST ${path} `)) {
      // What is still being flushed then is of an earlier one.
      flushing.clear()
      acts.push('request')
    } else if (line.includes('"HTTP/1.1 20')) acts.push('answer')
  }
  return acts
}

for (const server of HTTP_ENGINES) {
  test(`no answer leaves before its write was flushed to the disk, on ${server}`, {
    skip: whyNot(),
    timeout: 60_000,
  }, async () => {
    const place = temporaryDirectory()
    const service = await ServiceProcess.start(place.path, { BILLHOOK_HTTP: server })
    const file = join(place.path, 'trace')
    let tracer: ChildProcess | undefined
    try {
      tracer = await attach(service.child.pid ?? 0, file)
      const wallet = { id: 'wallet', address: '0x0000000000000000000000000000000000000001', network: 'SEP' }
      await pushEvents(service.url, [{ id: 'assigned', type: 'wallet.assigned', wallet, owner: 'merchant' }])
      for (let round = 1; round <= ROUNDS; round += 1) {
        const body = { owner: 'merchant', walletIds: ['wallet'], name: 'Order', amount: `${round}.5`, currency: 'USDT' }
        const answer = await ask('POST', `${service.url}/api/invoices`, JSON.stringify(body))
        assert.equal(answer?.status, 201, JSON.stringify(answer?.json))
      }
    } finally {
      if (tracer !== undefined) await endChild(tracer, 'SIGTERM')
      await service.end('SIGTERM')
    }
    const acts = actsOf(readFileSync(file, 'utf8'), '/api/invoices')
    place.remove()
    const first = acts.indexOf('request')
    const rounds = acts.slice(first).join(' ').split('request ').slice(1)
    assert.equal(rounds.length, ROUNDS, acts.join(' '))
    for (const round of rounds) assert.match(round.trim(), /^(?:flushed )+answer/, acts.join(' '))
  })
}
